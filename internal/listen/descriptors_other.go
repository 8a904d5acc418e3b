//go:build !unix

package listen

// DefaultConnections returns a number of connections that needs little memory.
func DefaultConnections() int { return 10_000 }
