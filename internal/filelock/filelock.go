// Package filelock locks files, so that only one process at a time holds a lock.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// ErrLocked is returned if the lock is held by another process, or by another call of this process.
var ErrLocked = errors.New("locked")

// ErrNotRegular is wrapped by the error of [Create] if the path names something other than a file.
var ErrNotRegular = errors.New("it is not a regular file")

// pollInterval is the interval between attempts to lock.
const pollInterval = 10 * time.Millisecond

// Wait opens and locks the file at path. While another process holds the lock, it waits. The
// lock is released when the file is closed or the process ends. If ctx ends first, Wait returns
// the error of ctx.
func Wait(ctx context.Context, path string) (*os.File, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		f, err := TryLock(path)
		if !errors.Is(err, ErrLocked) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// Create creates an empty file at path, which only its owner can read, and locks it like [TryLock].
// If the file exists but no process has locked it, a killed process has left it: Create then
// removes the name and creates a new file. The old file is not overwritten, because it may also
// have another name. Create returns
//
//   - ErrLocked if another process holds the lock,
//   - ErrNotRegular if path names a folder, a link or a device,
//   - an error that wraps fs.ErrExist if the file exists, but the file system has no locks.
//
// Without locks, the new file is not locked. While the lock is held, path names the returned file,
// unless a program that ignores the lock renames or removes the file.
func Create(path string) (*os.File, error) {
	for {
		f, err := createNew(path)
		switch {
		case err == nil && namesFile(path, f):
			return f, nil
		case err == nil: // another process has removed the name between the creation and the locking
			err = f.Close()
		case errors.Is(err, fs.ErrExist):
			err = removeUnlocked(path)
		}
		if err != nil {
			return nil, addPath(path, err)
		}
	}
}

// removeUnlocked removes the file at path if it is a regular file that no process has locked.
func removeUnlocked(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "create", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return err
	}
	f, err := TryLock(path)
	if isUnsupported(err) {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	if err != nil {
		return err
	}
	// Another process may have renamed the file between the opening and the locking.
	if !namesFile(path, f) {
		return f.Close()
	}
	return removeAndClose(path, f)
}

// namesFile reports whether path names the file f.
func namesFile(path string, f *os.File) bool {
	opened, errOpened := f.Stat()
	named, errNamed := os.Lstat(path)
	return errOpened == nil && errNamed == nil && os.SameFile(opened, named)
}

// isUnsupported reports whether err means that the file system has no locks.
func isUnsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

// addPath returns err with path in its message. ErrLocked is returned unchanged, and so is an
// error that already contains the path.
func addPath(path string, err error) error {
	var failed *fs.PathError
	if errors.Is(err, ErrLocked) || errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("cannot lock %s: %w", path, err)
}
