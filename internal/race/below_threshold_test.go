package race

import (
	"strings"
	"testing"

	"foretell/internal/api"
)

func TestBelowThresholdError(t *testing.T) {
	for _, c := range []struct {
		name     string
		achieved *float64
		want     string
	}{
		{"below", new(0.8), "; the accuracy of the model is 0.8000"},
		{"the_blend_reaches_it", new(0.91), "; only the blend of the algorithms did: its accuracy is 0.9100"},
		{"not_measured", nil, "; the accuracy of the model could not be measured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := &api.Training{Status: api.TrainingNotCompleted, Metric: "accuracy", TargetPerformance: new(0.9), AchievedPerformance: c.achieved}
			if err := BelowThresholdError(job); err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
