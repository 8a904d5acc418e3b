package app

import (
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/job"
	"foretell/internal/store"
)

// TestLockedDatabase holds the lock of the SQLite database while the preparation of a dataset ends,
// for longer than a statement waits for the lock. The result must be stored when the lock is free
// again.
func TestLockedDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("statements wait ten seconds for the lock")
	}
	t.Parallel()
	dir := t.TempDir()
	delayed := make(logLines, 100)
	a, ctx := openWithoutWorkers(t, dir, "file://"+filepath.ToSlash(filepath.Join(dir, "blobs")), slog.New(slog.NewTextHandler(delayed, nil)))
	created, err := a.CreateDataset(ctx, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "numbers"}})
	if err != nil {
		t.Fatal(err)
	}
	dataset := api.DatasetInput{DatasetKey: created.DatasetKey}
	var csv strings.Builder
	csv.WriteString("ID,length,kind\n")
	for i := range 40 {
		fmt.Fprintf(&csv, "r%d,%d,%s\n", i, i%7, []string{"long", "short"}[i%2])
	}
	if _, err := a.AddData(ctx, &dataset, strings.NewReader(csv.String())); err != nil {
		t.Fatal(err)
	}
	claimed, err := a.store.ClaimJob(ctx, store.JobClaim{Kind: kindPrepare, Now: time.Now(), Until: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}

	db, err := sql.Open("sqlite", filepath.Join(dir, "foretell.db"))
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
		done <- a.prepare(ctx, &job.RunningJob{Job: job.Job{Key: claimed.Key, Account: claimed.Account, Kind: claimed.Kind, Subject: claimed.Subject}})
	}()
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
	if d, err := a.GetDataset(ctx, &dataset); err != nil || d.Status != api.DatasetCompleted {
		t.Errorf("%v, the dataset is %+v", err, d)
	}
}

// logLines receives the lines of a log.
type logLines chan string

func (l logLines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
