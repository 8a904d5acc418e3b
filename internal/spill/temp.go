package spill

import (
	"errors"
	"io/fs"
	"os"
)

// TempFile is a temporary file that disappears when it is closed or its process ends. On systems
// that cannot remove open files, the file of a killed process remains until [Sweep] removes it.
type TempFile struct {
	*os.File
	name string // the name that Close must remove; "" if the file has no name any more
}

// CreateTemp creates a file in the folder dir, which must exist. If dir is "", it is the system's
// folder for temporary files.
func CreateTemp(dir string) (*TempFile, error) {
	file, err := os.CreateTemp(dir, namePrefix+"*")
	if err != nil {
		return nil, err
	}
	t := &TempFile{File: file}
	if err := os.Remove(file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.name = file.Name() // this system cannot remove open files, so Close removes the file
	}
	return t, nil
}

// Close frees the space of the file.
func (t *TempFile) Close() error {
	err := t.File.Close()
	if t.name != "" {
		err = errors.Join(err, os.Remove(t.name))
	}
	return err
}
