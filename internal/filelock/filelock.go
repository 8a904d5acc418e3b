// Package filelock locks files, so that only one process at a time holds a lock.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrLocked is returned if the lock is held by another process, or by another call of this process.
var ErrLocked = errors.New("locked")

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

// Create creates an empty file at path and locks it like [TryLock]. If a regular file exists there that
// no process has locked, such as that of a process that was killed, Create empties it. It returns
// ErrLocked if another process holds the lock. As long as the lock is held, path names the
// returned file, unless a program that does not lock it renames or removes it.
func Create(path string) (*os.File, error) {
	for {
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
			return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("it is not a regular file")}
		}
		f, err := TryLock(path)
		var failed *fs.PathError
		if err != nil && !errors.Is(err, ErrLocked) && !errors.As(err, &failed) {
			err = fmt.Errorf("cannot lock %s: %w", path, err)
		}
		if err != nil {
			return nil, err
		}
		// Another process may have renamed the file between the opening and the locking.
		opened, errOpened := f.Stat()
		named, errNamed := os.Lstat(path)
		if errOpened == nil && errNamed == nil && os.SameFile(opened, named) {
			if err := f.Truncate(0); err != nil {
				return nil, errors.Join(err, f.Close())
			}
			return f, nil
		}
		if err := f.Close(); err != nil || errOpened != nil {
			return nil, errors.Join(errOpened, err)
		}
	}
}
