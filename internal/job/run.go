package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// heartbeat is how often a lease is renewed and a cancel looked for.
	heartbeat = time.Second
	// release bounds the time for giving a lease back at a clean stop.
	release = 5 * time.Second
	// maxAttempts is how many workers may die of a job before it is given up.
	maxAttempts = 5
)

// ErrAttempts is what a job is given up with whose workers died.
var ErrAttempts = fmt.Errorf("%d attempts ended with the death of their process", maxAttempts)

// ErrPanic is what a job is given up with that ran into a defect of the program.
var ErrPanic = errors.New("panic")

var errStopping = errors.New("the pool stops")

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

// release returns a job to the queue at a clean stop.
func (p *Pool) release(ctx context.Context, j *Job, log *slog.Logger) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), release)
	defer done()
	if err := p.Store.ReleaseJob(ctx, j.Key); err != nil {
		log.WarnContext(ctx, "giving a lease back", "error", err) // it will run out
		return
	}
	log.InfoContext(ctx, "job given back, the pool stops")
}

// Stuck returns why the beginning or the end of a job could not be written when
// that was last tried; nil if nothing waits to be written.
func (p *Pool) Stuck() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stuck
}

func (p *Pool) setStuck(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stuck = err
}

// giveUp commits the failure, again and again while the store fails, because
// nobody else takes the job while this process holds it.
func (p *Pool) giveUp(ctx context.Context, k *Kind, j *Job, cause error) {
	for {
		err := k.GiveUp(ctx, j, cause)
		if err == nil || errors.Is(err, ErrLost) {
			p.setStuck(nil)
			return
		}
		p.setStuck(err)
		if !pause(ctx, retry, nil) {
			return
		}
		p.Log.WarnContext(ctx, "writing that a job failed", "job", j.Key, "error", err)
	}
}
