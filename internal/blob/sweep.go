package blob

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// orphansFolder is the name of the subfolder for blobs that no row references.
const orphansFolder = "orphans"

// OrphanGrace is how long an orphan is kept before it is removed.
const OrphanGrace = 30 * 24 * time.Hour

// SweepResult lists the names of the files that a sweep removed or moved.
type SweepResult struct {
	// Removed are incomplete files of dead processes, and orphans older than
	// OrphanGrace.
	Removed []string
	// Orphaned are blobs that no row references. They were moved to the subfolder
	// orphans.
	Orphaned []string
	// Restored are orphans that a row references again. They were moved back.
	Restored []string
}

// Sweep cleans up after dead processes and replaced databases. It removes
// incomplete files, makes orphans of blobs that no row references, and removes
// orphans after [OrphanGrace] unless a row references them again.
//
// isAlive reports whether the process of that name is running. Its files are left
// alone. listReferenced returns the keys that rows reference. Sweep calls it
// after listing the files, so that the keys include those that a process
// committed before it died.
func (f *Files) Sweep(now time.Time, isAlive func(writer string) bool, listReferenced func() ([]string, error)) (SweepResult, error) {
	names, err := listBlobFiles(f.dir)
	if err != nil {
		return SweepResult{}, err
	}
	orphans, err := listBlobFiles(f.orphansDir())
	if err != nil {
		return SweepResult{}, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		writer, _, _ := strings.Cut(name, "-")
		return writer == f.process || isAlive(writer)
	})
	keys, err := listReferenced()
	if err != nil {
		return SweepResult{}, err
	}
	referenced := map[string]bool{}
	for _, key := range keys {
		referenced[key] = true
	}
	var result SweepResult
	var errs []error
	for _, name := range orphans {
		errs = append(errs, f.sweepOrphan(now, name, referenced[name], &result))
	}
	for _, name := range names {
		if !referenced[name] {
			errs = append(errs, f.sweepUnreferenced(now, name, &result))
		}
	}
	return result, errors.Join(errs...)
}

// sweepUnreferenced removes an incomplete file. It makes any other file an
// orphan, whose grace period begins now.
func (f *Files) sweepUnreferenced(now time.Time, name string, result *SweepResult) error {
	path := filepath.Join(f.dir, name)
	if strings.HasSuffix(name, partSuffix) {
		return recordSwept(os.Remove(path), name, &result.Removed)
	}
	if err := os.MkdirAll(f.orphansDir(), 0o700); err != nil {
		return err
	}
	if err := os.Chtimes(path, now, now); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // with its old time, the orphan might be removed at once
	}
	return recordSwept(os.Rename(path, filepath.Join(f.orphansDir(), name)), name, &result.Orphaned)
}

// sweepOrphan restores an orphan that is referenced, and removes one whose
// grace period is over.
func (f *Files) sweepOrphan(now time.Time, name string, referenced bool, result *SweepResult) error {
	path := filepath.Join(f.orphansDir(), name)
	if referenced {
		return recordSwept(os.Rename(path, filepath.Join(f.dir, name)), name, &result.Restored)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed by another process
	}
	if err != nil || now.Sub(info.ModTime()) < OrphanGrace {
		return err
	}
	return recordSwept(os.Remove(path), name, &result.Removed)
}

// recordSwept appends name to list unless there was an error. It ignores a
// missing file, which another process has swept.
func recordSwept(err error, name string, list *[]string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		*list = append(*list, name)
	}
	return err
}

func (f *Files) orphansDir() string { return filepath.Join(f.dir, orphansFolder) }

// listBlobFiles returns the names of the blobs in a folder, including incomplete
// ones; none if the folder does not exist.
func listBlobFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if strings.Contains(e.Name(), "-") && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, err
}
