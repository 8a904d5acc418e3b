package job

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// poll is how often a pool looks for what other processes queued or left.
	poll = 500 * time.Millisecond
	// retry is how long to wait after the store failed.
	retry = 2 * time.Second
	// grace is how long a pool that stops waits for work under way.
	grace = 5 * time.Second
)

// Kind is a kind of job and how to do it.
type Kind struct {
	Name string
	// Workers is how many run at a time.
	Workers int
	// PerAccount is how many jobs of one account this pool does at a time, so
	// that a worker is left for the others; 0 is as many as there are workers.
	PerAccount int
	// Do does the work and commits its result, which removes the job from the
	// store. It returns soon after ctx is done, with an error, having
	// committed nothing; the job stays for another worker.
	Do func(ctx context.Context, r *Run) error
	// GiveUp commits that the job has failed for good, which removes it. It
	// is repeated until it succeeds.
	GiveUp func(ctx context.Context, j *Job, cause error) error
}

// Config is what a Pool works with.
type Config struct {
	Store Store
	Kinds []Kind
	// Wanted limits the pool to jobs whose subject was passed to [Pool.Want].
	// Otherwise it takes every job, whoever queued it.
	Wanted bool
	Now    func() time.Time
	Log    *slog.Logger
}

// Pool works on jobs. It is safe for any number of goroutines.
type Pool struct {
	Config
	wake map[string]chan struct{} // by kind

	mu     sync.Mutex
	runs   map[*Run]struct{}
	wanted map[string]struct{} // subjects
	stuck  error

	// claiming is held over a claim, so that no two claims overdraw PerAccount.
	claiming sync.Mutex
	held     map[held]int // guarded by claiming
}

// NewPool makes a pool. It does nothing until [Pool.Run].
func NewPool(c Config) *Pool {
	p := &Pool{Config: c, wake: map[string]chan struct{}{}, runs: map[*Run]struct{}{}, wanted: map[string]struct{}{}, held: map[held]int{}}
	for _, k := range c.Kinds {
		p.wake[k.Name] = make(chan struct{}, 1)
	}
	return p
}

// Wake tells that a job of the kind was queued, which is then claimed at once
// if a worker is idle.
func (p *Pool) Wake(kind string) {
	select {
	case p.wake[kind] <- struct{}{}:
	default: // somebody is about to look anyway
	}
}

// Want lets a pool that is limited to wanted jobs take the job on a subject, now
// or once it is queued.
func (p *Pool) Want(subject string) {
	if !p.Wanted {
		return
	}
	p.mu.Lock()
	p.wanted[subject] = struct{}{}
	p.mu.Unlock()
	for kind := range p.wake {
		p.Wake(kind)
	}
}

// Drop ends the runs of a subject or account that was deleted at once, if they
// are in this pool. In other processes their next heartbeats do.
func (p *Pool) Drop(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		if r.Subject == key || r.Account == key {
			r.stop(ErrLost)
		}
	}
}

// Cancel reaches the run of a subject at once, if it is in this pool.
func (p *Pool) Cancel(subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		if r.Subject == subject {
			r.cancel()
		}
	}
}

// Run works until ctx ends and all work under way has stopped, and gives
// the leases of unfinished work back. Work that does not stop within five
// seconds is left behind: its lease is free when the process has ended.
func (p *Pool) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	workers.Go(func() { p.free(ctx) })
	for i := range p.Kinds {
		for range max(1, p.Kinds[i].Workers) {
			workers.Go(func() { p.work(ctx, &p.Kinds[i]) })
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
	pause(context.WithoutCancel(ctx), grace, stopped)
	p.warnLeft(ctx) // none, as a rule
	return nil
}

// warnLeft logs the work that has not stopped.
func (p *Pool) warnLeft(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		p.Log.WarnContext(ctx, "job does not stop and is left behind", "job", r.Key, "kind", r.Kind, "subject", r.Subject)
	}
}

// free takes leases from the dead, at once and from time to time.
func (p *Pool) free(ctx context.Context) {
	for ctx.Err() == nil {
		if err := p.Store.FreeDeadJobs(ctx); err != nil && ctx.Err() == nil {
			p.Log.WarnContext(ctx, "freeing the leases of dead processes", "error", err)
		}
		pause(ctx, poll, nil)
	}
}

// work claims and does jobs of a kind, one after the other.
func (p *Pool) work(ctx context.Context, k *Kind) {
	for ctx.Err() == nil {
		j, err := p.claim(ctx, k)
		switch {
		case err == nil:
			p.setStuck(nil)
			p.Wake(k.Name) // where there is one there may be more, for another worker
			p.do(ctx, k, j)
			p.unclaim(j)
		case errors.Is(err, ErrNone):
			pause(ctx, poll, p.wake[k.Name])
		case ctx.Err() == nil:
			p.setStuck(err)
			p.Log.WarnContext(ctx, "claiming a job", "kind", k.Name, "error", err)
			pause(ctx, retry, nil)
		}
	}
}

// pause waits for d, or for wake; false if ctx ended first.
func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
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
