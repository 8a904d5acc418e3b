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

// readWithJob reads a resource with get, and returns the status of its job. get must use a single
// statement. It returns the subject of the job, which is the key of the resource, or "" if the work
// on the resource has ended and there is no job. get may be called twice. Most resources that are
// read have no job. For these, readWithJob takes one round trip to the database instead of a
// transaction.
func (a *App) readWithJob(ctx context.Context, get func(*store.Tx) (subject string, err error)) (s jobStatus, err error) {
	var subject string
	err = a.store.ReadStatement(ctx, func(t *store.Tx) (err error) {
		subject, err = get(t)
		return err
	})
	if err != nil || subject == "" {
		return jobStatus{}, err
	}
	err = a.store.Read(ctx, func(t *store.Tx) error {
		subject, err := get(t)
		if err != nil || subject == "" {
			return err
		}
		s, err = a.findJobStatus(ctx, t, subject)
		return err
	})
	return s, err
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

// reportedStatus returns the status to report for a resource with the given stored status: PENDING
// if the resource is stored as RUNNING but no process runs its job, otherwise stored.
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

// Adopt lets this process run the job on the dataset, race or prediction with this key if the
// job was interrupted, because the process that queued it has died. Otherwise it does nothing.
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
