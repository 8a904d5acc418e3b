package filelock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLock locks a file twice: the second lock must fail until the first file is closed.
func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := TryLock(path); f != nil || !errors.Is(err, ErrLocked) {
		t.Errorf("while the lock is held: %v, %v", f, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if f, err := Wait(ended, path); f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("when the context has ended: %v, %v", f, err)
	}
	waiting := make(chan error)
	go func() {
		f, err := Wait(t.Context(), path)
		if err == nil {
			err = f.Close()
		}
		waiting <- err
	}()
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != nil {
		t.Errorf("after the release: %v", err)
	}
	again, err := TryLock(path)
	if err != nil {
		t.Fatalf("after two releases: %v", err)
	}
	again.Close()
	if _, err := TryLock(filepath.Join(path, "none")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("a path that is no file: %v", err)
	}
}

// TestCreate creates a file that another process has left behind or writes.
func TestCreate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("left behind"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(path); len(content) > 0 || err != nil {
		t.Errorf("the file has %q, %v", content, err)
	}
	if f, err := Create(path); f != nil || !errors.Is(err, ErrLocked) {
		t.Errorf("while another process writes: %v, %v", f, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err := Create(filepath.Dir(path)); f != nil || !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v, %v", f, err)
	}
}

// TestCreateKeepsOtherNames creates a file whose old content has a second name, such as that of a
// complete backup whose process was killed before it removed the first name.
func TestCreateKeepsOtherNames(t *testing.T) {
	t.Parallel()
	complete := filepath.Join(t.TempDir(), "backup")
	part := complete + ".part"
	if err := errors.Join(os.WriteFile(complete, []byte("complete"), 0o600), os.Link(complete, part)); err != nil {
		t.Fatal(err)
	}
	f, err := Create(part)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if content, err := os.ReadFile(complete); string(content) != "complete" {
		t.Errorf("the other name has %q, %v", content, err)
	}
}
