package preparation

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/problem"
	"foretell/internal/store"
	"foretell/internal/storedfile"
)

// TestLockedDatabase holds the lock of the SQLite database while a dataset is prepared, for longer than
// a statement waits for the lock. The dataset must be COMPLETED when the lock is free again.
func TestLockedDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("statements wait ten seconds for the lock")
	}
	t.Parallel()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "foretell.db")
	rows, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rows.Close() })
	delayed := make(logLines, 100)
	p, r := newPreparation(t, rows, slog.New(slog.NewTextHandler(delayed, nil)))

	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- p.Prepare(ctx, r) }()
	select {
	case line := <-delayed:
		if !strings.Contains(line, "cannot store the result of a job") {
			t.Errorf("the log says %q", line)
		}
	case err := <-done:
		t.Fatalf("the preparation ended while the database was locked: %v", err)
	}
	if _, err := db.ExecContext(ctx, "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if d, err := p.findDataset(ctx, "a", "d"); err != nil || d.Status != api.DatasetCompleted || d.Rows != 40 {
		t.Errorf("%v, the dataset is %+v", err, d)
	}
}

// newPreparation returns a Preparer, and the running job of a dataset whose CSV has 40 rows.
func newPreparation(t *testing.T, rows *store.Store, log *slog.Logger) (*Preparer, *job.RunningJob) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	blobs, err := blob.Open(ctx, "file://"+filepath.ToSlash(t.TempDir()), blob.Options{Process: rows.ProcessName(), TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	files := storedfile.New(storedfile.Config{Store: rows, Blobs: blobs, Now: time.Now, Rand: rand.Reader, Log: log})
	queue := jobqueue.New(jobqueue.Config{Store: rows, Now: time.Now, Rand: rand.Reader, Log: log})
	d := &store.Dataset{Key: "d", Account: "a", Name: "numbers", Status: api.DatasetPending, Created: now, Updated: now}
	prepared := *d
	prepared.Status, prepared.File = api.DatasetProcessing, writeCSV(t, files)
	err = rows.Write(ctx, func(tx *store.Tx) error {
		for _, write := range []func() error{
			func() error { return tx.InsertAccount(ctx, &store.Account{Key: "a", Email: "a@b", Created: now}) },
			func() error { return tx.InsertDataset(ctx, d) },
			func() error { return tx.UpdateDataset(ctx, &prepared, api.DatasetPending) },
			func() error {
				return queue.Insert(ctx, tx, &store.Job{Account: "a", Kind: jobqueue.Prepare, Subject: "d"})
			},
		} {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := rows.ClaimJob(ctx, store.JobClaim{Kind: jobqueue.Prepare, Now: now, Until: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	p := New(Config{Store: rows, Files: files, Queue: queue, Problems: problem.New(problem.Config{Log: log}), Now: time.Now})
	return p, &job.RunningJob{Job: job.Job{Key: claimed.Key, Account: "a", Kind: jobqueue.Prepare, Subject: "d"}}
}

// writeCSV stores a CSV of 40 rows.
func writeCSV(t *testing.T, files *storedfile.Files) store.File {
	t.Helper()
	w, err := files.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	var csv strings.Builder
	csv.WriteString("ID,length,kind\n")
	for i := range 40 {
		fmt.Fprintf(&csv, "r%d,%d,%s\n", i, i%7, []string{"long", "short"}[i%2])
	}
	if _, err := io.WriteString(w, csv.String()); err != nil {
		t.Fatal(err)
	}
	info, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return storedfile.FromInfo(info)
}

// logLines receives the lines of a log.
type logLines chan string

func (l logLines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
