package app_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/api"
)

// TestRaceTooLargeForEveryWorker queues a race that needs more memory than any worker has.
func TestRaceTooLargeForEveryWorker(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	var log safeLog
	b, closeAll, err := openIn(t.Context(), t.TempDir(), appOptions{log: &log, memory: 1e6, now: func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	b.work(t)
	key := b.prepared(t, "flowers", labelled(300)).DatasetKey
	race := must(b.CreateTraining(b.ctx, newRace(key, 0)))(t).TrainingJobKey
	next := must(b.CreateTraining(b.ctx, newRace(key, 0)))(t).TrainingJobKey
	eventually(t, func() (*api.Training, error) { return b.GetTraining(b.ctx, &api.TrainingInput{TrainingJobKey: next}) },
		func(r *api.Training) bool { return r.QueuedBehind == 1 && r.Status == api.TrainingPending })
	if r := must(b.GetTraining(b.ctx, &api.TrainingInput{TrainingJobKey: race}))(t); r.Status != api.TrainingPending { // a larger worker may be restarting
		t.Errorf("at once it is %s", r.Status)
	}
	ended := eventually(t, func() (*api.Training, error) {
		passed.Add(int64(time.Second))
		return b.GetTraining(b.ctx, &api.TrainingInput{TrainingJobKey: race})
	}, func(r *api.Training) bool { return r.Status == api.TrainingFailed })
	if want := "the race needs about"; !strings.HasPrefix(ended.FailureReason, want) || !strings.Contains(ended.FailureReason, "1 MB is available") {
		t.Errorf("the reason is %q", ended.FailureReason)
	}
	for _, want := range []string{"subject=" + race + " accountKey=", `memory="91 MB" largestWorker="1 MB"`, "outcome=COMPLETED"} { // the dataset is COMPLETED
		eventually(t, func() (int, error) { return log.count(want), nil }, func(n int) bool { return n > 0 })
	}
}
