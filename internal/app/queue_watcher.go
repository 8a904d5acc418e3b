package app

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// minQueueInterval is the minimum time between two calls of a function by queueWatchers. It
	// limits the time of the calls if the queue changes often.
	minQueueInterval = 250 * time.Millisecond
	// maxQueueInterval is the maximum time between two calls. It applies if a change of the queue was not
	// reported.
	maxQueueInterval = 5 * time.Second
)

// queueWatchers calls the functions passed to run whenever the queue of jobs may have changed. Its
// zero value is ready to use.
type queueWatchers struct {
	mu       sync.Mutex
	watchers []chan struct{}
}

// notify reports that the queue may have changed. It does not block.
func (w *queueWatchers) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, changed := range w.watchers {
		select {
		case changed <- struct{}{}:
		default: // a change is already reported
		}
	}
}

// run starts a goroutine that calls fn: immediately, after each change of the queue, and when
// the time that fn returned has passed. The goroutine ends when stop is called or ctx is done.
// stop waits until a running call of fn has returned.
func (w *queueWatchers) run(ctx context.Context, fn func() (next time.Duration)) (stop func()) {
	changed := make(chan struct{}, 1)
	w.mu.Lock()
	w.watchers = append(w.watchers, changed)
	w.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			next := min(fn(), maxQueueInterval)
			waitForChange(ctx, minQueueInterval, nil)
			waitForChange(ctx, next-minQueueInterval, changed)
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

// waitForChange waits until timeout has passed, changed is signalled or ctx is done.
func waitForChange(ctx context.Context, timeout time.Duration, changed <-chan struct{}) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-changed:
	}
}
