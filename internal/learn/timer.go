package learn

import (
	"context"
	"errors"
	"time"
)

// Causes with which the context of a race is cancelled.
var (
	errStopped = errors.New("stopped")
	errTimeUp  = errors.New("the time limit was reached")
)

// pollInterval is the interval at which the clock is read.
const pollInterval = 10 * time.Millisecond

// timer enforces the time limit of a race. It does nothing if there is no limit or no
// clock.
type timer struct {
	limit time.Duration
	now   func() time.Time
	began time.Time
}

func (t *timer) start() {
	if t.now != nil {
		t.began = t.now()
	}
}

// elapsed returns the time since t.began, or 0 without a clock.
func (t *timer) elapsed() time.Duration {
	if t.now == nil {
		return 0
	}
	return t.now().Sub(t.began)
}

// withLimit returns a context that is cancelled with errTimeUp as soon as the remaining time is at
// most reserve(). reserve is called repeatedly, because the time to reserve changes. The caller
// must call the returned function to release the context.
func (t *timer) withLimit(ctx context.Context, reserve func() time.Duration) (limited context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if t.now == nil || t.limit <= 0 {
		return ctx, func() { cancel(nil) }
	}
	isTimeUp := func() bool { return t.elapsed()+reserve() >= t.limit }
	if isTimeUp() {
		cancel(errTimeUp)
		return ctx, func() {}
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		ticker := time.NewTicker(pollInterval)
		defer ticker.Stop()
		for !isTimeUp() {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
		cancel(errTimeUp)
	}()
	return ctx, func() { cancel(nil); <-gone }
}

// withStop returns a context that is cancelled with errStopped when stop is
// closed. The caller must call the returned function to release the context.
func withStop(ctx context.Context, stop <-chan struct{}) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if stop == nil {
		return ctx, func() { cancel(nil) }
	}
	select {
	case <-stop:
		cancel(errStopped)
	default:
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-stop:
			cancel(errStopped)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil); <-gone }
}
