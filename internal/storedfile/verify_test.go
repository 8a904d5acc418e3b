package storedfile

import (
	"context"
	"errors"
	"testing"
	"time"

	"foretell/internal/store"
	"foretell/internal/turn"
)

// TestVerifyWaits verifies a file while other files are verified. Verify must wait for its turn, but
// not for a file that was verified in the last minute.
func TestVerifyWaits(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := &Files{now: func() time.Time { return now }, verifying: turn.NewFairSemaphore(1)}
	held, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	go func() {
		_ = f.verifying.Do(context.Background(), "bob", func() error { // the error is nil
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := &store.OwnedFile{File: store.File{Blob: "new"}, Kind: store.ResultFile}
	if err := f.Verify(ctx, file, "ada"); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that has ended got %v", err)
	}
	f.recentlyVerified.Add("new", now)
	if err := f.Verify(ctx, file, "ada"); err != nil {
		t.Errorf("a file that was just verified is verified again: %v", err)
	}
}
