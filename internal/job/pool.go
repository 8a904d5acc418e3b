package job

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// pollInterval is how often a pool looks for jobs of other processes.
	pollInterval = 500 * time.Millisecond
	// retryDelay is the delay after an error of the store.
	retryDelay = 2 * time.Second
	// stopTimeout is how long Run waits for running jobs to stop.
	stopTimeout = 5 * time.Second
)

// Kind is a kind of job and its implementation.
type Kind struct {
	Name string
	// Workers is the number of concurrent jobs.
	Workers int
	// PerAccount limits the concurrent jobs of one account, so that a worker stays
	// free for other accounts; 0 is no limit.
	PerAccount int
	// Do runs the job and commits its result, which deletes the job from the
	// store. When ctx is done it must return soon, with an error and without a
	// commit; the job stays queued for another worker.
	Do func(ctx context.Context, r *Run) error
	// Fail commits that the job has failed permanently, which deletes it. It is
	// retried until it succeeds.
	Fail func(ctx context.Context, j *Job, cause error) error
}

// Config configures a Pool.
type Config struct {
	Store Store
	Kinds []Kind
	// AllowedSubjectsOnly limits the pool to jobs whose subject was passed to [Pool.AllowSubject].
	// Otherwise it runs the jobs of all processes.
	AllowedSubjectsOnly bool
	Now                 func() time.Time
	Log                 *slog.Logger
}

// Pool runs jobs. It is safe for concurrent use.
type Pool struct {
	Config
	wake map[string]chan struct{} // by kind

	mu              sync.Mutex
	runs            map[*Run]struct{}
	allowedSubjects map[string]struct{} // subjects
	storeError      error

	// claimMu is held during a claim, so that concurrent claims respect
	// PerAccount.
	claimMu sync.Mutex
	active  map[accountKind]int // guarded by claimMu
}

// NewPool returns a pool. It runs no jobs before [Pool.Run].
func NewPool(c Config) *Pool {
	p := &Pool{Config: c, wake: map[string]chan struct{}{}, runs: map[*Run]struct{}{}, allowedSubjects: map[string]struct{}{}, active: map[accountKind]int{}}
	for _, k := range c.Kinds {
		p.wake[k.Name] = make(chan struct{}, 1)
	}
	return p
}

// Wake notifies the pool that a job of the kind was queued, so that an idle
// worker claims it at once.
func (p *Pool) Wake(kind string) {
	select {
	case p.wake[kind] <- struct{}{}:
	default: // a notification is already pending
	}
}

// AllowSubject lets a pool with Config.AllowedSubjectsOnly run the job on a subject, now or once
// it is queued.
func (p *Pool) AllowSubject(subject string) {
	if !p.AllowedSubjectsOnly {
		return
	}
	p.mu.Lock()
	p.allowedSubjects[subject] = struct{}{}
	p.mu.Unlock()
	for kind := range p.wake {
		p.Wake(kind)
	}
}

// StopDeleted stops the running jobs of a deleted subject or account in this pool at
// once. Other processes stop theirs at the next heartbeat.
func (p *Pool) StopDeleted(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		if r.Subject == key || r.Account == key {
			r.stop(ErrLeaseLost)
		}
	}
}

// Cancel cancels the running job on a subject at once, if it is in this pool.
func (p *Pool) Cancel(subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		if r.Subject == subject {
			r.cancel()
		}
	}
}

// Run runs jobs until ctx is done, and returns when the running jobs have
// stopped and are released. It does not wait longer than five seconds: the
// lease of a job that has not stopped is freed when the process ends.
func (p *Pool) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	workers.Go(func() { p.freeDeadLeases(ctx) })
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
	sleep(context.WithoutCancel(ctx), stopTimeout, stopped)
	p.warnAbandoned(ctx) // normally none
	return nil
}

// warnAbandoned logs the jobs that have not stopped.
func (p *Pool) warnAbandoned(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		p.Log.WarnContext(ctx, "job does not stop and is abandoned", "job", r.Key, "kind", r.Kind, "subject", r.Subject)
	}
}

// freeDeadLeases frees the leases of dead processes, at once and then periodically.
func (p *Pool) freeDeadLeases(ctx context.Context) {
	for ctx.Err() == nil {
		if err := p.Store.FreeDeadLeases(ctx); err != nil && ctx.Err() == nil {
			p.Log.WarnContext(ctx, "freeing the leases of dead processes", "error", err)
		}
		sleep(ctx, pollInterval, nil)
	}
}

// runWorker claims and runs jobs of a kind, one at a time.
func (p *Pool) runWorker(ctx context.Context, k *Kind) {
	for ctx.Err() == nil {
		j, err := p.claim(ctx, k)
		switch {
		case err == nil:
			p.setStoreError(nil)
			p.Wake(k.Name) // there may be more, for another worker
			p.runJob(ctx, k, j)
			p.decrementActive(j)
		case errors.Is(err, ErrNoJob):
			sleep(ctx, pollInterval, p.wake[k.Name])
		case ctx.Err() == nil:
			p.setStoreError(err)
			p.Log.WarnContext(ctx, "claiming a job", "kind", k.Name, "error", err)
			sleep(ctx, retryDelay, nil)
		}
	}
}

// sleep waits for d or wake. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
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
