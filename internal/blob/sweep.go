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

// orphans is the folder, within that of the blobs, of those that no row names.
const orphans = "orphans"

// OrphanGrace is how long a blob that no row names is kept before it is removed.
const OrphanGrace = 30 * 24 * time.Hour

// Swept lists the files that a sweep touched, by name.
type Swept struct {
	// Removed are files that a killed process had half written, and orphans
	// whose grace time was over.
	Removed []string
	// Orphaned are blobs that no row names. They were moved to the folder
	// orphans.
	Orphaned []string
	// Returned are orphans that a row names again. They were moved back.
	Returned []string
}

// Sweep puts in order what killed processes and changed databases left: files
// half written are removed, blobs that no row names become orphans, which are
// removed after [OrphanGrace] unless a row names them again by then. Alive
// reports whether a writer still runs, whose files are left alone. Used returns
// the keys that rows name; it is called after the files are listed, so that it
// knows whatever a writer committed before it died.
func (f *Files) Sweep(now time.Time, alive func(writer string) bool, used func() ([]string, error)) (Swept, error) {
	names, err := blobNames(f.dir)
	if err != nil {
		return Swept{}, err
	}
	kept, err := blobNames(f.orphansDir())
	if err != nil {
		return Swept{}, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		writer, _, _ := strings.Cut(name, "-")
		return writer == f.writer || alive(writer)
	})
	keys, err := used()
	if err != nil {
		return Swept{}, err
	}
	named := map[string]bool{}
	for _, key := range keys {
		named[key] = true
	}
	var done Swept
	var errs []error
	for _, name := range kept {
		errs = append(errs, f.sweepOrphan(now, name, named[name], &done))
	}
	for _, name := range names {
		if !named[name] {
			errs = append(errs, f.sweepUnnamed(now, name, &done))
		}
	}
	return done, errors.Join(errs...)
}

// sweepUnnamed removes a file that was half written, and makes any other an
// orphan as of now.
func (f *Files) sweepUnnamed(now time.Time, name string, done *Swept) error {
	path := filepath.Join(f.dir, name)
	if strings.HasSuffix(name, partSuffix) {
		return note(os.Remove(path), name, &done.Removed)
	}
	if err := os.MkdirAll(f.orphansDir(), 0o700); err != nil {
		return err
	}
	if err := os.Chtimes(path, now, now); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // without it the grace time may be over at once
	}
	return note(os.Rename(path, filepath.Join(f.orphansDir(), name)), name, &done.Orphaned)
}

// sweepOrphan takes an orphan back that is named, and removes one whose grace
// time is over.
func (f *Files) sweepOrphan(now time.Time, name string, named bool, done *Swept) error {
	path := filepath.Join(f.orphansDir(), name)
	if named {
		return note(os.Rename(path, filepath.Join(f.dir, name)), name, &done.Returned)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process was here
	}
	if err != nil || now.Sub(info.ModTime()) < OrphanGrace {
		return err
	}
	return note(os.Remove(path), name, &done.Removed)
}

// note adds the name to the list unless there was an error. A file that is gone
// was swept by another process.
func note(err error, name string, list *[]string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		*list = append(*list, name)
	}
	return err
}

func (f *Files) orphansDir() string { return filepath.Join(f.dir, orphans) }

// blobNames lists the files of a folder that are named as blobs are, the
// half-written ones too; none if there is no such folder.
func blobNames(dir string) ([]string, error) {
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
