package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// orphansFolder is the name of the subfolder for blobs that no row references.
const orphansFolder = "orphans"

// folder stores blobs as files. A blob is written to a file NAME.part, synced, and
// renamed to NAME.
type folder struct {
	dir, process string
}

func openFolder(dir, process string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &folder{dir: dir, process: process}, nil
}

// Location returns the path of the folder.
func (f *folder) Location() string { return f.dir }

func (f *folder) path(name string) string       { return filepath.Join(f.dir, name) }
func (f *folder) orphanPath(name string) string { return filepath.Join(f.dir, orphansFolder, name) }

// Blobs do not fill the disk completely, because the database needs space even to delete rows. The
// space that they leave is 1/reservedDiskDivisor of the disk, but at most maxReservedBytes.
const (
	maxReservedBytes    = 16 << 20
	reservedDiskDivisor = 8
	// spaceCheckInterval is the number of bytes written between two checks of the
	// free space.
	spaceCheckInterval = 1 << 20
)

// checkSpace returns ErrDiskFull if the free space of the disk of dir is not larger than the space
// reserved for the database. It returns nil if the free space is unknown.
func checkSpace(dir string) error {
	free, total, err := DiskSpace(dir)
	if err != nil || free > min(maxReservedBytes, total/reservedDiskDivisor) {
		return nil //nolint:nilerr // unknown free space is not an error
	}
	return fmt.Errorf("%w: the last %d free bytes are reserved for the database", ErrDiskFull, free)
}

// fileSink writes one file.
type fileSink struct {
	file                 *os.File
	incompletePath, path string // paths of the file before and after the commit
	size, nextCheck      int64  // nextCheck is the size at which the free space is checked next
}

func (f *folder) create(_ context.Context, name string) (sink, error) {
	path := f.path(name)
	part := path + incompleteSuffix
	if name == identityName { // several processes may write the identity
		part = path + "." + f.process + incompleteSuffix
	}
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, wrapDiskFull(err)
	}
	return &fileSink{file: file, incompletePath: part, path: path}, nil
}

func (s *fileSink) Write(p []byte) (int, error) {
	if s.size >= s.nextCheck {
		s.nextCheck += spaceCheckInterval
		if err := checkSpace(filepath.Dir(s.path)); err != nil {
			return 0, err
		}
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	return n, wrapDiskFull(err)
}

func (s *fileSink) commit() error {
	err := errors.Join(wrapDiskFull(s.file.Sync()), wrapDiskFull(s.file.Close()))
	if err == nil {
		err = os.Rename(s.incompletePath, s.path)
	}
	if err == nil {
		syncFolder(filepath.Dir(s.path))
	}
	return err
}

func (s *fileSink) abort() (left []listedBlob, err error) {
	s.file.Close() // may have been closed by a commit that failed
	err = os.Remove(s.incompletePath)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return []listedBlob{{name: filepath.Base(s.incompletePath), incomplete: true}}, err
}

func (f *folder) open(_ context.Context, name string) (*Reader, error) {
	file, err := os.Open(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		file, err = os.Open(f.orphanPath(name)) // an orphan may be referenced again before it is restored
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, name)
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

func (f *folder) remove(_ context.Context, name string) error {
	err := os.Remove(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(f.orphanPath(name))
	}
	return wrapNotFound(err)
}

func (f *folder) discard(_ context.Context, e listedBlob) error {
	if e.incomplete {
		return wrapNotFound(os.Remove(f.path(e.name)))
	}
	return wrapNotFound(os.Remove(f.orphanPath(e.name)))
}

// setOrphan moves the file to the folder of orphans. It sets the modification time of the file to
// now. eachBatch later reports this time as the time when the blob became an orphan.
func (f *folder) setOrphan(_ context.Context, name string, now time.Time) error {
	if err := os.MkdirAll(f.orphanPath(""), 0o700); err != nil {
		return err
	}
	if err := os.Chtimes(f.path(name), now, now); err != nil {
		return wrapNotFound(err) // the file is not moved: as an orphan with its old modification time, it might be removed at once
	}
	return wrapNotFound(os.Rename(f.path(name), f.orphanPath(name)))
}

func (f *folder) unsetOrphan(_ context.Context, name string) error {
	return wrapNotFound(os.Rename(f.orphanPath(name), f.path(name)))
}

// eachBatch calls fn once, with all blobs.
func (f *folder) eachBatch(_ context.Context, fn func([]listedBlob) error) error {
	entries, err := f.listBlobs()
	if err != nil {
		return err
	}
	return fn(entries)
}

func (f *folder) listBlobs() ([]listedBlob, error) {
	blobs, err := listFolder(f.dir)
	if err != nil {
		return nil, err
	}
	orphans, err := listFolder(f.orphanPath(""))
	var entries []listedBlob
	for _, info := range blobs {
		entries = append(entries, listedBlob{name: info.Name(), size: info.Size(), incomplete: strings.HasSuffix(info.Name(), incompleteSuffix)})
	}
	for _, info := range orphans {
		entries = append(entries, listedBlob{name: info.Name(), size: info.Size(), orphaned: info.ModTime()})
	}
	return entries, err
}

// listFolder returns the blobs in a folder, including incomplete blobs. It returns nil if the
// folder does not exist.
func listFolder(dir string) ([]fs.FileInfo, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var infos []fs.FileInfo
	for _, file := range files {
		if !strings.Contains(file.Name(), "-") || !file.Type().IsRegular() {
			continue
		}
		info, err := file.Info()
		if err != nil {
			continue // removed by another process
		}
		infos = append(infos, info)
	}
	return infos, err
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

// wrapNotFound wraps err in ErrNotFound if it means that a file is missing.
func wrapNotFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
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
