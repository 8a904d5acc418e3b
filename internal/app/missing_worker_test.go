package app

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/store"
)

// TestMissingWorkers queues a job while no worker is alive, then starts a worker. The dataset must
// say that it waits for a worker, and the log must warn.
func TestMissingWorkers(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	dir := t.TempDir()
	a, ctx := openWithoutWorkers(t, dir, "file://"+filepath.ToSlash(filepath.Join(dir, "blobs")), slog.New(slog.NewTextHandler(&log, nil)))
	created, err := a.CreateDataset(ctx, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: "flowers"}})
	if err != nil {
		t.Fatal(err)
	}
	warns := func(want bool) {
		t.Helper()
		log.Reset()
		if a.warnIfNoWorker(ctx); strings.Contains(log.String(), "no worker is running") != want {
			t.Errorf("the log is %q, want a warning: %t", log.String(), want)
		}
	}
	waitsFor := func(want string) {
		t.Helper()
		d, err := a.GetDataset(ctx, &api.DatasetInput{DatasetKey: created.DatasetKey})
		if err != nil || d.Status != api.DatasetProcessing || d.WaitingFor != want {
			t.Errorf("%v: status %s, waiting for %q, want %q", err, d.Status, d.WaitingFor, want)
		}
	}
	warns(false) // nothing is queued
	if _, err := a.AddData(ctx, &api.DatasetInput{DatasetKey: created.DatasetKey}, strings.NewReader("id,x,label\n1,2,a\n")); err != nil {
		t.Fatal(err)
	}
	warns(true)
	waitsFor(api.WaitingForWorker)

	other, err := store.Open(t.Context(), filepath.Join(dir, "foretell.db")) // another process
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	err = other.Write(ctx, func(tx *store.Tx) error {
		return tx.UpsertWorker(ctx, &store.Worker{Process: other.ProcessName()})
	})
	if err != nil {
		t.Fatal(err)
	}
	warns(false)
	waitsFor("")
}
