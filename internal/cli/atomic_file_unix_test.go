//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWriteFileAtomicToPipe writes to a pipe that nobody reads. The context ends the write.
func TestWriteFileAtomicToPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := WriteFileAtomic(ctx, path, true, func(io.Writer) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
