package app

import (
	"context"
	"strings"

	"foretell/internal/api"
	"foretell/internal/jobqueue"
	"foretell/internal/store"
)

// ListJobs returns a page of the jobs of all accounts.
func (a *App) ListJobs(ctx context.Context, in *api.ListJobsInput) (*api.JobPage, error) {
	w, err := parsePage(in.PageInput)
	if err != nil {
		return nil, err
	}
	out := &api.JobPage{}
	err = a.store.Read(ctx, func(t *store.Tx) error {
		out.Jobs, out.Queues = []api.Job{}, []api.JobQueue{}
		workers, err := a.queue.Workers(ctx, t)
		if err != nil {
			return err
		}
		queues, err := t.ListJobQueues(ctx)
		if err != nil {
			return err
		}
		for _, q := range queues {
			out.Queues = append(out.Queues, api.JobQueue{Account: q.Email, Queued: q.Queued, Running: q.Running, OldestOn: formatOptionalTime(q.Oldest), AccountDisabled: q.Disabled})
		}
		jobs, total, err := t.ListJobs(ctx, strings.ToLower(strings.TrimSpace(in.Account)), w) // emails are stored in this form
		if err != nil {
			return err
		}
		out.Page = toPage(w, total)
		for _, j := range jobs {
			out.Jobs = append(out.Jobs, toJob(j, workers))
		}
		return nil
	})
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	return out, nil
}

// toJob converts a listed job to a job of the API. The state of a job whose worker has died is
// QUEUED. The state of a waiting job is PAUSED if its account is disabled.
func toJob(j *store.ListedJob, workers *jobqueue.Workers) api.Job {
	out := api.Job{
		JobKey: j.Key, Kind: j.Kind, Account: j.Email, ObjectKey: j.Subject, State: api.JobQueued, Worker: j.Process,
		Attempt: j.Attempt, Memory: j.Memory, CreatedOn: api.FormatTime(j.Created),
	}
	if workers.Status(&j.JobState).Running {
		out.State, out.Worker, out.StartedOn = api.JobRunning, j.Owner, formatOptionalTime(j.Begun)
	}
	if out.State == api.JobQueued && j.AccountDisabled {
		out.State = api.JobPaused
	}
	out.Host = workers.Host(out.Worker)
	return out
}

// ListWorkers returns the live workers.
func (a *App) ListWorkers(ctx context.Context, _ *api.None) (*api.WorkerList, error) {
	out := &api.WorkerList{}
	err := a.store.Read(ctx, func(t *store.Tx) error {
		out.Workers = []api.Worker{}
		workers, err := a.queue.Workers(ctx, t)
		if err != nil {
			return err
		}
		running, err := t.CountRunningJobs(ctx)
		if err != nil {
			return err
		}
		for _, w := range workers.Live {
			if w.Seen.IsZero() {
				w.Seen = a.now()
			}
			out.Workers = append(out.Workers, api.Worker{
				Worker: w.Process, Host: w.Host, Version: w.Version, Cores: w.Cores, Memory: w.Memory, ScansFiles: w.ScansFiles, Jobs: running[w.Process],
				StartedOn: formatOptionalTime(w.Started), LastSeenOn: api.FormatTime(w.Seen),
			})
		}
		return nil
	})
	if err != nil {
		return nil, a.problems.Convert(err)
	}
	return out, nil
}
