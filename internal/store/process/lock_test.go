package process

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLock checks that processes see each other, and that they consider a process dead when its file
// is no longer locked, and remove the file.
func TestLock(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "processes")
	var locks []*Lock
	start := func() *Lock {
		t.Helper()
		l, err := NewLock(folder)
		if err != nil {
			t.Fatal(err)
		}
		locks = append(locks, l)
		return l
	}
	first, second, dead := start(), start(), start()
	for _, l := range locks {
		for _, other := range locks {
			if !l.IsAlive(other.Name()) {
				t.Errorf("%s does not see that %s is alive", l.Name(), other.Name())
			}
		}
	}
	if first.IsAlive("nobody") || first.IsAlive("../nobody") {
		t.Error("a process that never ran is alive")
	}
	file := dead.path(dead.Name())
	if err := dead.file.Close(); err != nil { // what happens when a process ends
		t.Fatal(err)
	}
	if first.IsAlive(dead.Name()) || !first.AnyMayHaveDied() {
		t.Error("a dead process is alive")
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of a dead process: %v", err)
	}
	gone := start()
	if err := gone.file.Close(); err != nil {
		t.Fatal(err)
	}
	third := start() // which removes the file that no process has looked for
	// The file may also be removed during Release, when it is already unlocked.
	if err := gone.Release(); errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := errors.Join(first.Release(), second.Release(), third.Release()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); len(left) > 0 || err != nil {
		t.Errorf("%v are left, %v", left, err)
	}
}
