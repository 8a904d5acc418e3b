package process

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"foretell/internal/filelock"
)

// Lock is a locked file. The lock shows other processes that this process is running.
type Lock struct {
	folder, self string
	file         *os.File
}

const lockSuffix = ".lock"

// NewLock creates and locks the file of this process in folder, and removes the files of dead
// processes. The caller must hold the lock of the file entry.lock. Otherwise another process could
// remove the new file before it is locked.
func NewLock(folder string) (*Lock, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	p := &Lock{folder: folder, self: strings.ToLower(rand.Text())}
	for _, e := range entries {
		p.IsAlive(strings.TrimSuffix(e.Name(), lockSuffix)) // as a side effect, removes the file of a dead process
	}
	p.file, err = filelock.TryLock(p.path(p.self))
	return p, err
}

func (p *Lock) path(name string) string {
	return filepath.Join(p.folder, name+lockSuffix)
}

// Name returns the name of this process.
func (p *Lock) Name() string { return p.self }

// ClockOffset returns 0, because all processes are on one machine.
func (p *Lock) ClockOffset() time.Duration { return 0 }

// AnyMayHaveDied returns true, because the operating system does not report when a lock is
// released.
func (p *Lock) AnyMayHaveDied() bool { return true }

// IsAlive reports whether the named process is running: it tries to lock the file of
// the process. It removes the file of a dead process.
func (p *Lock) IsAlive(name string) bool {
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

// Release unlocks and removes the file. Other processes then consider this process dead.
func (p *Lock) Release() error {
	if p.file == nil {
		return nil
	}
	err, removeErr := p.file.Close(), os.Remove(p.path(p.self))
	if errors.Is(removeErr, os.ErrNotExist) { // another process has found the file unlocked
		removeErr = nil
	}
	return errors.Join(err, removeErr)
}
