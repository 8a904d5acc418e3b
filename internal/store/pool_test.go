package store

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// TestReadersWaitInOrder checks that readers get connections in the order in which they requested
// them.
func TestReadersWaitInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.Context(), filepath.Join(t.TempDir(), "foretell.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		var readers sync.WaitGroup // synctest.Wait does not wait for goroutines that sleep, as SQLite may
		read := func(fn func()) {
			err := s.Read(t.Context(), func(*Tx) error {
				fn()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		first, others, reading := make(chan struct{}), make(chan struct{}), make(chan struct{})
		for n := range maxReaders {
			release := others
			if n == 0 {
				release = first
			}
			readers.Go(func() {
				read(func() {
					reading <- struct{}{}
					<-release
				})
			})
			<-reading
		}

		var got, want []int
		for n := range 50 {
			want = append(want, n)
			readers.Go(func() { read(func() { got = append(got, n) }) })
			synctest.Wait()
		}
		close(first)
		readers.Go(func() { // the last reader releases the others, once all earlier ones have read
			read(func() { close(others) })
		})
		readers.Wait()
		if !slices.Equal(got, want) {
			t.Errorf("readers were served in the order %v", got)
		}
	})
}

// TestDurability checks the settings that make a commit survive a power failure.
func TestDurability(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "rows.db"))
	for pragma, want := range map[string]int{"synchronous": 2, "fullfsync": 1} {
		var got int
		if err := s.write.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %d, %v: want %d", pragma, got, err, want)
		}
	}
}
