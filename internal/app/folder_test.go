package app_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/testenv"
)

// databaseFiles are the files of the database in a folder.
func databaseFiles(t *testing.T, dir string) []string {
	t.Helper()
	return must(filepath.Glob(filepath.Join(dir, "foretell.db*")))(t)
}

func copyFiles(t *testing.T, to string, paths []string) {
	t.Helper()
	for _, path := range paths {
		content := must(os.ReadFile(path))(t)
		if err := os.WriteFile(filepath.Join(to, filepath.Base(path)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func removeFiles(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// folder is a closed data folder with a race, and a backup of the database from
// before the race.
type folder struct {
	dir, backup string
	race        *api.Training
	files       []string
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	f := &folder{dir: t.TempDir(), backup: t.TempDir()}
	b, closeAll, err := openIn(t.Context(), f.dir, appOptions{log: io.Discard, now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	stop := b.work(t)
	d := b.prepared(t, "flowers", labelled(300))
	stop()
	closeAll()
	copyFiles(t, f.backup, databaseFiles(t, f.dir))

	b, closeAll, err = openIn(t.Context(), f.dir, appOptions{log: io.Discard, now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	stop = b.work(t)
	f.race = b.awaitTraining(t, must(b.CreateTraining(b.ctx, newRace(d.DatasetKey, 0.8)))(t).TrainingJobKey)
	f.files = b.files(t)
	stop()
	closeAll()
	if len(f.files) != 2 {
		t.Fatalf("the folder has the files %v", f.files)
	}
	return f
}

// left returns the names of the files in the folder, including orphans.
func (f *folder) left(t *testing.T) []string {
	t.Helper()
	b := &testApp{dir: f.dir}
	left := b.files(t)
	entries, err := os.ReadDir(filepath.Join(f.dir, "blobs", "orphans"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	slices.Sort(left)
	return left
}

func (f *folder) wantAll(t *testing.T) {
	t.Helper()
	if left := f.left(t); !slices.Equal(left, f.files) {
		t.Errorf("of the files %v there are %v", f.files, left)
	}
}

// run opens the folder, runs a job while leftover files are removed, calls with, and
// closes the folder.
func (f *folder) run(t *testing.T, h appOptions, with func(b *testApp)) {
	t.Helper()
	h.now = time.Now
	if h.log == nil {
		h.log = io.Discard
	}
	b, closeAll, err := openIn(t.Context(), f.dir, h)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	stop := b.work(t)
	b.awaitDataset(t, b.createdWith(t))
	eventually(t, func() (*blob.Orphans, error) { return b.OrphansAfterSweep(), nil }, func(swept *blob.Orphans) bool { return swept != nil })
	stop() // the job deletes its file after it has ended
	with(b)
}

// createdWith creates a dataset whose preparation fails, and returns its key.
func (a *testApp) createdWith(t *testing.T) string {
	t.Helper()
	key := a.create(t, "sweep-"+time.Now().Format("150405.000000")).DatasetKey
	a.add(t, key, "not a table of anything")
	return key
}

func TestNewDatabaseRejectsOldFiles(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testing.T, *folder){
		"removed": func(t *testing.T, f *folder) {
			t.Helper()
			removeFiles(t, databaseFiles(t, f.dir))
		},
		"emptied": func(t *testing.T, f *folder) {
			t.Helper()
			if err := os.Truncate(filepath.Join(f.dir, "foretell.db"), 0); err != nil {
				t.Fatal(err)
			}
		},
		"of another folder": func(t *testing.T, f *folder) {
			t.Helper()
			removeFiles(t, databaseFiles(t, f.dir))
			copyFiles(t, f.dir, databaseFiles(t, newFolder(t).dir))
		},
		"of a release that wrote no identity": func(t *testing.T, f *folder) {
			t.Helper()
			removeFiles(t, databaseFiles(t, f.dir))
			removeFiles(t, []string{filepath.Join(f.dir, "blobs", "folder.id")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			saved := t.TempDir()
			copyFiles(t, saved, databaseFiles(t, f.dir))
			damage(t, f)
			for range 2 { // the first attempt must not make the second succeed
				if _, _, err := openIn(t.Context(), f.dir, appOptions{log: io.Discard, now: time.Now}); !errors.Is(err, storedfile.ErrMismatch) {
					t.Fatalf("error %v, want %v", err, storedfile.ErrMismatch)
				}
			}
			f.wantAll(t)

			f.run(t, appOptions{accept: true}, func(*testApp) {})
			f.wantAll(t)

			removeFiles(t, databaseFiles(t, f.dir))
			copyFiles(t, f.dir, databaseFiles(t, saved))
			f.run(t, appOptions{accept: name == "of another folder" || name == "of a release that wrote no identity"}, func(b *testApp) {
				must(b.DownloadModel(b.ctx, &api.ModelInput{ModelKey: f.race.ModelKey}))(t).Close()
			})
			f.wantAll(t)
		})
	}
}

func TestOlderDatabaseKeepsNewerFiles(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	saved := t.TempDir()
	copyFiles(t, saved, databaseFiles(t, f.dir))
	removeFiles(t, databaseFiles(t, f.dir))
	copyFiles(t, f.dir, databaseFiles(t, f.backup))
	f.run(t, appOptions{}, func(b *testApp) {
		_, err := b.GetModel(b.ctx, &api.ModelInput{ModelKey: f.race.ModelKey})
		wantCode(t, err, api.CodeNotFound)
		b.awaitFiles(t, 1) // the sweep has moved the others to the orphans
	})
	f.wantAll(t)

	removeFiles(t, databaseFiles(t, f.dir))
	copyFiles(t, f.dir, databaseFiles(t, saved))
	f.run(t, appOptions{}, func(b *testApp) {
		must(b.DownloadModel(b.ctx, &api.ModelInput{ModelKey: f.race.ModelKey}))(t).Close()
		b.awaitFiles(t, 2) // the sweep has restored the orphans
	})
}

func TestFilesMissing(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	if err := os.RemoveAll(filepath.Join(f.dir, "blobs")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openIn(t.Context(), f.dir, appOptions{log: io.Discard, now: time.Now}); !errors.Is(err, storedfile.ErrMismatch) {
		t.Errorf("error %v, want %v", err, storedfile.ErrMismatch)
	}
}

// TestOtherStorage opens a database with another folder than the one with its files.
func TestOtherStorage(t *testing.T) {
	t.Parallel()
	for _, server := range []bool{false, true} {
		t.Run(fmt.Sprintf("server=%t", server), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			first := appOptions{log: io.Discard, now: time.Now}
			if server {
				first.database = testenv.Postgres(t)
			}
			second := first
			second.storage = "file://" + filepath.ToSlash(filepath.Join(dir, "storage"))
			start := func(opts appOptions, want error) {
				t.Helper()
				b, closeAll, err := openIn(t.Context(), dir, opts)
				if !errors.Is(err, want) || want == nil && err != nil {
					t.Fatalf("storage %q: error %v, want %v", opts.storage, err, want)
				}
				if err == nil {
					b.add(t, b.create(t, rand.Text()).DatasetKey, labelled(300))
					closeAll()
				}
			}
			start(first, nil)
			// The files are moved to the storage and back by hand: all but folder.id are copied.
			files := storedFiles(t, filepath.Join(dir, "blobs"))
			start(second, storedfile.ErrFilesGone)
			copyFiles(t, filepath.Join(dir, "storage"), files)
			start(second, nil)
			start(first, storedfile.ErrOtherStorage)
			start(second, nil)
			removeFiles(t, append(files, filepath.Join(dir, "blobs", "folder.id")))
			start(first, storedfile.ErrOtherStorage)
			copyFiles(t, filepath.Join(dir, "blobs"), storedFiles(t, filepath.Join(dir, "storage")))
			start(first, nil)
			start(second, storedfile.ErrMismatch)
			start(first, nil)

			second.accept = true
			start(second, nil)
			start(first, storedfile.ErrOtherStorage)
			second.accept = false
			start(second, nil)
		})
	}
}

// TestStorageOfEarlierVersion opens a database and two folders that all have the same identity, as
// earlier versions stored it. The folder blobs has no files.
func TestStorageOfEarlierVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	local := appOptions{log: io.Discard, now: time.Now, database: testenv.Postgres(t)}
	named := local
	named.storage = "file://" + filepath.ToSlash(filepath.Join(dir, "storage"))
	b, closeAll, err := openIn(t.Context(), dir, local)
	if err != nil {
		t.Fatal(err)
	}
	b.add(t, b.create(t, "flowers").DatasetKey, labelled(300))
	closeAll()
	if err := os.CopyFS(filepath.Join(dir, "storage"), os.DirFS(filepath.Join(dir, "blobs"))); err != nil {
		t.Fatal(err)
	}
	removeFiles(t, storedFiles(t, filepath.Join(dir, "blobs")))
	if _, _, err := openIn(t.Context(), dir, local); !errors.Is(err, storedfile.ErrFilesGone) {
		t.Errorf("without files: error %v, want %v", err, storedfile.ErrFilesGone)
	}

	errs := make(chan error)
	const processes = 3
	for range processes {
		go func() {
			_, closeAll, err := openIn(t.Context(), dir, named)
			if err == nil {
				closeAll()
			}
			errs <- err
		}()
	}
	for range processes {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if _, _, err := openIn(t.Context(), dir, local); !errors.Is(err, storedfile.ErrOtherStorage) {
		t.Errorf("without the storage: error %v, want %v", err, storedfile.ErrOtherStorage)
	}
}

// storedFiles returns the paths of the stored files in a folder, without folder.id.
func storedFiles(t *testing.T, folder string) []string {
	t.Helper()
	return must(filepath.Glob(filepath.Join(folder, "*-*")))(t)
}

func TestWALWithoutDatabase(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	path := filepath.Join(f.dir, "foretell.db")
	if err := errors.Join(os.WriteFile(path+"-wal", []byte("committed"), 0o600), os.Truncate(path, 0)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openIn(t.Context(), f.dir, appOptions{log: io.Discard, now: time.Now}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("error %v, want %v", err, store.ErrCorrupt)
	}
	if b := must(os.ReadFile(path + "-wal"))(t); string(b) != "committed" {
		t.Error("the log was changed")
	}
}

func TestTruncatedDatabase(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	path := filepath.Join(f.dir, "foretell.db")
	if err := os.Truncate(path, must(os.Stat(path))(t).Size()/2); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openIn(t.Context(), f.dir, appOptions{log: io.Discard, now: time.Now}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("error %v, want %v", err, store.ErrCorrupt)
	}
	f.wantAll(t)
}

// TestStartsAtOnce checks that processes that start at the same time on a new database
// and a new S3 store set one identity.
func TestStartsAtOnce(t *testing.T) {
	t.Parallel()
	for range 10 {
		dir := t.TempDir()
		opts := appOptions{log: io.Discard, now: time.Now, storage: testenv.S3(t).String()}
		var starts sync.WaitGroup
		for range 4 {
			starts.Go(func() {
				_, closeAll, err := openIn(t.Context(), dir, opts)
				if err != nil {
					t.Error(err)
					return
				}
				t.Cleanup(closeAll)
			})
		}
		starts.Wait()
		_, closeAll, err := openIn(t.Context(), dir, opts)
		if err != nil {
			t.Fatalf("a later start: %v", err)
		}
		closeAll()
	}
}
