package training

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"foretell/internal/blob"
	"foretell/internal/problem"
	"foretell/internal/storedfile"
)

// TestStoreFile stores a file that cannot be stored at first. storeFile must try again during an
// outage of the S3 store and, if it awaits space, while the disk is full. A cancelled job must not
// wait forever.
func TestStoreFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	blobs, err := blob.Open(t.Context(), "file://"+filepath.ToSlash(dir), blob.Options{Process: "test", TempDir: dir, Getenv: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		failure    error
		failures   int // the number of attempts that fail
		awaitSpace bool
		cancelled  bool
		want       error
		attempts   int
	}{
		{name: "outage", failure: blob.ErrUnavailable, failures: 5, attempts: 6},
		{name: "full disk", failure: blob.ErrDiskFull, failures: 5, awaitSpace: true, attempts: 6},
		{name: "full disk without waiting", failure: blob.ErrDiskFull, failures: 5, want: blob.ErrDiskFull, attempts: 1},
		{name: "other error", failure: io.ErrShortWrite, failures: 5, want: io.ErrShortWrite, attempts: 1},
		{name: "cancelled during a short outage", failure: blob.ErrUnavailable, failures: 3, cancelled: true, attempts: 4},
		{name: "cancelled during an outage", failure: blob.ErrUnavailable, failures: 1000, cancelled: true, want: errStoringCancelled, attempts: 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := New(Config{Problems: problem.New(problem.Config{Log: slog.New(slog.DiscardHandler)}), Log: slog.New(slog.DiscardHandler)})
				tr.files = storedfile.New(storedfile.Config{Blobs: blobs, Now: time.Now})
				cancelled := make(chan struct{})
				if c.cancelled {
					close(cancelled)
				}
				attempts := 0
				info, err := tr.storeFile(t.Context(), cancelled, c.awaitSpace, func(w io.Writer) error {
					if attempts++; attempts <= c.failures {
						return fmt.Errorf("attempt %d: %w", attempts, c.failure)
					}
					_, err := io.WriteString(w, "a model")
					return err
				})
				if !errors.Is(err, c.want) || attempts < c.attempts || attempts > c.attempts+1 {
					t.Errorf("after %d attempts: %v", attempts, err)
				}
				if c.want == nil && info.Size != int64(len("a model")) {
					t.Errorf("%d bytes were stored", info.Size)
				}
			})
		})
	}
}
