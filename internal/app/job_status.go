package app

import (
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/store"
)

// jobStatus is the state of the job that works on a dataset, training job or prediction. The stored
// status of this resource can be wrong: a process may have stored RUNNING and then died.
type jobStatus struct {
	job *store.JobState // nil if the resource has no job
	// running reports whether a live process runs the job.
	running bool
	// interrupted reports whether the job waits, and no process will resume it automatically.
	interrupted bool
	// waitingFor is api.WaitingForWorker if the job waits because no worker is alive. It is ""
	// otherwise, and for a job of the embedded service, which commands run.
	waitingFor string
	// queuedBefore is the number of queued jobs that will begin before this one. Only findJobStatus
	// sets it.
	queuedBefore int
}

// processCache caches, for one request, which processes are alive.
type processCache struct {
	app       *App
	alive     map[string]bool
	hasWorker bool              // whether a live process runs the jobs of all processes
	hosts     map[string]string // host name of each worker, by process
}

// newProcessCache returns a cache of the registered workers: whether each is alive, and its
// host.
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
		alive = p.app.store.IsProcessAlive(process)
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
	if !s.running && !p.hasWorker && !p.app.ownJobsOnly {
		s.waitingFor = api.WaitingForWorker
	}
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

// readWithJobStatus calls get, which reads a resource, and returns the status of the job on this
// resource. The function get must return the key of the resource that the job works on, or "" if
// there is no job. It may be called twice; see readResourcesThenJobs.
func (a *App) readWithJobStatus(ctx context.Context, get func(*store.Tx) (subject string, err error)) (s jobStatus, err error) {
	subject := ""
	err = a.readResourcesThenJobs(ctx, func(t *store.Tx) (hasJob bool, err error) {
		subject, err = get(t)
		return subject != "", err
	}, func(t *store.Tx) (err error) {
		s, err = a.findJobStatus(ctx, t, subject)
		return err
	})
	return s, err
}

// readWithJobStatuses calls list, which reads a page of the caller's resources, and returns the
// statuses of all jobs of the caller's account, by key of the resource. The function list must
// report whether any resource on the page has a job. If none has, the result is nil. The
// function list may be called twice; see readResourcesThenJobs.
func (a *App) readWithJobStatuses(ctx context.Context, list func(*store.Tx) (hasJob bool, err error)) (all map[string]jobStatus, err error) {
	err = a.readResourcesThenJobs(ctx, list, func(t *store.Tx) (err error) {
		all, err = a.listJobStatuses(ctx, t, callerFromContext(ctx).Account)
		return err
	})
	return all, err
}

// readResourcesThenJobs calls readResources. In most cases, none of the resources has a job,
// and readResourcesThenJobs returns. Otherwise it calls readResources again, and then readJobs,
// in one transaction, so that the resources and their jobs are consistent. The function
// readResources should execute a single statement, so that the first call takes only one round
// trip to the database.
func (a *App) readResourcesThenJobs(ctx context.Context, readResources func(*store.Tx) (hasJob bool, err error), readJobs func(*store.Tx) error) error {
	hasJob := false
	err := a.store.ReadStatement(ctx, func(t *store.Tx) (err error) {
		hasJob, err = readResources(t)
		return err
	})
	if err != nil || !hasJob {
		return err
	}
	return a.store.Read(ctx, func(t *store.Tx) error {
		if hasJob, err := readResources(t); err != nil || !hasJob {
			return err
		}
		return readJobs(t)
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

// reportedStatus returns the status of a resource that clients see. It is the stored status, with
// one exception: a resource that is stored as RUNNING is PENDING if no process runs its job.
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
	out.QueuedBehind, out.Interrupted, out.WaitingFor = s.queuedBefore, s.interrupted, s.waitingFor
	return out
}

// AdoptInterruptedJob lets this process run the job on the dataset, race or prediction with
// this key, if the job was interrupted: no process runs the job, and none will resume it.
// Otherwise the job remains unchanged.
func (a *App) AdoptInterruptedJob(ctx context.Context, key string) error {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		s, err := a.findJobStatus(ctx, t, key)
		if err != nil || s.job == nil || !s.interrupted {
			return err
		}
		return t.AdoptJobAndClearDeadline(ctx, key, a.store.ProcessName())
	})
	a.pool.AllowSubject(key)
	return a.problems.Convert(err)
}

// RunsElsewhere reports whether another live process runs the job on a dataset,
// race or prediction.
func (a *App) RunsElsewhere(ctx context.Context, key string) (elsewhere bool, err error) {
	var s jobStatus
	err = a.store.Read(ctx, func(t *store.Tx) (err error) {
		s, err = a.findJobStatus(ctx, t, key)
		return err
	})
	return s.running && s.job.Owner != a.store.ProcessName(), a.problems.Convert(err)
}
