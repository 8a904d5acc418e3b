package turn

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestFairSemaphore checks that one account delays another by at most one function, and that a call
// stops waiting when its context ends.
func TestFairSemaphore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := NewFairSemaphore(1)
		order := make(chan string, 4)
		endFirst := make(chan struct{})
		wait := func(ctx context.Context, account string, do func()) {
			go func() {
				err := q.Do(ctx, account, func() error { order <- account; do(); return nil })
				if err != nil {
					order <- account + " gave up"
				}
			}()
			synctest.Wait()
		}
		wait(t.Context(), "ada", func() { <-endFirst })
		leaving, leave := context.WithCancel(t.Context())
		wait(leaving, "ada", func() {})
		wait(t.Context(), "ada", func() {})
		wait(t.Context(), "bob", func() {})
		leave()
		synctest.Wait()
		close(endFirst)
		for _, want := range []string{"ada", "ada gave up", "bob", "ada"} {
			if got := <-order; got != want {
				t.Errorf("next was %q, want %q", got, want)
			}
		}
	})
}
