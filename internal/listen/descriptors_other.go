//go:build !unix

package listen

// defaultMaxConnections returns the default of Limits.Connections. Connections need little memory.
func defaultMaxConnections() int { return 10_000 }
