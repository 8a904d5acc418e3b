package learn

import (
	"context"
	"errors"
	"time"
)

// Why a race ended before it was decided.
var (
	errStopped = errors.New("stopped")
	errTimeUp  = errors.New("the time limit was reached")
)

// glance is how often the clock is looked at.
const glance = 10 * time.Millisecond

// timer keeps the time limit of a race. Without a limit or a clock it keeps
// none.
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

// elapsed is the time since start.
func (t *timer) elapsed() time.Duration { return t.now().Sub(t.began) }

// within returns a context that ends with errTimeUp when no more than spare()
// is left of the limit, a duration that may change all the time. The function
// it returns releases the context and has to be called.
func (t *timer) within(ctx context.Context, spare func() time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if t.now == nil || t.limit <= 0 {
		return ctx, func() { cancel(nil) }
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		ticker := time.NewTicker(glance)
		defer ticker.Stop()
		for t.elapsed()+spare() < t.limit {
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

// stoppable returns a context that ends with errStopped when stop is closed.
func stoppable(ctx context.Context, stop <-chan struct{}) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if stop == nil {
		return ctx, func() { cancel(nil) }
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
