package app_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/api"
	"foretell/internal/jobqueue"
	"foretell/internal/store"
)

func TestJobCounts(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.add(t, b.create(t, "waiting").DatasetKey, labelled(20))
	want := []jobqueue.Counts{{Kind: "prepare", Queued: 1}, {Kind: "train"}, {Kind: "predict"}, {Kind: "part"}}
	times := cmpopts.IgnoreFields(jobqueue.Counts{}, "OldestQueued")
	waiting := must(b.JobCounts(t.Context()))(t)
	if diff := cmp.Diff(want, waiting, times); diff != "" || waiting[0].OldestQueued <= 0 || waiting[1].OldestQueued != 0 {
		t.Errorf("%+v; before the work (-want +got):\n%s", waiting, diff)
	}
	stop := b.work(t)
	good, bad := b.prepared(t, "good", labelled(20)), b.create(t, "bad").DatasetKey
	b.add(t, bad, "no table at all")
	b.awaitDataset(t, bad)
	stop()
	race := must(b.CreateTraining(b.ctx, newRace(good.DatasetKey, 1)))(t).TrainingJobKey
	must(b.CancelTraining(b.ctx, &api.TrainingInput{TrainingJobKey: race}))(t)
	if diff := cmp.Diff([]jobqueue.Counts{{Kind: "prepare"}, {Kind: "train"}, {Kind: "predict"}, {Kind: "part"}}, must(b.JobCounts(t.Context()))(t)); diff != "" {
		t.Errorf("after it (-want +got):\n%s", diff)
	}
	ofRaces := func(cancelled int64) map[string]int64 {
		return map[string]int64{api.TrainingCompleted: 0, api.TrainingNotCompleted: 0, api.TrainingTimedOut: 0, api.TrainingFailed: 0, api.TrainingCancelled: cancelled}
	}
	finished := []jobqueue.Finished{
		{Kind: "prepare", ByOutcome: map[string]int64{api.DatasetCompleted: 2, api.DatasetFailed: 1}},
		{Kind: "train", ByOutcome: ofRaces(1)},
		{Kind: "predict", ByOutcome: map[string]int64{api.PredictionCompleted: 0, api.PredictionFailed: 0, api.PredictionTimeout: 0}},
		{Kind: "part", ByOutcome: ofRaces(0)},
	}
	ended := b.FinishedJobs()
	if d := ended[0].Durations; d.Count != 3 || d.Seconds <= 0 || d.UpTo[14400] != 3 || ended[1].Durations.Count != 0 {
		t.Errorf("durations %+v and %+v", d, ended[1].Durations)
	}
	if diff := cmp.Diff(finished, ended, cmpopts.IgnoreFields(jobqueue.Finished{}, "Durations")); diff != "" {
		t.Errorf("the ended jobs (-want +got):\n%s", diff)
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	key := b.prepared(t, "flowers", labelled(20)).DatasetKey
	stop()
	race := must(b.CreateTraining(b.ctx, newRace(key, 1)))(t).TrainingJobKey
	rows := must(store.Open(t.Context(), filepath.Join(b.dir, "foretell.db")))(t) // another process, which may begin it
	defer func() { _ = rows.Close() }()
	if err := rows.Write(t.Context(), func(tx *store.Tx) error {
		return tx.UpsertWorker(t.Context(), &store.Worker{Process: rows.ProcessName()})
	}); err != nil {
		t.Fatal(err)
	}
	_, err := b.DeleteDataset(b.ctx, &api.DatasetInput{DatasetKey: key})
	want := "dataset " + key + " cannot be deleted while training job " + race +
		" is PENDING: cancel the training job, or wait until it ends, then try again"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}
