// Package filelock locks files, so that only one process at a time holds a lock.
package filelock

import (
	"context"
	"errors"
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
