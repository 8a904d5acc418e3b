// Package repeat calls functions at intervals.
package repeat

import (
	"context"
	"time"
)

// Every starts a goroutine that calls fn at intervals until stop is called or ctx is done.
// stop waits until a running call of fn has returned.
func Every(ctx context.Context, interval time.Duration, fn func()) (stop func()) {
	return AfterAndEvery(ctx, interval, interval, fn)
}

// AfterAndEvery is like Every, but first is the time until the first call.
func AfterAndEvery(ctx context.Context, first, interval time.Duration, fn func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx, first, interval, fn)
	}()
	return func() {
		cancel()
		<-done
	}
}

// Until calls fn at intervals, in the goroutine of the caller, and returns when ctx is done. The first call
// is after one interval.
func Until(ctx context.Context, interval time.Duration, fn func()) { run(ctx, interval, interval, fn) }

// run calls fn after the duration first and then at intervals, until ctx is done.
func run(ctx context.Context, first, interval time.Duration, fn func()) {
	timer := time.NewTimer(first)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			timer.Reset(interval)
			fn()
		}
	}
}
