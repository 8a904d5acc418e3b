package app

import (
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/store"
)

// jobStatus is the state of the job on a dataset, training job or prediction. It is more exact
// than the stored status of that resource, because the process that stored RUNNING may have
// died.
type jobStatus struct {
	job *store.JobState // nil if the resource has no job
	// running reports whether a living process runs the job.
	running bool
	// interrupted reports whether no process runs the job and none will resume it
	// automatically.
	interrupted bool
	// queuedBefore is the number of queued jobs that begin before this one. It is 0 if it
	// was not counted.
	queuedBefore int
}

// processCache caches, for one request, which processes are alive.
type processCache struct {
	app       *App
	alive     map[string]bool
	hasWorker bool              // whether a process that runs the jobs of all processes is alive
	hosts     map[string]string // names of the workers' machines, by process
}

// newProcessCache returns a cache that knows all workers: whether one is alive, and their hosts.
func (a *App) newProcessCache(ctx context.Context, t *store.Tx) (*processCache, error) {
	p := &processCache{app: a, alive: map[string]bool{"": false}, hosts: map[string]string{}}
	workers, err := t.ListWorkers(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range workers {
		p.hasWorker = p.hasWorker || p.isAlive(w.Process)
		p.hosts[w.Process] = w.Host
	}
	return p, nil
}

func (p *processCache) isAlive(process string) bool {
	alive, ok := p.alive[process]
	if !ok {
		alive = p.app.store.IsAlive(process)
		p.alive[process] = alive
	}
	return alive
}

// jobStatus returns the status of the job j. If j is nil, the status is zero.
func (p *processCache) jobStatus(j *store.JobState) jobStatus {
	if j == nil {
		return jobStatus{}
	}
	s := jobStatus{job: j, running: p.isAlive(j.Owner)}
	s.interrupted = !s.running && !p.hasWorker && !p.isAlive(j.Process)
	return s
}

// findJobStatus returns the status of the job on a resource, with queuedBefore.
func (a *App) findJobStatus(ctx context.Context, t *store.Tx, subject string) (jobStatus, error) {
	j, err := t.GetJobState(ctx, subject)
	if errors.Is(err, store.ErrNotFound) {
		return jobStatus{}, nil
	}
	if err != nil {
		return jobStatus{}, err
	}
	p, err := a.newProcessCache(ctx, t)
	if err != nil {
		return jobStatus{}, err
	}
	s := p.jobStatus(j)
	if p.hasWorker && !s.running {
		s.queuedBefore, err = t.CountJobsBefore(ctx, j)
	}
	return s, err
}

// readWithJob reads a resource and returns the status of its job. The function get must return the
// subject of the job, or "" if the resource has no job. See readThenJobs for the requirements on
// get.
func (a *App) readWithJob(ctx context.Context, get func(*store.Tx) (subject string, err error)) (s jobStatus, err error) {
	subject := ""
	err = a.readThenJobs(ctx, func(t *store.Tx) (hasJob bool, err error) {
		subject, err = get(t)
		return subject != "", err
	}, func(t *store.Tx) (err error) {
		s, err = a.findJobStatus(ctx, t, subject)
		return err
	})
	return s, err
}

// readWithJobs reads a page of resources of the caller, and returns the statuses of the jobs of the
// caller's account, see listJobStatuses. The function list must report whether any resource of the
// page has a job. If none has, the result is nil. See readThenJobs for the requirements on list.
func (a *App) readWithJobs(ctx context.Context, list func(*store.Tx) (hasJob bool, err error)) (all map[string]jobStatus, err error) {
	err = a.readThenJobs(ctx, list, func(t *store.Tx) (err error) {
		all, err = a.listJobStatuses(ctx, t, callerFromContext(ctx).Account)
		return err
	})
	return all, err
}

// readThenJobs calls the function read. If read reports that a resource that it has read has a job,
// readThenJobs calls read again, and then the function jobs, both in one transaction. Most
// resources have no job. Reading them takes one round trip to the database instead of a
// transaction, so read must need only one statement.
func (a *App) readThenJobs(ctx context.Context, read func(*store.Tx) (hasJob bool, err error), jobs func(*store.Tx) error) error {
	hasJob := false
	err := a.store.ReadStatement(ctx, func(t *store.Tx) (err error) {
		hasJob, err = read(t)
		return err
	})
	if err != nil || !hasJob {
		return err
	}
	return a.store.Read(ctx, func(t *store.Tx) error {
		if hasJob, err := read(t); err != nil || !hasJob {
			return err
		}
		return jobs(t)
	})
}

// listJobStatuses returns the status of every job of an account, by the key of the
// resource that the job works on. It does not set queuedBefore.
func (a *App) listJobStatuses(ctx context.Context, t *store.Tx, account string) (map[string]jobStatus, error) {
	jobs, err := t.ListJobStates(ctx, account)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	p, err := a.newProcessCache(ctx, t)
	if err != nil {
		return nil, err
	}
	all := make(map[string]jobStatus, len(jobs))
	for _, j := range jobs {
		all[j.Subject] = p.jobStatus(j)
	}
	return all, nil
}

// reportedStatus returns the status to report for a resource with the given stored status. It is
// PENDING if the resource is stored as RUNNING but no process runs its job. Otherwise it is the
// stored status.
func (s jobStatus) reportedStatus(stored string) string {
	if stored == api.TrainingRunning && s.job != nil && !s.running { // RUNNING is also a status of predictions
		return api.TrainingPending
	}
	return stored
}

// toTraining converts the row of a race, or of one algorithm's run in a race, to a training of the
// API. s is the status of the race's job.
func (s jobStatus) toTraining(r *store.Training) api.Training {
	r.Status = s.reportedStatus(r.Status)
	out := toTraining(r)
	if s.interrupted {
		out.Outcome = api.OutcomeInterrupted
	}
	out.QueuedBehind, out.Interrupted = s.queuedBefore, s.interrupted
	return out
}

// Adopt lets this process run the job on the dataset, race or prediction with this key if the job
// was interrupted: the process that queued the job has died. Otherwise it does nothing.
func (a *App) Adopt(ctx context.Context, key string) error {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		s, err := a.findJobStatus(ctx, t, key)
		if err != nil || s.job == nil || !s.interrupted {
			return err
		}
		return t.AdoptJob(ctx, key, a.store.ProcessName())
	})
	a.pool.AllowSubject(key)
	return a.toProblem(err)
}

// RunsElsewhere reports whether another living process runs the job on a dataset,
// race or prediction.
func (a *App) RunsElsewhere(ctx context.Context, key string) (bool, error) {
	var s jobStatus
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		s, err = a.findJobStatus(ctx, t, key)
		return err
	})
	return s.running && s.job.Owner != a.store.ProcessName(), a.toProblem(err)
}
