package connect

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/exit"
)

// TestDataDirWithoutPermission checks that the hint about a folder that the user may not read does not
// advise to use another folder, which would have no accounts.
func TestDataDirWithoutPermission(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}
	for dir, want := range map[string]string{
		t.TempDir():                       "run the command as the user who owns the folder",
		filepath.Join(t.TempDir(), "new"): "use another folder with --data-dir",
	} {
		var e *exit.Error
		if err := DataDirError(dir, denied); !errors.As(err, &e) || !strings.HasPrefix(e.Hint, want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
