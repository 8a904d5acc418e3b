package app

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestDriftTurns checks that one account cannot delay the drift of another by more than one
// measurement, and that a call whose client has gone does not wait any longer.
func TestDriftTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &App{measuringDrift: make(chan struct{}, 1)}
		order := make(chan string, 4)
		endFirst := make(chan struct{})
		wait := func(ctx context.Context, account string, do func()) {
			go func() {
				err := a.inDriftTurn(ctx, account, func() error { order <- account; do(); return nil })
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
