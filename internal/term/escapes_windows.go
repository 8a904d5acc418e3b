package term

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableEscapes enables escape sequences on a Windows console, and reports whether that
// succeeded.
func enableEscapes(f *os.File) bool {
	handle := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(handle, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
