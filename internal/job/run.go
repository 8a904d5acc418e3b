package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"foretell/internal/rescue"
)

const (
	// heartbeatInterval is the interval at which a worker renews its lease and checks whether
	// the job was cancelled.
	heartbeatInterval = time.Second
	// releaseTimeout is the time limit for releasing a job.
	releaseTimeout = 5 * time.Second
	// postponedTime is the time after which a pool forgets that it has postponed a job.
	postponedTime = time.Hour
	// maxAttempts is the number of attempts after which a job fails. Only attempts whose process
	// died count.
	maxAttempts = 5
)

// ErrTooManyAttempts is passed to Kind.Fail as the cause after maxAttempts attempts.
var ErrTooManyAttempts = fmt.Errorf("the process died in each of %d attempts", maxAttempts)

// ErrPanic is wrapped by the cause that is passed to Kind.Fail if Kind.Do has panicked.
var ErrPanic = errors.New("panic")

// ErrPostponed says that a job cannot run now, because a service that it needs is unavailable. If
// the error of Kind.Do wraps ErrPostponed, the job is queued again and the attempt does not count.
var ErrPostponed = errors.New("the job must wait")

var errStopping = errors.New("the pool stops")

// RunningJob is a running job.
type RunningJob struct {
	Job
	once      sync.Once
	cancelled chan struct{}
	stop      context.CancelCauseFunc // ends the context of Do
}

// Cancelled returns a channel that is closed when cancellation of the job is requested. Kind.Do
// should then end, and may still store a result.
func (r *RunningJob) Cancelled() <-chan struct{} { return r.cancelled }

func (r *RunningJob) cancel() { r.once.Do(func() { close(r.cancelled) }) }

// runJob runs one job until it has ended or is queued again.
func (p *Pool) runJob(ctx context.Context, k *Kind, j *Job) {
	log := p.Log.With("job", j.Key, "kind", j.Kind, "subject", j.Subject, "accountKey", j.Account, "attempt", j.Attempt)
	j.Begun = p.Now()
	beginLevel, waitLevel := slog.LevelInfo, slog.LevelWarn
	if p.wasPostponed(j.Key) { // otherwise the log would have two lines every retryDelay
		beginLevel, waitLevel = slog.LevelDebug, slog.LevelDebug
	}
	log.Log(ctx, beginLevel, "job begins")
	r, leased, stopHeartbeats := p.startHeartbeats(ctx, j)
	defer stopHeartbeats()
	err := ErrTooManyAttempts
	if j.Attempt <= maxAttempts {
		err = do(leased, k, r)
	}
	p.setPostponed(j.Key, errors.Is(err, ErrPostponed))
	log = log.With("seconds", p.Now().Sub(j.Begun).Seconds())
	switch {
	case err == nil:
		log.InfoContext(ctx, "job ends", "outcome", r.Outcome)
	case errors.Is(err, ErrLeaseLost):
		log.WarnContext(ctx, "job lost its lease: another process took the job over, its race was queued again, its subject was deleted, or its account was disabled")
	case ctx.Err() != nil:
		stopHeartbeats()
		if p.releaseJob(ctx, j, p.Now()) {
			log.InfoContext(ctx, "job released because the pool stops")
			return
		}
		p.mu.Lock()
		p.keepsLease = true
		p.mu.Unlock()
	case errors.Is(err, ErrPostponed):
		stopHeartbeats()
		log.Log(ctx, waitLevel, "job waits", "error", err)
		p.releaseJob(ctx, j, j.QueuedAt)  // it has done no work, so its wait goes on
		sleepOrWake(ctx, retryDelay, nil) // a pause before the job is claimed again
	default:
		log.ErrorContext(ctx, "job fails", "error", err)
		p.storeFailureWithRetries(leased, k, j, err)
	}
}

// wasPostponed reports whether the last attempt of this pool to run the job ended with ErrPostponed.
func (p *Pool) wasPostponed(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, postponed := p.postponed[key]
	return postponed
}

// setPostponed records whether an attempt to run the job has ended with ErrPostponed.
func (p *Pool) setPostponed(key string, postponed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.postponed, key)
	if !postponed {
		return
	}
	now := p.Now()
	maps.DeleteFunc(p.postponed, func(_ string, since time.Time) bool { return now.Sub(since) >= postponedTime })
	p.postponed[key] = now
}

// startHeartbeats begins to renew the lease of j. If the lease is lost, the returned context ends
// with the cause ErrLeaseLost. Calling stop ends the renewal and the context. stop may be called
// twice.
func (p *Pool) startHeartbeats(ctx context.Context, j *Job) (r *RunningJob, leased context.Context, stop func()) {
	leased, cancel := context.WithCancelCause(ctx)
	r = &RunningJob{Job: *j, cancelled: make(chan struct{}), stop: cancel}
	p.mu.Lock()
	p.runs[r] = struct{}{}
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.sendHeartbeats(leased, r, cancel)
	}()
	return r, leased, func() {
		p.mu.Lock()
		delete(p.runs, r)
		p.mu.Unlock()
		cancel(errStopping)
		<-done
	}
}

// do calls k.Do. It returns ErrLeaseLost if the lease of the job was lost, which ends ctx. If k.Do
// panics, the error wraps ErrPanic.
func do(ctx context.Context, k *Kind, r *RunningJob) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, e, rescue.Stack(e))
		}
	}()
	err = k.Do(ctx, r)
	if err != nil && errors.Is(context.Cause(ctx), ErrLeaseLost) {
		err = ErrLeaseLost
	}
	return err
}

// sendHeartbeats renews the lease of r until ctx is done, and requests the cancellation of r if the
// store reports it. If the lease is lost, sendHeartbeats calls stop with ErrLeaseLost and returns.
func (p *Pool) sendHeartbeats(ctx context.Context, r *RunningJob, stop context.CancelCauseFunc) {
	for {
		cancelled, err := p.Store.RenewJob(ctx, r.Key, p.Now().Add(leaseTimeout))
		switch {
		case errors.Is(err, ErrLeaseLost):
			stop(ErrLeaseLost)
			return
		case ctx.Err() != nil:
			return
		case err != nil:
			p.Log.WarnContext(ctx, "cannot renew the lease of a job; trying again", "job", r.Key, "error", err)
		case cancelled:
			r.cancel()
		}
		if !sleepOrWake(ctx, heartbeatInterval, nil) {
			return
		}
	}
}

// releaseJob returns a job to the queue. queuedAt is when its wait began. If the store returns an
// error, the job remains leased until its lease expires, and releaseJob returns false.
func (p *Pool) releaseJob(ctx context.Context, j *Job, queuedAt time.Time) (released bool) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer done()
	err := p.Store.ReleaseJob(ctx, j.Key, queuedAt)
	if err != nil {
		p.Log.WarnContext(ctx, "cannot return a job to the queue; its lease will expire", "job", j.Key, "error", err)
	}
	return err == nil
}

// StoreError returns the error of the store at the last claim, or at the last attempt to store that
// a job failed, whichever was later. It returns nil if that succeeded.
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

// storeFailureWithRetries calls k.Fail until it succeeds, the lease is lost or ctx is done. The
// lease must be renewed meanwhile. If the lease expired, another process would run the job again,
// and the job would fail again.
func (p *Pool) storeFailureWithRetries(ctx context.Context, k *Kind, j *Job, cause error) {
	for {
		err := k.Fail(ctx, j, cause)
		if err == nil || errors.Is(err, ErrLeaseLost) {
			p.setStoreError(nil)
			return
		}
		p.setStoreError(err)
		if !sleepOrWake(ctx, retryDelay, nil) {
			if errors.Is(context.Cause(ctx), ErrLeaseLost) {
				p.setStoreError(nil) // this process need not store the failure any more
			}
			return
		}
		p.Log.WarnContext(ctx, "cannot store the failure of a job; trying again", "job", j.Key, "error", err)
	}
}
