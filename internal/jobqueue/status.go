package jobqueue

import (
	"context"
	"errors"
	"slices"

	"foretell/internal/api"
	"foretell/internal/store"
)

// Status is the state of the job that works on a dataset, training job or prediction. The stored
// status of this resource can be wrong: a process may have stored RUNNING and then died.
type Status struct {
	job *store.JobState // nil if the resource has no job
	// Running reports whether a live process runs the job.
	Running bool
	// Interrupted reports whether the job waits and no process will resume it, until
	// [Queue.AdoptInterrupted] is called. It is always false in a service, whose next worker will
	// resume the job.
	Interrupted bool
	// WaitingFor is api.WaitingForWorker if the job waits because no worker is alive. It is
	// api.WaitingForSpace if the disk of this machine is full while the job runs on it, or while a job
	// that needs space is queued and all workers are on this machine. Otherwise it is "". It is always ""
	// if this process runs only its own jobs.
	WaitingFor string
	// QueuedBefore is the number of races that run or will begin before this race. Only
	// [Queue.Status] sets it. It is always 0 for other jobs, for which nothing shows it: their queue
	// may be too long to be counted at each request.
	QueuedBefore int
}

// Workers holds the workers that were alive at the time of one request. A worker is a process that runs
// every queued job, whichever process queued it.
type Workers struct {
	// Live are the live workers.
	Live []*store.Worker

	queue *Queue
	alive map[string]bool   // caches which processes are alive
	hosts map[string]string // host name of each registered worker, by process
}

// Workers returns the live workers.
func (q *Queue) Workers(ctx context.Context, t *store.Tx) (*Workers, error) {
	w := &Workers{queue: q, alive: map[string]bool{"": false}, hosts: map[string]string{}}
	registered, err := t.ListWorkers(ctx)
	if err != nil {
		return nil, err
	}
	for _, worker := range registered {
		w.hosts[worker.Process] = worker.Host
		if w.isAlive(worker.Process) {
			w.Live = append(w.Live, worker)
		}
	}
	return w, nil
}

// Host returns the name of the machine of a worker, or "" if the process is not a worker.
func (w *Workers) Host(process string) string { return w.hosts[process] }

func (w *Workers) isAlive(process string) bool {
	alive, ok := w.alive[process]
	if !ok {
		alive = w.queue.store.IsProcessAlive(process)
		w.alive[process] = alive
	}
	return alive
}

// Status returns the status of the job j. If j is nil, the status is zero.
func (w *Workers) Status(j *store.JobState) Status {
	if j == nil {
		return Status{}
	}
	s := Status{job: j, Running: w.isAlive(j.Owner)}
	switch {
	case w.queue.ownJobsOnly:
		s.Interrupted = !s.Running && len(w.Live) == 0 && !w.isAlive(j.Process)
	case !s.Running && len(w.Live) == 0:
		s.WaitingFor = api.WaitingForWorker
	case w.mayRunOnlyHere(j, s.Running) && w.queue.MustWaitForSpace():
		s.WaitingFor = api.WaitingForSpace
	}
	return s
}

// mayRunOnlyHere reports whether the job j runs on this machine or, if it is queued and needs space on the
// disk, whether all workers are on this machine.
func (w *Workers) mayRunOnlyHere(j *store.JobState, running bool) bool {
	isElsewhere := func(worker *store.Worker) bool { return worker.Host != w.queue.host }
	if running {
		return w.Host(j.Owner) == w.queue.host
	}
	return j.Kind != Prepare && !slices.ContainsFunc(w.Live, isElsewhere)
}

// Status returns the status of the job on a resource, with QueuedBefore.
func (q *Queue) Status(ctx context.Context, t *store.Tx, subject string) (Status, error) {
	j, err := t.GetJobState(ctx, subject)
	if errors.Is(err, store.ErrNotFound) {
		return Status{}, nil
	}
	if err != nil {
		return Status{}, err
	}
	workers, err := q.Workers(ctx, t)
	if err != nil {
		return Status{}, err
	}
	s := workers.Status(j)
	if j.Kind == Train && len(workers.Live) > 0 && !s.Running {
		s.QueuedBefore, err = t.CountJobsBefore(ctx, j)
	}
	return s, err
}

// ReadWithStatus calls get, which reads a resource, and returns the status of the job on this
// resource. The function get must return the key of the resource, or "" if the resource has no job.
// It may be called twice; see readResourcesThenJobs.
func (q *Queue) ReadWithStatus(ctx context.Context, get func(*store.Tx) (subject string, err error)) (s Status, err error) {
	subject := ""
	err = q.readResourcesThenJobs(ctx, func(t *store.Tx) (hasJob bool, err error) {
		subject, err = get(t)
		return subject != "", err
	}, func(t *store.Tx) (err error) {
		s, err = q.Status(ctx, t, subject)
		return err
	})
	return s, err
}

// ReadWithStatuses calls list, which reads a page of an account's resources and returns the keys of
// those that have a job. ReadWithStatuses returns the statuses of these jobs, by key of the
// resource. The function list may be called twice; see readResourcesThenJobs.
func (q *Queue) ReadWithStatuses(ctx context.Context, account string, list func(*store.Tx) (subjects []string, err error)) (all map[string]Status, err error) {
	var subjects []string
	err = q.readResourcesThenJobs(ctx, func(t *store.Tx) (hasJob bool, err error) {
		subjects, err = list(t)
		return len(subjects) > 0, err
	}, func(t *store.Tx) (err error) {
		all, err = q.listStatuses(ctx, t, account, subjects)
		return err
	})
	return all, err
}

// readResourcesThenJobs first calls readResources outside of a transaction. If this returns true, it
// begins a transaction, and calls readResources again and then readJobs in it, so that the resources
// and their jobs are consistent.
//
// Most resources have no job, so the first call usually suffices. If readResources executes a
// single statement, the first call takes one round trip to PostgreSQL, and a transaction would take
// three.
func (q *Queue) readResourcesThenJobs(ctx context.Context, readResources func(*store.Tx) (hasJob bool, err error), readJobs func(*store.Tx) error) error {
	hasJob := false
	err := q.store.ReadOneStatement(ctx, func(t *store.Tx) (err error) {
		hasJob, err = readResources(t)
		return err
	})
	if err != nil || !hasJob {
		return err
	}
	return q.store.Read(ctx, func(t *store.Tx) error {
		if hasJob, err := readResources(t); err != nil || !hasJob {
			return err
		}
		return readJobs(t)
	})
}

// listStatuses returns the statuses of the jobs on resources of an account, by the key of the
// resource. subjects are the keys of the resources. listStatuses does not set QueuedBefore.
func (q *Queue) listStatuses(ctx context.Context, t *store.Tx, account string, subjects []string) (map[string]Status, error) {
	jobs, err := t.ListJobStates(ctx, account, subjects)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	workers, err := q.Workers(ctx, t)
	if err != nil {
		return nil, err
	}
	all := make(map[string]Status, len(jobs))
	for _, j := range jobs {
		all[j.Subject] = workers.Status(j)
	}
	return all, nil
}

// ReportedStatus returns the status of a resource as clients see it. It is the stored status, with
// one exception: a resource that is stored as RUNNING is PENDING if no process runs its job.
func (s Status) ReportedStatus(stored string) string {
	if stored == api.TrainingRunning && s.job != nil && !s.Running { // RUNNING is also a status of predictions
		return api.TrainingPending
	}
	return stored
}

// AdoptInterrupted lets this process run the job on the dataset, race or prediction with this key. If no
// process runs the job and none will resume it, this process takes it over at once. Otherwise this
// process runs the job if it returns to the queue, for example because the process that runs it dies. A
// job that is still in the queue may therefore begin in this process instead of the process that queued
// it. The key may be that of a resource without a job.
func (q *Queue) AdoptInterrupted(ctx context.Context, key string) error {
	err := q.store.Write(ctx, func(t *store.Tx) error {
		s, err := q.Status(ctx, t, key)
		if err != nil || s.job == nil || !s.Interrupted {
			return err
		}
		return t.AdoptJobAndClearDeadline(ctx, key, q.store.ProcessName())
	})
	if err == nil {
		q.pool.AllowSubject(key)
	}
	return err
}

// RunsElsewhere reports whether another live process runs the job on a dataset,
// race or prediction.
func (q *Queue) RunsElsewhere(ctx context.Context, key string) (elsewhere bool, err error) {
	var s Status
	err = q.store.Read(ctx, func(t *store.Tx) (err error) {
		s, err = q.Status(ctx, t, key)
		return err
	})
	return s.Running && s.job.Owner != q.store.ProcessName(), err
}
