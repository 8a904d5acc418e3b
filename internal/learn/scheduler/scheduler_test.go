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

// TestDroppedWin checks that the win of another run counts again if a win on another machine is
// dropped.
func TestDroppedWin(t *testing.T) {
	s := New(3, false)
	s.SetRemote(1)
	here := s.RunContext(t.Context(), 0)
	s.RunContext(t.Context(), 2)
	s.WaitTurn(here, 0)
	s.EndStep(0, 5, true)
	s.RecordRemoteWin(1, 3)
	if s.CurrentWinner() != 1 {
		t.Errorf("winner %d, want 1", s.CurrentWinner())
	}
	s.DropRemoteWin(1)
	if s.CurrentWinner() != 0 || !s.IsLate(2, 6) || s.IsLate(2, 4) {
		t.Errorf("winner %d after the drop, want 0", s.CurrentWinner())
	}
	s.RecordRemoteWin(1, 3)
	if s.CurrentWinner() != 0 {
		t.Errorf("winner %d after another message about the dropped win", s.CurrentWinner())
	}
}
