//go:build unix

package term

import (
	"os/signal"
	"syscall"
)

// ignoreBackgroundReads makes a read of the terminal fail if the process is in the
// background. Without it, the read would stop the process.
func ignoreBackgroundReads() { signal.Ignore(syscall.SIGTTIN) }
