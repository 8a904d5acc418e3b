package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/backup"
	"foretell/internal/blob"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// created is the time of the backups, and restored the time of their restores.
var (
	created  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	restored = created.Add(1000 * time.Hour)
)

// place is a database and the stored files of a service.
type place struct {
	backup.ServiceData
	dir string
}

// backends are the pairs of a database and a storage on which a service can run.
var backends = map[string]func(t *testing.T) (database, storage string){
	"SQLite and files": func(t *testing.T) (string, string) {
		t.Helper()
		return filepath.Join(t.TempDir(), "foretell.db"), "file://" + filepath.ToSlash(t.TempDir())
	},
	"PostgreSQL and files": func(t *testing.T) (string, string) {
		t.Helper()
		return testenv.Postgres(t), "file://" + filepath.ToSlash(t.TempDir())
	},
	"PostgreSQL and S3": func(t *testing.T) (string, string) {
		t.Helper()
		return testenv.Postgres(t), testenv.S3(t).String()
	},
}

// open opens a place as a new process would. A schema of 0 is the newest one.
func open(t *testing.T, database, storage string, schema int64) *place {
	t.Helper()
	rows, err := store.OpenVersion(t.Context(), database, schema)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rows.Close() })
	files, err := blob.Open(t.Context(), storage, blob.Options{Process: rows.ProcessName(), TempDir: t.TempDir(), Getenv: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	return &place{ServiceData: backup.ServiceData{Store: rows, Blobs: files}, dir: strings.TrimPrefix(storage, "file://")}
}

// newPlace returns an empty place in temporary folders.
func newPlace(t *testing.T) *place {
	t.Helper()
	database, storage := backends["SQLite and files"](t)
	return open(t, database, storage, 0)
}

// upload adds a dataset with a file, and the account ann if it is missing.
func (p *place) upload(ctx context.Context, key, content string) error {
	w, err := p.Blobs.Create(ctx)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.WriteString(w, content); err != nil {
		return err
	}
	info, err := w.Commit()
	if err != nil {
		return err
	}
	return p.Store.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.GetAccountByKey(ctx, "ann"); errors.Is(err, store.ErrNotFound) {
			account := &store.Account{Key: "ann", Email: "ann@example.com", Quota: store.Quota{Bytes: new(int64(1 << 40))}, Created: created}
			if err := tx.InsertAccount(ctx, account); err != nil {
				return err
			}
		}
		d := &store.Dataset{Key: key, Account: "ann", Name: "näme \"of\" " + key, Status: api.DatasetPending, Buckets: 64, Created: created, Updated: created}
		if err := tx.InsertDataset(ctx, d); err != nil {
			return err
		}
		d.Status, d.File = api.DatasetProcessing, store.File{Blob: info.Key, Bytes: info.Size, SHA256: info.SHA256}
		return tx.UpdateDataset(ctx, d, api.DatasetPending)
	})
}

// remove deletes a dataset and its file.
func (p *place) remove(ctx context.Context, key string) error {
	var blobs []string
	err := p.Store.Write(ctx, func(tx *store.Tx) (err error) {
		blobs, err = tx.DeleteDataset(ctx, "ann", key)
		return err
	})
	if err == nil {
		err = p.Blobs.Delete(ctx, blobs...)
	}
	return err
}

// fill uploads a few datasets.
func (p *place) fill(t *testing.T) {
	t.Helper()
	for i := range 3 {
		if err := p.upload(t.Context(), fmt.Sprintf("d%d", i), strings.Repeat("id,class\n", 100*i+1)); err != nil {
			t.Fatal(err)
		}
	}
}

// contents returns the datasets of ann with the contents of their files.
func (p *place) contents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := p.Store.Read(t.Context(), func(tx *store.Tx) error {
		return tx.EachFile(t.Context(), func(f *store.OwnedFile) error {
			r, err := p.Blobs.OpenVerified(t.Context(), blob.Info{Key: f.Blob, Size: f.Bytes, SHA256: f.SHA256})
			if err != nil {
				return err
			}
			content, err := io.ReadAll(r)
			all[f.Key] = string(content)
			return errors.Join(err, r.Close())
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// write returns a backup of the place and its summary.
func (p *place) write(t *testing.T) ([]byte, *backup.Summary) {
	t.Helper()
	var archive bytes.Buffer
	summary, err := backup.Write(t.Context(), &archive, p.ServiceData, "test", created)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Bytes(), summary
}

// restore restores a backup.
func (p *place) restore(t *testing.T, archive []byte) (*backup.Summary, error) {
	t.Helper()
	return backup.Restore(t.Context(), bytes.NewReader(archive), "", restored, func(backup.Header) (*backup.ServiceData, error) { return &p.ServiceData, nil })
}

// wantEmpty checks that the place has neither rows nor files.
func (p *place) wantEmpty(t *testing.T) {
	t.Helper()
	keys, err := p.Blobs.Keys(t.Context())
	if err != nil || len(keys) > 0 {
		t.Errorf("files are left: %v, %v", keys, err)
	}
	err = p.Store.Read(t.Context(), func(tx *store.Tx) error {
		empty, err := tx.IsEmpty(t.Context())
		if !empty {
			t.Error("rows are left")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// fillAuditLog adds an event, and an event that records the deletion of older events.
func (p *place) fillAuditLog(t *testing.T) {
	t.Helper()
	err := p.Store.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.InsertAuditEvent(t.Context(), &store.AuditEvent{Key: "login", Time: created, Actor: "ann@example.com", Action: "login", Outcome: "done"}),
			tx.InsertAuditEvent(t.Context(), &store.AuditEvent{Key: "expire", Time: created, Actor: "service", Action: "audit.expire", Object: "1", Outcome: "done", ExpiresBefore: created}))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMove restores a backup of each backend into each backend. A backup of the restored service
// must be the same, and its audit log must be protected.
func TestMove(t *testing.T) {
	t.Parallel()
	for from, create := range backends {
		for to, createOther := range backends {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				database, storage := create(t)
				source := open(t, database, storage, 0)
				source.fill(t)
				source.fillAuditLog(t)
				archive, summary := source.write(t)
				if summary.Files != 3 || summary.Rows < 4 || len(summary.Damaged) > 0 {
					t.Errorf("the summary is %+v", summary)
				}
				if _, err := backup.Verify(t.Context(), bytes.NewReader(archive), ""); err != nil {
					t.Error(err)
				}
				database, storage = createOther(t)
				target := open(t, database, storage, summary.Header.Schema)
				if _, err := target.restore(t, archive); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(source.contents(t), target.contents(t)); diff != "" {
					t.Errorf("(-source +target):\n%s", diff)
				}
				again, _ := target.write(t)
				if diff := cmp.Diff(entries(t, archive), entries(t, again)); diff != "" {
					t.Errorf("the backups differ:\n%s", diff)
				}
				_, err := target.restore(t, archive)
				if !errors.Is(err, backup.ErrNotEmpty) {
					t.Errorf("restored twice: %v", err)
				}
				err = target.Store.Write(t.Context(), func(tx *store.Tx) error {
					return tx.DeleteAuditEventsBefore(t.Context(), created.Add(time.Hour), 9)
				})
				if err == nil || !strings.Contains(err.Error(), "only by age") {
					t.Errorf("restored entries of the audit log were deleted: %v", err)
				}
			})
		}
	}
}

// entries returns the contents of an archive.
func entries(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[header.Name] = string(content)
	}
}

// TestDamagedBackup changes a backup in each of its parts, and cuts it at many places. No changed
// backup may be restored, and the unchanged backup must be accepted afterwards.
func TestDamagedBackup(t *testing.T) {
	t.Parallel()
	source, target := newPlace(t), newPlace(t)
	source.fill(t)
	archive, _ := source.write(t)
	check := func(what string, damaged []byte) {
		t.Helper()
		if _, err := target.restore(t, damaged); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := backup.Verify(t.Context(), bytes.NewReader(damaged), ""); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%s, verified: %v", what, err)
		}
		target.wantEmpty(t)
	}
	end := len(bytes.TrimRight(archive, "\x00"))
	for i := 0; i < end; i += 331 { // in headers, contents and padding
		damaged := bytes.Clone(archive)
		damaged[i] ^= 1
		check(fmt.Sprintf("byte %d of %d changed", i, len(archive)), damaged)
	}
	for n := 0; n < end; n += 1021 {
		check(fmt.Sprintf("cut after %d of %d bytes", n, len(archive)), archive[:n])
	}
	check("another archive appended", append(bytes.TrimRight(bytes.Clone(archive), "\x00"), archive...))
	if _, err := target.restore(t, archive); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(source.contents(t), target.contents(t)); diff != "" {
		t.Errorf("(-source +target):\n%s", diff)
	}
}

// TestDamagedFiles backs up a service with a changed and a missing file. The backup must report
// them, and the other files must be restored.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	source, target := newPlace(t), newPlace(t)
	source.fill(t)
	var blobs []string
	err := source.Store.Read(t.Context(), func(tx *store.Tx) error {
		return tx.EachFile(t.Context(), func(f *store.OwnedFile) error {
			blobs = append(blobs, f.Blob)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(source.dir, blobs[0])
	if err := errors.Join(os.WriteFile(path, []byte("id,klass\n"), 0o600), os.Remove(filepath.Join(source.dir, blobs[1]))); err != nil {
		t.Fatal(err)
	}
	archive, summary := source.write(t)
	want := []backup.DamagedFile{
		{Blob: blobs[0], Kind: store.CSVFile, Owner: "d0", Reason: "differs from what was stored"},
		{Blob: blobs[1], Kind: store.CSVFile, Owner: "d1", Reason: "missing"},
	}
	if diff := cmp.Diff(want, summary.Damaged); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	restored, err := target.restore(t, archive)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, restored.Damaged); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	keys, err := target.Blobs.Keys(t.Context())
	if err != nil || len(keys) != 2 {
		t.Errorf("the files are %v, %v", keys, err)
	}
}

// TestBusyService backs up a service while datasets are uploaded and deleted. In the backup, each
// dataset must have its file, and each file its dataset.
func TestBusyService(t *testing.T) {
	t.Parallel()
	for name, create := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database, storage := create(t)
			source, other := open(t, database, storage, 0), open(t, database, storage, 0)
			source.fill(t)
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			var changes atomic.Int64
			go func() {
				var err error
				for n := 0; err == nil && ctx.Err() == nil; n++ {
					err = errors.Join(other.upload(context.WithoutCancel(ctx), fmt.Sprintf("n%d", n), strings.Repeat("id,class\n", n)))
					if n >= 4 && err == nil {
						err = other.remove(context.WithoutCancel(ctx), fmt.Sprintf("n%d", n-4))
					}
					changes.Add(1)
				}
				ended <- err
			}()
			for range 3 {
				for before := changes.Load(); changes.Load() < before+5 && len(ended) == 0; {
					if err := source.Store.Ping(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				archive, summary := source.write(t)
				if len(summary.Damaged) > 0 {
					t.Errorf("damaged: %+v", summary.Damaged)
				}
				target := newPlace(t)
				if _, err := target.restore(t, archive); err != nil {
					t.Fatal(err)
				}
				keys, err := target.Blobs.Keys(t.Context())
				if files := target.contents(t); err != nil || len(files) != len(keys) || len(files) < 3 {
					t.Errorf("%d files of rows, %d stored files, %v", len(files), len(keys), err)
				}
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// hookWriter calls a function before it writes the header of the entry of a stored file.
type hookWriter struct {
	w    io.Writer
	hook func()
}

func (h *hookWriter) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("files/")) {
		h.hook()
	}
	return h.w.Write(p)
}

// TestNeverIdleService backs up a service that stores two files whenever a file is copied, and deletes
// one of the two that it stored before. The backup must end, and it must have all files that still exist
// and no others, except perhaps one in the list of damaged files.
func TestNeverIdleService(t *testing.T) {
	t.Parallel()
	database, storage := backends["SQLite and files"](t)
	source, other := open(t, database, storage, 0), open(t, database, storage, 0)
	source.fill(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var archive bytes.Buffer
	w := &hookWriter{w: &archive, hook: func() {
		if n++; n > 1000 {
			cancel()
			return
		}
		err := errors.Join(other.upload(t.Context(), fmt.Sprintf("keep%d", n), "id\n"), other.upload(t.Context(), fmt.Sprintf("lose%d", n), "id\n"))
		if n > 1 {
			err = errors.Join(err, other.remove(t.Context(), fmt.Sprintf("lose%d", n-1)))
		}
		if err != nil {
			t.Error(err)
		}
	}}
	summary, err := backup.Write(ctx, w, source.ServiceData, "test", created)
	if err != nil {
		t.Fatalf("after %d copied files: %v", n, err)
	}
	if len(summary.Damaged) > 1 {
		t.Errorf("damaged: %+v", summary.Damaged)
	}
	target := newPlace(t)
	if _, err := target.restore(t, archive.Bytes()); err != nil {
		t.Fatal(err)
	}
}

// TestLeftovers restores into a place where an earlier restore was killed and left files without
// rows. The restore must fail and keep these files.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	source, target := newPlace(t), newPlace(t)
	source.fill(t)
	archive, _ := source.write(t)
	w, err := target.Blobs.CreateWithKey(t.Context(), "dead-1")
	if err == nil {
		_, err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.restore(t, archive); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("restored: %v", err)
	}
	if keys, err := target.Blobs.Keys(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("the files are %v, %v", keys, err)
	}
}

// hookReader calls a function before it reads the part of an archive after the first bytes.
type hookReader struct {
	archive io.Reader
	first   int // bytes before the call
	hook    func()
}

func (r *hookReader) Read(p []byte) (int, error) {
	if r.first == 0 && r.hook != nil {
		hook := r.hook
		r.hook = nil
		hook()
	}
	if r.first > 0 {
		p = p[:min(len(p), r.first)]
	}
	n, err := r.archive.Read(p)
	r.first = max(0, r.first-n)
	return n, err
}

// TestRestoreTwice restores a backup while another restore of the same backup into the same place
// succeeds, or fails and deletes its files. No restore may succeed without its files.
func TestRestoreTwice(t *testing.T) {
	t.Parallel()
	const half = 1 << 19 // bytes: half of the file big
	big := strings.Repeat("id,class\n", 2*half/9)
	// newSource returns a place with one large file, and a backup of it.
	newSource := func(t *testing.T) (source *place, archive []byte) {
		t.Helper()
		source = newPlace(t)
		if err := source.upload(t.Context(), "big", big); err != nil {
			t.Fatal(err)
		}
		archive, _ = source.write(t)
		return source, archive
	}
	t.Run("other_succeeds", func(t *testing.T) {
		source, archive := newSource(t)
		database, storage := backends["SQLite and files"](t)
		target := open(t, database, storage, 0)
		r := &hookReader{archive: bytes.NewReader(archive), first: half, hook: func() {
			if _, err := open(t, database, storage, 0).restore(t, archive); err != nil {
				t.Error(err)
			}
		}}
		_, err := backup.Restore(t.Context(), r, "", restored, func(backup.Header) (*backup.ServiceData, error) { return &target.ServiceData, nil })
		if err == nil {
			t.Error("the backup was restored twice")
		}
		if diff := cmp.Diff(source.contents(t), target.contents(t)); diff != "" {
			t.Errorf("(-source +target):\n%s", diff)
		}
	})
	t.Run("other_fails_during_a_file", func(t *testing.T) {
		_, archive := newSource(t)
		database, storage := backends["SQLite and files"](t)
		target := open(t, database, storage, 0)
		r := &hookReader{archive: bytes.NewReader(archive), first: half, hook: func() {
			incomplete, err := filepath.Glob(filepath.Join(target.Blobs.Location(), "*.part"))
			if err != nil || len(incomplete) != 1 {
				t.Fatalf("%v, %v", incomplete, err)
			}
			if err := os.Remove(incomplete[0]); err != nil {
				t.Fatal(err)
			}
		}}
		_, err := backup.Restore(t.Context(), r, "", restored, func(backup.Header) (*backup.ServiceData, error) { return &target.ServiceData, nil })
		if err == nil || !strings.Contains(err.Error(), "do not restore twice at the same time") {
			t.Errorf("the restore without its incomplete file: %v", err)
		}
	})
	t.Run("other_fails", func(t *testing.T) {
		source := newPlace(t)
		source.fill(t)
		if err := source.upload(t.Context(), "later", big); err != nil {
			t.Fatal(err)
		}
		archive, _ := source.write(t)
		target := newPlace(t)
		r := &hookReader{archive: bytes.NewReader(archive), first: half, hook: func() {
			keys, err := target.Blobs.Keys(t.Context())
			if err := errors.Join(err, target.Blobs.Delete(t.Context(), keys...)); err != nil || len(keys) != 3 {
				t.Errorf("%d files were deleted, want 3: %v", len(keys), err)
			}
		}}
		_, err := backup.Restore(t.Context(), r, "", restored, func(backup.Header) (*backup.ServiceData, error) { return &target.ServiceData, nil })
		if err == nil || !strings.Contains(err.Error(), "do not restore twice at the same time") {
			t.Errorf("the restore without its files: %v", err)
		}
		target.wantEmpty(t)
	})
}

// TestRestoreWhereServiceWasStarted restores into a storage on which a service was once started: it
// has an identity, but no files. The identity must not remain, because it is that of the other
// service's database.
func TestRestoreWhereServiceWasStarted(t *testing.T) {
	t.Parallel()
	source, target := newPlace(t), newPlace(t)
	source.fill(t)
	archive, _ := source.write(t)
	if err := target.Blobs.SetIdentity(t.Context(), "an earlier service"); err != nil {
		t.Fatal(err)
	}
	if _, err := target.restore(t, archive); err != nil {
		t.Fatal(err)
	}
	if id, err := target.Blobs.Identity(t.Context()); err != nil || id != "" {
		t.Errorf("the identity is %q, %v", id, err)
	}
	if diff := cmp.Diff(source.contents(t), target.contents(t)); diff != "" {
		t.Errorf("(-source +target):\n%s", diff)
	}
}
