package jobqueue

import (
	"crypto/rand"
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// TestLockedDatabase holds the lock of the SQLite database while Finish stores the result of a job, for
// longer than a statement waits for the lock. The result must be stored when the lock is free again.
func TestLockedDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("statements wait ten seconds for the lock")
	}
	t.Parallel()
	ctx, now := t.Context(), time.Now()
	path := filepath.Join(t.TempDir(), "foretell.db")
	rows, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rows.Close() })
	delayed := make(logLines, 100)
	q := New(Config{Store: rows, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.NewTextHandler(delayed, nil))})
	dataset := &store.Dataset{Key: "d", Account: "a", Name: "numbers", Status: api.DatasetProcessing, Created: now, Updated: now}
	err = rows.Write(ctx, func(tx *store.Tx) error {
		if err := tx.InsertAccount(ctx, &store.Account{Key: "a", Email: "a@b", Created: now}); err != nil {
			return err
		}
		if err := tx.InsertDataset(ctx, dataset); err != nil {
			return err
		}
		return q.Insert(ctx, tx, &store.Job{Account: "a", Kind: Prepare, Subject: "d"})
	})
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := rows.ClaimJob(ctx, store.JobClaim{Kind: Prepare, Now: now, Until: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}

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
	go func() {
		prepared := *dataset
		prepared.Status = api.DatasetCompleted
		done <- q.Finish(ctx, &job.Job{Key: claimed.Key, Account: "a", Kind: Prepare, Subject: "d"}, prepared.Status, func(tx *store.Tx) error {
			return tx.UpdateDataset(ctx, &prepared, api.DatasetProcessing)
		})
	}()
	select {
	case line := <-delayed:
		if !strings.Contains(line, "cannot store the result of a job") {
			t.Errorf("the log says %q", line)
		}
	case err := <-done:
		t.Fatalf("Finish returned while the database was locked: %v", err)
	}
	if _, err := db.ExecContext(ctx, "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	err = rows.Read(ctx, func(tx *store.Tx) error {
		d, err := tx.GetDataset(ctx, "a", "d")
		if err == nil && d.Status != api.DatasetCompleted {
			t.Errorf("the dataset is %s", d.Status)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCancelledResult checks that Finish stores the result of a job although the server cancels its
// statements for a while, because they exceed a limit of the administrator.
func TestCancelledResult(t *testing.T) {
	t.Parallel()
	ctx, address := t.Context(), testenv.Postgres(t)
	rows, err := store.Open(ctx, address+"&statement_timeout=1000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rows.Close() })
	delayed := make(logLines, 100)
	q := New(Config{Store: rows, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.NewTextHandler(delayed, nil))})
	err = rows.Write(ctx, func(tx *store.Tx) error {
		if err := tx.InsertAccount(ctx, &store.Account{Key: "a", Email: "a@b", Created: time.Now()}); err != nil {
			return err
		}
		return q.Insert(ctx, tx, &store.Job{Account: "a", Kind: Train, Subject: "race"})
	})
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := rows.ClaimJob(ctx, store.JobClaim{Kind: Train, Now: time.Now(), Until: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	lock, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.ExecContext(ctx, "SELECT 1 FROM job FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- q.Finish(ctx, &job.Job{Key: claimed.Key, Account: "a", Kind: Train, Subject: "race"}, api.TrainingCompleted, func(*store.Tx) error { return nil })
	}()
	select {
	case line := <-delayed:
		if !strings.Contains(line, "cannot store the result of a job") {
			t.Errorf("the log says %q", line)
		}
	case err := <-done:
		t.Fatalf("Finish returned while its statements were cancelled: %v", err)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// logLines receives the lines of a log.
type logLines chan string

func (l logLines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
