//go:build !windows

package term

import "os"

// enableEscapes returns true, because terminals support escape sequences.
func enableEscapes(*os.File) bool { return true }
