package app

import (
	"math"
	"testing"

	"foretell/internal/api"
	"foretell/internal/learn"
	"foretell/internal/store"
)

// TestProgressReportsBestStep records a step whose score is lower than that of an earlier step.
func TestProgressReportsBestStep(t *testing.T) {
	t.Parallel()
	b := newProgressRecorder([]*store.Training{{Key: "k", Algorithm: "BSIX01", Status: api.TrainingRunning}})
	b.record(learn.Event{Algorithm: "BSIX01", Status: learn.Running, BestPerformance: math.NaN(), BestLogLoss: math.NaN()})
	if row := b.takeChanged()[0].row; row.AchievedPerformance != nil || row.LogLoss != nil {
		t.Errorf("before the first score: %v, %v", row.AchievedPerformance, row.LogLoss)
	}
	b.record(learn.Event{Algorithm: "BSIX01", Status: learn.Running, Performance: 0.8, BestPerformance: 0.8, BestLogLoss: 0.5, Step: 1})
	b.record(learn.Event{Algorithm: "BSIX01", Status: learn.Running, Performance: 0.7, BestPerformance: 0.8, BestLogLoss: 0.5, Step: 2})
	row := b.takeChanged()[0].row
	run := toAlgorithmRun(&row, false)
	if run.LatestPerformance != 0.7 || run.KeptPerformance == nil || *run.KeptPerformance != 0.8 || run.LogLoss == nil || *run.LogLoss != 0.5 {
		t.Errorf("latest %v, kept %v, log loss %v", run.LatestPerformance, run.KeptPerformance, run.LogLoss)
	}
}

func TestProgressRestoresUnwrittenRows(t *testing.T) {
	t.Parallel()
	b := newProgressRecorder([]*store.Training{{Key: "k", Algorithm: "BSIX01", Status: api.TrainingRunning}})
	b.record(learn.Event{Algorithm: "BSIX01", Status: learn.NotCompleted, Performance: 0.5, Step: 1})
	failed := b.takeChanged()
	if len(b.takeChanged()) != 0 {
		t.Error("what is taken is due still")
	}
	b.markChanged(failed)
	again := b.takeChanged()
	if len(again) != 1 || again[0].storedStatus != api.TrainingRunning || again[0].row.Status != api.TrainingNotCompleted {
		t.Errorf("due after a failure: %+v", again)
	}
}
