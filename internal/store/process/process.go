// Package process registers this process, and reports which of the processes that share a database
// are alive. With SQLite, they run on one machine, and each locks a file while it runs. With
// PostgreSQL, they run on any number of machines, and each renews a row of the table process.
package process

import "time"

// Registry is the registration of this process: a [Lock] or a [HeartbeatRow].
type Registry interface {
	// Name returns the name of this process.
	Name() string
	// IsAlive reports whether the named process is running. It returns true if this is
	// unknown.
	IsAlive(process string) bool
	// ClockOffset returns the time of the clock that all processes share minus the time of the
	// clock of this machine.
	ClockOffset() time.Duration
	// AnyMayHaveDied reports whether a process may have died since the last call of AnyMayHaveDied.
	AnyMayHaveDied() bool
	// Release unregisters this process. Other processes then consider it dead.
	Release() error
}
