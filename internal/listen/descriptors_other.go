//go:build !unix

package listen

// DefaultMaxConnections returns the default of Limits.Connections. Connections need little memory.
func DefaultMaxConnections() int { return 10_000 }
