package filelock

import (
	"errors"
	"os"
	"syscall"
)

// sharingViolation is the error code of Windows for a file that another process has
// opened.
const sharingViolation = syscall.Errno(32)

// TryLock opens the file exclusively. It returns ErrLocked if another process
// has opened it. The lock is released when the file is closed or the process
// ends.
func TryLock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}
