package blob

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// identityFile, in the folder of the blobs, holds the identity of the folder.
const identityFile = "folder.id"

// Folder returns the path of the folder.
func (f *Files) Folder() string { return f.dir }

// Identity returns the identity set by [Files.SetIdentity]. It is empty if none
// was set.
func (f *Files) Identity() (string, error) {
	b, err := os.ReadFile(filepath.Join(f.dir, identityFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// SetIdentity writes the identity of the folder. The database stores the same
// identity, which shows that both belong together.
func (f *Files) SetIdentity(id string) error {
	path := filepath.Join(f.dir, identityFile)
	part := path + "." + f.process + partSuffix
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return wrapDiskFull(err)
	}
	_, err = file.WriteString(id + "\n")
	if err = errors.Join(wrapDiskFull(err), wrapDiskFull(file.Sync()), file.Close()); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	syncFolder(f.dir)
	return nil
}

// Orphans describes the blobs that no row references.
type Orphans struct {
	Count int
	Bytes int64
	// Oldest is when the first of them became an orphan; zero if Count is 0.
	Oldest time.Time
}

// Orphans returns the number and size of the orphans.
func (f *Files) Orphans() (Orphans, error) {
	var o Orphans
	names, err := listBlobFiles(f.orphansDir())
	for _, name := range names {
		info, err := os.Stat(filepath.Join(f.orphansDir(), name))
		if err != nil {
			continue // removed by another process
		}
		o.Count++
		o.Bytes += info.Size()
		if o.Oldest.IsZero() || info.ModTime().Before(o.Oldest) {
			o.Oldest = info.ModTime()
		}
	}
	return o, err
}

// Keys returns the keys of all committed blobs, including orphans.
func (f *Files) Keys() ([]string, error) {
	var keys []string
	for _, dir := range []string{f.dir, f.orphansDir()} {
		names, err := listBlobFiles(dir)
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
