package connect

import (
	"testing"

	"foretell/internal/api"
)

// TestRaceActivity checks the text about a race in which no algorithm is training.
func TestRaceActivity(t *testing.T) {
	activity := (&Session{}).newActivityFunc(t.Context())
	training, ended := []api.AlgorithmRun{{Status: api.TrainingRunning}}, []api.AlgorithmRun{{Status: api.TrainingCompleted}}
	for _, c := range []struct {
		progress *api.TrainingProgress
		want     string
	}{
		{nil, "the service does not respond; trying again"},
		{&api.TrainingProgress{Status: api.TrainingPending, WaitingFor: api.WaitingForWorker}, "waiting: no worker is running"},
		{&api.TrainingProgress{Status: api.TrainingRunning, Jobs: training, WaitingFor: api.WaitingForSpace}, ""},
		{&api.TrainingProgress{Status: api.TrainingRunning, Jobs: ended}, "building the model"},
		{&api.TrainingProgress{Status: api.TrainingRunning, Jobs: ended, WaitingFor: api.WaitingForSpace}, "the disk of the service is full"},
	} {
		if got := activity(c.progress); got != c.want {
			t.Errorf("%+v: %q, want %q", c.progress, got, c.want)
		}
	}
}
