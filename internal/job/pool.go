package job

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// pollInterval is the interval at which a pool looks for jobs that the store has not
	// reported.
	pollInterval = 5 * time.Second
	// leaseCheckInterval is the interval at which a pool calls Store.EndExpiredLeases.
	leaseCheckInterval = 500 * time.Millisecond
	// retryDelay is the time that a worker waits after an error of the store.
	retryDelay = 2 * time.Second
	// claimWarningInterval is the time between two warnings of a worker that it cannot claim jobs, for
	// example while a newer version of the program has upgraded the database.
	claimWarningInterval = time.Minute
	// stopTimeout is how long Run waits until running jobs have stopped.
	stopTimeout = 5 * time.Second
)

// Kind is a kind of job and its implementation.
type Kind struct {
	Name string
	// Workers is the maximum number of concurrent jobs of this kind.
	Workers int
	// PerAccount is the maximum number of concurrent jobs of one account. It prevents one account
	// from using all workers. 0 means no limit.
	PerAccount int
	// OnlyWhenIdle makes jobs of this kind wait while the pool runs a job whose Memory is not
	// 0.
	OnlyWhenIdle bool
	// Do runs the job, and stores its result in a transaction that also deletes the job. When ctx
	// is done, Do must soon return an error without storing a result. The job is then queued again.
	// It is also queued again if the error wraps ErrPostponed.
	Do func(ctx context.Context, r *RunningJob) error
	// Fail stores that the job has failed because of cause, in a transaction that also deletes the
	// job. The pool repeats the call until Fail succeeds.
	Fail func(ctx context.Context, j *Job, cause error) error
}

// Config configures a Pool.
type Config struct {
	Store Store
	// Kinds are the kinds of jobs to run; see also [Pool.SetKinds].
	Kinds []Kind
	// AllowedSubjectsOnly limits the pool to jobs on datasets, races and predictions whose keys
	// were passed to [Pool.AllowSubject]. By default, the pool runs the jobs of all processes.
	AllowedSubjectsOnly bool
	// Memory is the maximum sum of the estimated memory of all running jobs, in bytes. A job that
	// would exceed it stays in the queue. 0 means no limit.
	Memory int64
	Now    func() time.Time
	Log    *slog.Logger
}

// Pool runs jobs. It is safe for concurrent use.
type Pool struct {
	Config
	wake map[string]chan struct{} // wakes the workers of a kind, by its name

	mu sync.Mutex
	// runs holds the running jobs.
	runs            map[*RunningJob]struct{}
	allowedSubjects map[string]struct{} // subjects that were passed to AllowSubject
	// storeError is the result of StoreError.
	storeError error
	// postponed holds the jobs that this pool has returned to the queue because of ErrPostponed, each
	// with the time of the return. Further attempts of such a job are logged at the level Debug. A
	// job is removed when an attempt ends in another way, and after postponedTime.
	postponed map[string]time.Time
	// keepsLease is true if a job could not be returned to the queue when the pool stopped.
	keepsLease bool

	// claimMu is locked during a claim, so that concurrent claims do not exceed Memory or
	// PerAccount together.
	claimMu sync.Mutex
	active  map[string]*Job // the running jobs by key; guarded by claimMu
}

// NewPool returns a pool. It runs no jobs until [Pool.Run] is called.
func NewPool(c Config) *Pool {
	p := &Pool{Config: c, runs: map[*RunningJob]struct{}{}, allowedSubjects: map[string]struct{}{}, postponed: map[string]time.Time{}, active: map[string]*Job{}}
	p.SetKinds(c.Kinds)
	return p
}

// SetKinds replaces the kinds of jobs to run. It must be called before [Pool.Run], and not concurrently
// with another method.
func (p *Pool) SetKinds(kinds []Kind) {
	p.Kinds, p.wake = kinds, map[string]chan struct{}{}
	for _, k := range kinds {
		p.wake[k.Name] = make(chan struct{}, 1)
	}
}

// Wake makes an idle worker look for a job of this kind at once. It ignores unknown kinds.
func (p *Pool) Wake(kind string) {
	select {
	case p.wake[kind] <- struct{}{}:
	default: // a notification is already pending
	}
}

// AllowSubject allows a pool with Config.AllowedSubjectsOnly to run the jobs on a dataset, race or
// prediction with this key, now and later. It has no effect on other pools.
func (p *Pool) AllowSubject(subject string) {
	if !p.AllowedSubjectsOnly {
		return
	}
	p.mu.Lock()
	p.allowedSubjects[subject] = struct{}{}
	p.mu.Unlock()
	p.wakeAll()
}

// wakeAll calls Wake with every kind.
func (p *Pool) wakeAll() {
	for kind := range p.wake {
		p.Wake(kind)
	}
}

// StopJobsOfDeleted stops the jobs of this pool that belong to a deleted dataset, race, prediction
// or account with this key. Other processes stop such jobs at the next heartbeat.
func (p *Pool) StopJobsOfDeleted(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		if r.Subject == key || r.Account == key {
			r.stop(ErrLeaseLost)
		}
	}
}

// Cancel requests the cancellation of the job of the race with this key, if this pool runs the job.
func (p *Pool) Cancel(subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		if r.Subject == subject {
			r.cancel()
		}
	}
}

// ErrNotReleased is returned by [Pool.Run] if a job may not be back in the queue.
var ErrNotReleased = errors.New("unfinished jobs may return to the queue only when their leases expire")

// Run runs jobs until ctx is done. Then it stops the running jobs and returns them to the
// queue, which takes at most five seconds. A job that does not stop in time keeps its lease
// until the process ends, and Run returns ErrNotReleased.
func (p *Pool) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	workers.Go(func() { p.endExpiredLeases(ctx) })
	workers.Go(func() { p.wakeOnStoreChanges(ctx) })
	workers.Go(func() { p.wakeRegularly(ctx) })
	for i := range p.Kinds {
		for range max(1, p.Kinds[i].Workers) {
			workers.Go(func() { p.runWorker(ctx, &p.Kinds[i]) })
		}
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		workers.Wait()
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-stopped:
	case <-time.After(stopTimeout):
		p.warnOfAbandonedJobs(ctx)
		return ErrNotReleased
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keepsLease {
		return ErrNotReleased
	}
	return nil
}

// warnOfAbandonedJobs logs a warning for each job that has not stopped in time.
func (p *Pool) warnOfAbandonedJobs(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		p.Log.WarnContext(ctx, "a job does not stop in time and is abandoned", "job", r.Key, "kind", r.Kind, "subject", r.Subject)
	}
}

// endExpiredLeases calls Store.EndExpiredLeases every leaseCheckInterval, until ctx is done.
func (p *Pool) endExpiredLeases(ctx context.Context) {
	for ctx.Err() == nil {
		p.claimMu.Lock()
		running := p.activeKeys()
		p.claimMu.Unlock()
		check := LeaseCheck{Now: p.Now(), Timeout: leaseTimeout, Running: running, OnEnded: func(job, process string) {
			p.Log.WarnContext(ctx, "a process has died or does not renew its lease, so its job is queued again", "job", job, "process", process)
		}}
		if err := p.Store.EndExpiredLeases(ctx, check); err != nil && ctx.Err() == nil {
			p.Log.WarnContext(ctx, "cannot end the leases of dead processes; trying again", "error", err)
		}
		sleepOrWake(ctx, leaseCheckInterval, nil)
	}
}

// wakeOnStoreChanges wakes workers when the store reports that jobs may be claimed, until ctx is
// done.
func (p *Pool) wakeOnStoreChanges(ctx context.Context) {
	for ctx.Err() == nil {
		err := p.Store.WatchJobs(ctx, func(kind string) {
			if kind == "" {
				p.wakeAll()
				return
			}
			p.Wake(kind)
		})
		if err != nil && ctx.Err() == nil {
			p.Log.WarnContext(ctx, "cannot watch the database for new jobs; trying again", "error", err)
			sleepOrWake(ctx, retryDelay, nil)
		}
	}
}

// wakeRegularly wakes one worker of each kind every pollInterval, until ctx is done.
func (p *Pool) wakeRegularly(ctx context.Context) {
	for sleepOrWake(ctx, pollInterval, nil) {
		p.wakeAll()
	}
}

// runWorker claims and runs jobs of a kind, one at a time, until ctx is done.
func (p *Pool) runWorker(ctx context.Context, k *Kind) {
	var warned time.Time // when the last warning was logged
	for ctx.Err() == nil {
		j, err := p.claim(ctx, k)
		switch {
		case err == nil:
			p.setStoreError(nil)
			p.Wake(k.Name) // more jobs may be queued, for another worker
			p.runJob(ctx, k, j)
			p.removeActive(j)
		case errors.Is(err, ErrNoJob):
			select {
			case <-ctx.Done():
			case <-p.wake[k.Name]:
			}
		case ctx.Err() == nil:
			p.setStoreError(err)
			level := slog.LevelDebug
			if now := p.Now(); warned.IsZero() || now.Sub(warned).Abs() >= claimWarningInterval {
				level, warned = slog.LevelWarn, now
			}
			p.Log.Log(ctx, level, "cannot claim a job; trying again", "kind", k.Name, "error", err)
			sleepOrWake(ctx, retryDelay, nil)
		}
	}
}

// sleepOrWake waits until d has passed or wake is signalled. It returns false if ctx
// ends first.
func sleepOrWake(ctx context.Context, d time.Duration, wake <-chan struct{}) (ctxActive bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-wake:
	}
	return true
}
