package app_test

import (
	"path/filepath"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// TestListJobs lists a queued and a running job, and the worker that runs it until it dies.
func TestListJobs(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	ada := b.as(t, "ada@example.com")
	stop := b.work(t)
	dataset := ada.prepared(t, "flowers", labelled(300)).DatasetKey
	stop()
	first := must(ada.CreateTraining(ada.ctx, newRace(dataset, 0)))(t).TrainingJobKey
	second := must(ada.CreateTraining(ada.ctx, newRace(dataset, 0)))(t).TrainingJobKey
	rows := must(store.Open(t.Context(), filepath.Join(b.dir, "foretell.db")))(t) // another process
	now := time.Now()
	worker := &store.Worker{Process: rows.ProcessName(), Host: "north", Version: "1.2", Cores: 8, Memory: 1 << 30, ScansFiles: true, Started: now}
	if err := rows.Write(t.Context(), func(tx *store.Tx) error { return tx.UpsertWorker(t.Context(), worker) }); err != nil {
		t.Fatal(err)
	}
	must(rows.ClaimJob(t.Context(), store.JobClaim{Kind: "train", Now: now, Until: now.Add(time.Minute)}))(t)

	list := func() []api.Job {
		t.Helper()
		return must(b.ListJobs(b.ctx, &api.ListJobsInput{PageInput: api.PageInput{Limit: 9}}))(t).Jobs
	}
	jobs := list()
	if len(jobs) != 2 || jobs[0].ObjectKey != first || jobs[0].State != api.JobRunning || jobs[0].Host != "north" || jobs[0].StartedOn == "" ||
		jobs[0].Attempt != 1 || jobs[0].Memory == 0 || jobs[1].ObjectKey != second || jobs[1].State != api.JobQueued || jobs[1].Host != "" {
		t.Errorf("the jobs are %+v", jobs)
	}
	queues := must(b.ListJobs(b.ctx, &api.ListJobsInput{PageInput: api.PageInput{Limit: 1}}))(t).Queues
	if len(queues) != 1 || queues[0].Queued != 1 || queues[0].Running != 1 || queues[0].OldestOn == "" {
		t.Errorf("the queues are %+v", queues)
	}
	workers := must(b.ListWorkers(b.ctx, &api.None{}))(t).Workers
	if len(workers) != 1 || workers[0].Host != "north" || workers[0].Version != "1.2" || workers[0].Cores != 8 || workers[0].Jobs != 1 || !workers[0].ScansFiles || workers[0].LastSeenOn == "" {
		t.Errorf("the workers are %+v", workers)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	if jobs := list(); jobs[0].State != api.JobQueued || jobs[0].StartedOn != "" {
		t.Errorf("after the worker has died, the jobs are %+v", jobs)
	}
	owner := must(b.FindAccount(t.Context(), jobs[0].Account))(t)
	must(b.DisableAccount(b.ctx, &api.AccountInput{AccountKey: owner.AccountKey}))(t)
	paused := must(b.ListJobs(b.ctx, &api.ListJobsInput{PageInput: api.PageInput{Limit: 9}}))(t)
	if paused.Jobs[0].State != api.JobPaused || !paused.Queues[0].AccountDisabled || paused.Queues[0].OldestOn != "" {
		t.Errorf("when the account is disabled, the jobs are %+v", paused)
	}
	if workers := must(b.ListWorkers(b.ctx, &api.None{}))(t).Workers; len(workers) != 0 {
		t.Errorf("the dead worker is listed: %+v", workers)
	}
}
