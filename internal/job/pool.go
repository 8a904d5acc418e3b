package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

const (
	// lease is how long a worker may be silent before another takes over.
	lease = 10 * time.Second
	// heartbeat is how often a lease is renewed and a cancel looked for.
	heartbeat = time.Second
	// poll is how often a pool looks for what other processes queued or left.
	poll = 500 * time.Millisecond
	// retry is how long to wait after the store failed.
	retry = 2 * time.Second
	// release bounds the time for giving a lease back at a clean stop.
	release = 5 * time.Second
	// grace is how long a pool that stops waits for work under way.
	grace = 5 * time.Second
	// maxAttempts is how many workers may die of a job before it is given up.
	maxAttempts = 5
)

// Errors that a Store answers with. Test with errors.Is.
var (
	ErrNone = errors.New("no job to claim")
	ErrLost = errors.New("the lease is lost")
)

// ErrAttempts is what a job is given up with whose workers died.
var ErrAttempts = fmt.Errorf("%d attempts ended with the death of their process", maxAttempts)

// ErrPanic is what a job is given up with that ran into a defect of the program.
var ErrPanic = errors.New("panic")

var errStopping = errors.New("the pool stops")

// Job is a piece of work.
type Job struct {
	Key, Account, Kind string
	// Subject is the key of what the work is on.
	Subject string
	// Attempt counts from 1 the workers that took the job up.
	Attempt int
	Created time.Time
}

// Claim describes which job a worker may take, and for how long.
type Claim struct {
	Kind string
	// Subjects limits the claim to jobs on these things; nil allows any.
	Subjects []string
	// Without are accounts whose jobs are left to others.
	Without []string
	// Now is the time of the claim, Until the end of the lease.
	Now, Until time.Time
}

// Store holds the queue. Its leases belong to the process, not to the pool.
type Store interface {
	// ClaimJob leases the next job that the claim allows; ErrNone if there is none.
	ClaimJob(ctx context.Context, c Claim) (*Job, error)
	// RenewJob extends a lease; ErrLost if it is another's by now or the job is gone.
	RenewJob(ctx context.Context, key string, until time.Time) (cancelled bool, err error)
	// ReleaseJob gives an unfinished job back.
	ReleaseJob(ctx context.Context, key string) error
	// FreeDeadJobs frees the leases of processes known to be dead.
	FreeDeadJobs(ctx context.Context) error
}

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

// Run is a job being done.
type Run struct {
	Job
	once      sync.Once
	cancelled chan struct{}
	stop      context.CancelCauseFunc // ends the context of Do
}

// Cancelled is closed when the job's owner wants no more of it. Do then ends
// as the kind of work has it: it may still commit what it has.
func (r *Run) Cancelled() <-chan struct{} { return r.cancelled }

func (r *Run) cancel() { r.once.Do(func() { close(r.cancelled) }) }

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

	// claiming is held over a claim, so that no two claims overdraw PerAccount.
	claiming sync.Mutex
	held     map[held]int // guarded by claiming
}

// held counts the jobs of a kind and an account that this pool does.
type held struct{ kind, account string }

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

// claim leases the next job of a kind that this pool may take.
func (p *Pool) claim(ctx context.Context, k *Kind) (*Job, error) {
	p.claiming.Lock()
	defer p.claiming.Unlock()
	now := p.Now()
	c := Claim{Kind: k.Name, Now: now, Until: now.Add(lease)}
	for h, n := range p.held {
		if h.kind == k.Name && k.PerAccount > 0 && n >= k.PerAccount {
			c.Without = append(c.Without, h.account)
		}
	}
	if p.Wanted {
		p.mu.Lock()
		c.Subjects = slices.Sorted(maps.Keys(p.wanted))
		p.mu.Unlock()
		if len(c.Subjects) == 0 {
			return nil, ErrNone
		}
	}
	j, err := p.Store.ClaimJob(ctx, c)
	if err == nil {
		p.held[held{k.Name, j.Account}]++
	}
	return j, err
}

// unclaim makes up for the claim of a job that is done or given back.
func (p *Pool) unclaim(j *Job) {
	p.claiming.Lock()
	defer p.claiming.Unlock()
	h := held{j.Kind, j.Account}
	if p.held[h]--; p.held[h] == 0 {
		delete(p.held, h)
	}
}

// Drop ends the run of a subject that was deleted at once, if it is in this
// pool. In other processes its next heartbeat does.
func (p *Pool) Drop(subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for r := range p.runs {
		if r.Subject == subject {
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
			p.Wake(k.Name) // where there is one there may be more, for another worker
			p.do(ctx, k, j)
			p.unclaim(j)
		case errors.Is(err, ErrNone):
			pause(ctx, poll, p.wake[k.Name])
		case ctx.Err() == nil:
			p.Log.WarnContext(ctx, "claiming a job", "kind", k.Name, "error", err)
			pause(ctx, retry, nil)
		}
	}
}

// do does one job and sees to its end.
func (p *Pool) do(ctx context.Context, k *Kind, j *Job) {
	log := p.Log.With("job", j.Key, "kind", j.Kind, "subject", j.Subject, "attempt", j.Attempt)
	began := p.Now()
	log.InfoContext(ctx, "job begins")
	err := ErrAttempts
	if j.Attempt <= maxAttempts {
		err = p.attempt(ctx, k, j)
	}
	log = log.With("seconds", p.Now().Sub(began).Seconds())
	switch {
	case err == nil:
		log.InfoContext(ctx, "job ends")
	case errors.Is(err, ErrLost):
		log.WarnContext(ctx, "job was taken over or its subject deleted")
	case ctx.Err() != nil:
		p.release(ctx, j, log)
	default:
		log.ErrorContext(ctx, "job fails", "error", err)
		p.giveUp(ctx, k, j, err)
	}
}

// attempt runs Do under a lease. It answers ErrLost if that was lost.
func (p *Pool) attempt(ctx context.Context, k *Kind, j *Job) (err error) {
	ctx, stop := context.WithCancelCause(ctx)
	r := &Run{Job: *j, cancelled: make(chan struct{}), stop: stop}
	p.mu.Lock()
	p.runs[r] = struct{}{}
	p.mu.Unlock()
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		p.beat(ctx, r, stop)
	}()
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, e, debug.Stack())
		}
		p.mu.Lock()
		delete(p.runs, r)
		p.mu.Unlock()
		stop(errStopping)
		<-beating
	}()
	err = k.Do(ctx, r)
	if err != nil && errors.Is(context.Cause(ctx), ErrLost) {
		err = ErrLost
	}
	return err
}

// beat renews the lease until ctx ends, which it ends itself if that is lost.
func (p *Pool) beat(ctx context.Context, r *Run, stop context.CancelCauseFunc) {
	for {
		cancelled, err := p.Store.RenewJob(ctx, r.Key, p.Now().Add(lease))
		switch {
		case errors.Is(err, ErrLost):
			stop(ErrLost)
			return
		case ctx.Err() != nil:
			return
		case err != nil:
			p.Log.WarnContext(ctx, "renewing a lease", "job", r.Key, "error", err)
		case cancelled:
			r.cancel()
		}
		if !pause(ctx, heartbeat, nil) {
			return
		}
	}
}

// release gives a job back at a clean stop.
func (p *Pool) release(ctx context.Context, j *Job, log *slog.Logger) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), release)
	defer done()
	if err := p.Store.ReleaseJob(ctx, j.Key); err != nil {
		log.WarnContext(ctx, "giving a lease back", "error", err) // it will run out
		return
	}
	log.InfoContext(ctx, "job given back, the pool stops")
}

// giveUp commits the failure, again and again while the store fails, because
// nobody else takes the job while this process holds it.
func (p *Pool) giveUp(ctx context.Context, k *Kind, j *Job, cause error) {
	for {
		err := k.GiveUp(ctx, j, cause)
		if err == nil || errors.Is(err, ErrLost) {
			return
		}
		if !pause(ctx, retry, nil) {
			return
		}
		p.Log.WarnContext(ctx, "writing that a job failed", "job", j.Key, "error", err)
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
