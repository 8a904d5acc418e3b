package blob

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// identityFile, in the folder of the blobs, holds the identity of the folder.
const identityFile = "folder.id"

// Identity returns what [Files.SetIdentity] wrote last; empty if nothing was.
func (f *Files) Identity() (string, error) {
	b, err := os.ReadFile(filepath.Join(f.dir, identityFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// SetIdentity writes the identity of the folder, which tells whether a
// database belongs to it.
func (f *Files) SetIdentity(id string) error {
	path := filepath.Join(f.dir, identityFile)
	part := path + "." + f.writer + partSuffix
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return full(err)
	}
	_, err = file.WriteString(id + "\n")
	if err = errors.Join(full(err), full(file.Sync()), file.Close()); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	syncFolder(f.dir)
	return nil
}

// Orphans returns how many orphans there are and their size in bytes.
func (f *Files) Orphans() (count int, bytes int64, err error) {
	names, err := blobNames(f.orphansDir())
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(f.orphansDir(), name)); err == nil {
			count++
			bytes += info.Size()
		}
	}
	return count, bytes, err
}

// Keys lists the blobs that are there, orphans too.
func (f *Files) Keys() ([]string, error) {
	var keys []string
	for _, dir := range []string{f.dir, f.orphansDir()} {
		names, err := blobNames(dir)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if !strings.HasSuffix(name, partSuffix) {
				keys = append(keys, name)
			}
		}
	}
	return keys, nil
}
