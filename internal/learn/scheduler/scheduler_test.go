package scheduler

import (
	"context"
	"testing"
)

// TestSmallestVirtualTimeWins checks that the run that reaches the threshold at the smallest
// virtual time wins, even if another run has reached the threshold first in real time. It also
// checks that a run is cancelled when it can no longer win.
func TestSmallestVirtualTimeWins(t *testing.T) {
	s := New(3, false)
	var contexts []context.Context
	for i := range 3 {
		contexts = append(contexts, s.RunContext(t.Context(), i))
		if !s.WaitTurn(contexts[i], i) {
			t.Fatalf("run %d may not begin", i)
		}
	}
	s.EndStep(0, 5, false) // its next score is due at 10
	s.EndStep(2, 3, false) // its next score is due at 6
	s.EndStep(1, 8, true)
	if s.CurrentWinner() != 1 || !s.IsLate(0, 10) || s.IsLate(2, 6) {
		t.Errorf("winner %d", s.CurrentWinner())
	}
	if contexts[0].Err() == nil || s.WaitTurn(contexts[0], 0) {
		t.Error("run 0 may still win")
	}
	if contexts[2].Err() != nil || !s.WaitTurn(contexts[2], 2) {
		t.Error("run 2 may no longer win")
	}
	s.EndStep(2, 6, true)
	if s.CurrentWinner() != 2 {
		t.Errorf("winner %d, want 2", s.CurrentWinner())
	}
}
