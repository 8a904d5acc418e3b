package job

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// minWatchInterval is the minimum time between two calls of a function by Watchers. It limits
	// the cost if the queue changes often.
	minWatchInterval = 250 * time.Millisecond
	// MaxWatchInterval is the maximum time between two calls, so that a change of the queue is
	// noticed even if it is not reported.
	MaxWatchInterval = 5 * time.Second
)

// Watchers calls the functions passed to Start whenever the queue of jobs may have changed. Its
// zero value is ready to use.
type Watchers struct {
	mu       sync.Mutex
	watchers []chan struct{}
}

// Notify reports that the queue may have changed. It does not block.
func (w *Watchers) Notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, changed := range w.watchers {
		select {
		case changed <- struct{}{}:
		default: // a change is already reported
		}
	}
}

// Start starts a goroutine that calls fn: immediately, after each change of the queue, and when
// the time that fn returned has passed. The goroutine ends when stop is called or ctx is done.
// stop waits until a running call of fn has returned.
func (w *Watchers) Start(ctx context.Context, fn func() (next time.Duration)) (stop func()) {
	changed := make(chan struct{}, 1)
	w.mu.Lock()
	w.watchers = append(w.watchers, changed)
	w.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			next := min(fn(), MaxWatchInterval)
			sleepOrWake(ctx, minWatchInterval, nil)
			sleepOrWake(ctx, next-minWatchInterval, changed)
		}
	}()
	return func() {
		cancel()
		<-done
		w.mu.Lock()
		defer w.mu.Unlock()
		w.watchers = slices.DeleteFunc(w.watchers, func(other chan struct{}) bool { return other == changed })
	}
}
