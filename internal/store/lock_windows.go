package store

import (
	"errors"
	"os"
	"syscall"
)

// sharingViolation is what Windows says when another process has the file.
const sharingViolation = syscall.Errno(32)

// tryLock opens the file for this process alone, or says errHeld. The lock
// ends with Close or with the process, however that dies.
func tryLock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, errHeld
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}
