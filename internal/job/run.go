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
	// heartbeatInterval is how often a lease is renewed and cancellation checked.
	heartbeatInterval = time.Second
	// releaseTimeout is the time limit for releasing a job at a clean stop.
	releaseTimeout = 5 * time.Second
	// maxAttempts is the number of attempts that may end with the death of the
	// process before the job fails.
	maxAttempts = 5
)

// ErrTooManyAttempts is the cause passed to Fail after too many attempts.
var ErrTooManyAttempts = fmt.Errorf("%d attempts ended with the death of their process", maxAttempts)

// ErrPanic is the cause passed to Fail if Do panicked.
var ErrPanic = errors.New("panic")

var errStopping = errors.New("the pool stops")

// Run is a running job.
type Run struct {
	Job
	once      sync.Once
	cancelled chan struct{}
	stop      context.CancelCauseFunc // ends the context of Do
}

// Cancelled is closed when the job is cancelled. Do then ends as is right for
// its kind: it may still commit a result.
func (r *Run) Cancelled() <-chan struct{} { return r.cancelled }

func (r *Run) cancel() { r.once.Do(func() { close(r.cancelled) }) }

// runJob runs one job to its end.
func (p *Pool) runJob(ctx context.Context, k *Kind, j *Job) {
	log := p.Log.With("job", j.Key, "kind", j.Kind, "subject", j.Subject, "attempt", j.Attempt)
	began := p.Now()
	log.InfoContext(ctx, "job begins")
	err := ErrTooManyAttempts
	if j.Attempt <= maxAttempts {
		err = p.attempt(ctx, k, j)
	}
	log = log.With("seconds", p.Now().Sub(began).Seconds())
	switch {
	case err == nil:
		log.InfoContext(ctx, "job ends")
	case errors.Is(err, ErrLeaseLost):
		log.WarnContext(ctx, "job was taken over or its subject deleted")
	case ctx.Err() != nil:
		p.releaseJob(ctx, j, log)
	default:
		log.ErrorContext(ctx, "job fails", "error", err)
		p.commitFailure(ctx, k, j, err)
	}
}

// attempt runs Do under a lease. It returns ErrLeaseLost if the lease was lost.
func (p *Pool) attempt(ctx context.Context, k *Kind, j *Job) (err error) {
	ctx, stop := context.WithCancelCause(ctx)
	r := &Run{Job: *j, cancelled: make(chan struct{}), stop: stop}
	p.mu.Lock()
	p.runs[r] = struct{}{}
	p.mu.Unlock()
	heartbeatDone := make(chan struct{})
	go func() {
		defer close(heartbeatDone)
		p.heartbeat(ctx, r, stop)
	}()
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, e, debug.Stack())
		}
		p.mu.Lock()
		delete(p.runs, r)
		p.mu.Unlock()
		stop(errStopping)
		<-heartbeatDone
	}()
	err = k.Do(ctx, r)
	if err != nil && errors.Is(context.Cause(ctx), ErrLeaseLost) {
		err = ErrLeaseLost
	}
	return err
}

// heartbeat renews the lease until ctx is done. It calls stop if the lease was lost.
func (p *Pool) heartbeat(ctx context.Context, r *Run, stop context.CancelCauseFunc) {
	for {
		cancelled, err := p.Store.RenewJob(ctx, r.Key, p.Now().Add(lease))
		switch {
		case errors.Is(err, ErrLeaseLost):
			stop(ErrLeaseLost)
			return
		case ctx.Err() != nil:
			return
		case err != nil:
			p.Log.WarnContext(ctx, "renewing a lease", "job", r.Key, "error", err)
		case cancelled:
			r.cancel()
		}
		if !sleep(ctx, heartbeatInterval, nil) {
			return
		}
	}
}

// releaseJob returns a job to the queue at a clean stop.
func (p *Pool) releaseJob(ctx context.Context, j *Job, log *slog.Logger) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer done()
	if err := p.Store.ReleaseJob(ctx, j.Key); err != nil {
		log.WarnContext(ctx, "releasing a job", "error", err) // the lease will expire
		return
	}
	log.InfoContext(ctx, "job released, the pool stops")
}

// StoreError returns the error of the last attempt to write the start or end of a
// job; nil if it succeeded.
func (p *Pool) StoreError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.storeError
}

func (p *Pool) setStoreError(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.storeError = err
}

// commitFailure commits the failure. It retries while the store fails, because no
// other process claims the job while this one has the lease.
func (p *Pool) commitFailure(ctx context.Context, k *Kind, j *Job, cause error) {
	for {
		err := k.Fail(ctx, j, cause)
		if err == nil || errors.Is(err, ErrLeaseLost) {
			p.setStoreError(nil)
			return
		}
		p.setStoreError(err)
		if !sleep(ctx, retryDelay, nil) {
			return
		}
		p.Log.WarnContext(ctx, "writing that a job failed", "job", j.Key, "error", err)
	}
}
