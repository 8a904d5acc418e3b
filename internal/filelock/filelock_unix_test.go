//go:build !windows

package filelock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCreateIsPrivate creates a file where everybody could read and write the old one.
func TestCreateIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(path, nil, 0o666), os.Chmod(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// replaceFlock replaces the system call by fn until the test ends.
func replaceFlock(t *testing.T, fn func(fd, how int) error) {
	t.Helper()
	t.Cleanup(func() { flock = syscall.Flock })
	flock = fn
}

// TestCreateAfterRename creates a file. Before its first two locks, of a new file and of the file of
// another process, the other process renames the file.
func TestCreateAfterRename(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	renamed := 0
	replaceFlock(t, func(fd, how int) error {
		if renamed++; renamed > 2 {
			return syscall.Flock(fd, how)
		}
		err := os.Rename(path, path+".complete")
		if renamed == 1 {
			err = errors.Join(err, os.WriteFile(path, []byte("other"), 0o600))
		}
		return errors.Join(err, syscall.Flock(fd, how))
	})
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if renamed != 3 || !namesFile(path, f) {
		t.Errorf("%d locks; the path names the file: %v", renamed, namesFile(path, f))
	}
	if content, err := os.ReadFile(path + ".complete"); string(content) != "other" {
		t.Errorf("the file of the other process has %q, %v", content, err)
	}
}

// TestCreateWithoutLocks creates a file on a file system that has no locks.
func TestCreateWithoutLocks(t *testing.T) {
	for _, reason := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.ENOSYS} {
		replaceFlock(t, func(int, int) error { return reason })
		path := filepath.Join(t.TempDir(), "file")
		f, err := Create(path)
		if err != nil {
			t.Fatalf("%v: %v", reason, err)
		}
		f.Close()
		if f, err := Create(path); f != nil || !errors.Is(err, fs.ErrExist) {
			t.Errorf("%v: an existing file: %v, %v", reason, f, err)
		}
	}
}
