package app

import (
	"testing"

	"foretell/internal/store"
)

// TestLatestScoreIsNotKeptScore converts a run whose last step is worse than an earlier one.
func TestLatestScoreIsNotKeptScore(t *testing.T) {
	t.Parallel()
	best := 0.8
	run := toAlgorithmRun(&store.Training{Curve: []float64{0.8, 0.7}, AchievedPerformance: &best}, "", false)
	if run.LatestPerformance != 0.7 || run.KeptPerformance == nil || *run.KeptPerformance != 0.8 || run.Steps != 2 {
		t.Errorf("latest %v, kept %v, steps %d", run.LatestPerformance, run.KeptPerformance, run.Steps)
	}
}
