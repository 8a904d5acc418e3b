package store

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"foretell/internal/filelock"
)

// processLock is a locked file. The lock shows other processes that this process is running.
type processLock struct {
	folder, self string
	file         *os.File
}

const lockSuffix = ".lock"

// newProcessLock creates and locks the file of this process in folder, and removes the files of
// dead processes. The caller must hold the lock of entry.lock, so that no other process removes the
// file between its creation and its lock.
func newProcessLock(folder string) (*processLock, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	p := &processLock{folder: folder, self: strings.ToLower(rand.Text())}
	for _, e := range entries {
		p.isAlive(strings.TrimSuffix(e.Name(), lockSuffix)) // as a side effect, removes the file of a dead process
	}
	p.file, err = filelock.TryLock(p.path(p.self))
	return p, err
}

func (p *processLock) path(name string) string {
	return filepath.Join(p.folder, name+lockSuffix)
}

func (p *processLock) name() string { return p.self }

// clockOffset returns 0, because all processes are on one machine.
func (p *processLock) clockOffset() time.Duration { return 0 }

// anyMayHaveDied returns true, because the operating system does not report when a lock is
// released.
func (p *processLock) anyMayHaveDied() bool { return true }

// isAlive reports whether the named process is running: it tries to lock the file of
// the process. It removes the file of a dead process.
func (p *processLock) isAlive(name string) bool {
	if name == p.self && p.file != nil {
		return true
	}
	path := p.path(filepath.Base(name))
	if _, err := os.Stat(path); err != nil {
		return false
	}
	f, err := filelock.TryLock(path)
	if err != nil {
		return true // locked, or unknown because of an error: the leases of a dead process expire anyway
	}
	f.Close()
	_ = os.Remove(path)
	return false
}

func (p *processLock) release() error {
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	return errors.Join(err, os.Remove(p.path(p.self)))
}
