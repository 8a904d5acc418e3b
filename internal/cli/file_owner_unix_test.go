//go:build !windows

package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestInstallFileKeepsOwner checks that a file that root replaces keeps its owner, group and mode.
func TestInstallFileKeepsOwner(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root may change the owner of a file")
	}
	dir := t.TempDir()
	path, temp := filepath.Join(dir, "out.csv"), filepath.Join(dir, "temp")
	for _, p := range []string{path, temp} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(path, 12, 34); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := InstallFile(temp, path, true); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 12 || stat.Gid != 34 || info.Mode().Perm() != 0o640 {
		t.Errorf("owner %d, group %d, mode %o, want 12, 34, 640", stat.Uid, stat.Gid, info.Mode().Perm())
	}
}
