package database

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"foretell/internal/store/schema"
)

// TestReadersWaitInOrder checks that readers get connections in the order in which they requested
// them.
func TestReadersWaitInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, err := Open(t.Context(), filepath.Join(t.TempDir(), "foretell.db"), schema.Newest)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		var readers sync.WaitGroup // synctest.Wait does not wait for goroutines that sleep, as SQLite may
		read := func(fn func()) {
			err := db.Read(t.Context(), func(*Tx) error {
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
