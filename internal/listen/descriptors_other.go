//go:build !unix

package listen

// DefaultConnections returns the default of Limits.Connections. This number of
// connections needs little memory.
func DefaultConnections() int { return 10_000 }
