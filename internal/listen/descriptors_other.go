//go:build !unix

package listen

// DefaultConnections returns the default of Limits.Connections. Connections need little memory.
func DefaultConnections() int { return 10_000 }
