//go:build !windows

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// flock locks an open file. Tests replace it.
var flock = syscall.Flock

// TryLock opens and locks the file, and creates it if it does not exist. It returns ErrLocked if
// another process holds the lock. The lock is released when the file is closed or the process ends.
func TryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// createNew creates the file at path, and locks it if the file system has locks. The error wraps
// fs.ErrExist if path exists. It is ErrLocked if another process was faster to lock the file.
func createNew(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil && !isUnsupported(err) {
		f.Close()
		return nil, err
	}
	return f, nil
}

// lock locks an open file. It returns ErrLocked if another process holds the lock.
func lock(f *os.File) error {
	err := flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	for errors.Is(err, syscall.EINTR) {
		err = flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// removeAndClose removes the file f at path, and then ends its lock.
func removeAndClose(path string, f *os.File) error {
	err := os.Remove(path)
	return errors.Join(err, f.Close())
}
