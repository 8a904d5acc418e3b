//go:build !unix

package listen

// defaultMaxConnections returns the default of Limits.Connections. It is the same on all machines,
// because a connection needs little memory.
func defaultMaxConnections() int { return 10_000 }
