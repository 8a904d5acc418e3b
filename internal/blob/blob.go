// Package blob stores files that are too large for a database row: uploaded CSV
// files, models, results. A blob is written atomically, and then only read or
// deleted.
//
//	Create → Write … → Commit   fsync, then rename to its final name
//	                 → Abort    removes the file
//
// A key begins with the name of the process that wrote the blob. Therefore
// [Files.Sweep] can distinguish the leftovers of a dead process from the new
// files of a running one.
package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The errors that callers handle. Test with errors.Is.
var (
	ErrNotFound   = errors.New("no such blob")
	ErrDiskFull   = errors.New("no space left for blobs")
	ErrInvalidKey = errors.New("invalid blob key")
)

// partSuffix marks a file that is being written.
const partSuffix = ".part"

// Files stores blobs as files in a folder. It is safe for concurrent use, and
// several processes may share the folder.
type Files struct {
	dir, process string
}

// Open opens the folder and creates it if missing. The keys of new blobs begin
// with process, the name of this process, which must consist of lower-case
// letters and digits.
func Open(dir, process string) (*Files, error) {
	if !isAlphanumeric(process) {
		return nil, fmt.Errorf("%w: process name %q", ErrInvalidKey, process)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Files{dir: dir, process: process}, nil
}

// Info describes a blob.
type Info struct {
	Key    string
	Size   int64
	SHA256 string // in hex
}

// reserveBytes of the disk are left free for the database, which needs space
// even to delete blobs. On a small disk it is 1/reserveShare of the disk.
const (
	reserveBytes = 16 << 20
	reserveShare = 8
	// spaceCheckInterval is the number of bytes written between two checks of the
	// free space.
	spaceCheckInterval = 1 << 20
)

// checkSpace returns ErrDiskFull if no more than the reserve is free. It returns
// nil if the free space is unknown.
func (f *Files) checkSpace() error {
	free, total, err := DiskSpace(f.dir)
	if err != nil || free > min(reserveBytes, total/reserveShare) {
		return nil //nolint:nilerr // unknown free space is not an error
	}
	return fmt.Errorf("%w: only %d bytes are free, which are reserved for the database", ErrDiskFull, free)
}

// Writer writes one blob.
type Writer struct {
	files     *Files
	nextCheck int64 // the size at which the free space is checked next
	ctx       context.Context
	file      *os.File
	path      string
	info      Info
	sum       hash.Hash
	done      bool
}

// Create returns a writer of a new blob. The caller must call Commit or Abort.
// Writes fail once ctx is done.
func (f *Files) Create(ctx context.Context) (*Writer, error) {
	key := f.process + "-" + strings.ToLower(rand.Text())
	path := filepath.Join(f.dir, key)
	file, err := os.OpenFile(path+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, wrapDiskFull(err)
	}
	return &Writer{files: f, ctx: ctx, file: file, path: path, info: Info{Key: key}, sum: sha256.New()}, nil
}

// Write appends to the blob. It returns ErrDiskFull if the disk is full.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	if w.info.Size >= w.nextCheck {
		w.nextCheck += spaceCheckInterval
		if err := w.files.checkSpace(); err != nil {
			return 0, err
		}
	}
	n, err := w.file.Write(p)
	w.sum.Write(p[:n])
	w.info.Size += int64(n)
	return n, wrapDiskFull(err)
}

// Commit makes the blob durable and visible under its key.
func (w *Writer) Commit() (Info, error) {
	err := errors.Join(w.ctx.Err(), wrapDiskFull(w.file.Sync()), wrapDiskFull(w.file.Close()))
	if err == nil {
		err = os.Rename(w.path+partSuffix, w.path)
	}
	if err != nil {
		w.Abort()
		return Info{}, err
	}
	w.done = true
	syncFolder(filepath.Dir(w.path))
	w.info.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	return w.info, nil
}

// Abort removes the blob unless it was committed. It may be called more than
// once. A file that it cannot remove is left for Sweep.
func (w *Writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	w.file.Close()
	_ = os.Remove(w.path + partSuffix)
}

// Reader reads one blob. It can seek.
type Reader struct {
	io.ReadSeekCloser
	Size    int64
	ModTime time.Time
}

// Open opens a blob for reading.
func (f *Files) Open(_ context.Context, key string) (*Reader, error) {
	path, err := f.blobPath(key)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = os.Open(filepath.Join(f.dir, orphansFolder, key)) // an orphan that no sweep has restored yet
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, key)
	}
	if err != nil {
		return nil, err
	}
	stat, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Reader{ReadSeekCloser: file, Size: stat.Size(), ModTime: stat.ModTime()}, nil
}

// Delete removes blobs. It is not an error if one does not exist.
func (f *Files) Delete(_ context.Context, keys ...string) error {
	var errs []error
	for _, key := range keys {
		path, err := f.blobPath(key)
		if err == nil {
			err = os.Remove(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(filepath.Join(f.dir, orphansFolder, key))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// blobPath returns the path of a blob. It returns ErrInvalidKey for a key that
// Create cannot have returned, so that no key leads out of the folder.
func (f *Files) blobPath(key string) (string, error) {
	writer, name, ok := strings.Cut(key, "-")
	if !ok || !isAlphanumeric(writer) || !isAlphanumeric(name) {
		return "", fmt.Errorf("%w: %q", ErrInvalidKey, key)
	}
	return filepath.Join(f.dir, key), nil
}

// isAlphanumeric reports whether s is one or more lower-case letters and digits.
func isAlphanumeric(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// wrapDiskFull wraps err in ErrDiskFull if it means that the disk is full.
func wrapDiskFull(err error) error {
	for _, e := range diskFullErrors {
		if errors.Is(err, e) {
			return fmt.Errorf("%w: %w", ErrDiskFull, err)
		}
	}
	return err
}

// syncFolder makes a rename survive a power failure, if the system can sync
// folders.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
