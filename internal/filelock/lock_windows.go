package filelock

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// sharingViolation is the error code of Windows for a file that another process has
// opened.
const sharingViolation = syscall.Errno(32)

// TryLock opens the file exclusively, and creates it if it does not exist. It returns ErrLocked if
// another process has opened it. The lock is released when the file is closed or the process ends.
func TryLock(path string) (*os.File, error) { return openExclusively(path, syscall.OPEN_ALWAYS) }

// createNew creates the file at path and locks it. The error wraps fs.ErrExist if path exists.
func createNew(path string) (*os.File, error) { return openExclusively(path, syscall.CREATE_NEW) }

// openExclusively opens the file at path so that no other process can open it. create is an
// argument of CreateFile: OPEN_ALWAYS creates the file if it does not exist, and CREATE_NEW fails if it
// exists.
func openExclusively(path string, create uint32) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		create, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}

// removeAndClose closes the file f at path and then removes it, because Windows removes no open
// file. If another process has locked the file in between, the error is ErrLocked.
func removeAndClose(path string, f *os.File) error {
	if err := f.Close(); err != nil {
		return err
	}
	err := os.Remove(path)
	switch {
	case errors.Is(err, sharingViolation):
		return ErrLocked
	case errors.Is(err, fs.ErrNotExist): // another process has removed it
		return nil
	}
	return err
}
