//go:build !windows

package term

import "os"

// enableEscapes does nothing: terminals support escape sequences.
func enableEscapes(*os.File) bool { return true }
