//go:build unix

package term

import (
	"os/signal"
	"syscall"
)

// failBackgroundReads makes a read of the terminal fail if the process is in the
// background. Without it, the read would stop the process.
func failBackgroundReads() { signal.Ignore(syscall.SIGTTIN) }
