package app

import (
	"testing"

	"foretell/internal/api"
	"foretell/internal/learn"
	"foretell/internal/store"
)

func TestScoreboardKeepsWhatWasNotPosted(t *testing.T) {
	b := newScoreboard([]*store.Training{{Key: "k", Algorithm: "BSIX01", Status: api.TrainingRunning}})
	b.record(learn.Event{Algorithm: "BSIX01", Status: learn.NotCompleted, Performance: 0.5, Step: 1})
	failed := b.take()
	if len(b.take()) != 0 {
		t.Error("what is taken is due still")
	}
	b.putBack(failed)
	again := b.take()
	if len(again) != 1 || again[0].posted != api.TrainingRunning || again[0].row.Status != api.TrainingNotCompleted {
		t.Errorf("due after a failure: %+v", again)
	}
}
