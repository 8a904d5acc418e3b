package server

import (
	"bytes"
	"crypto/rand"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/app"
	"foretell/internal/blob"
	"foretell/internal/store"
)

// TestUsageIsReadRarely reads the sizes of the stored files while the store fails. The store must
// not be read again before usageInterval has passed, because everybody may request the metrics.
func TestUsageIsReadRarely(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows, err := store.Open(t.Context(), filepath.Join(dir, "foretell.db"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := blob.OpenFolder(filepath.Join(dir, "blobs"), rows.ProcessName())
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	a, err := app.New(app.Config{Store: rows, Blobs: files, Now: time.Now, Rand: rand.Reader, Log: logger})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	c := newStorageCollector(a, logger, func() time.Time { return now })
	if c.readUsage() == nil {
		t.Error("no sizes")
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		known    bool
		failures int
	}{{true, 0}, {false, 1}, {false, 1}, {false, 2}} {
		if i != 0 && i != 2 {
			now = now.Add(usageInterval)
		}
		known := c.readUsage() != nil
		if failures := strings.Count(log.String(), "cannot read the sizes"); known != want.known || failures != want.failures {
			t.Errorf("step %d: sizes known %v after %d failures, want %+v", i, known, failures, want)
		}
	}
}
