package turn

import (
	"context"
	"sync"

	"foretell/internal/rescue"
)

// SharedCalls runs functions in the background, one at a time for each key. Concurrent callers with
// the same key share one run and its result. A run continues when its callers no longer wait. A
// SharedCalls is safe for concurrent use.
type SharedCalls[T any] struct {
	life  context.Context // ends when Close is called
	end   context.CancelFunc
	ended sync.WaitGroup // the running functions

	mu      sync.Mutex
	running map[string]*sharedCall[T] // by key
}

// sharedCall is a running function. When done is closed, its result, its error and the panic that
// it has caught may be read.
type sharedCall[T any] struct {
	done   chan struct{}
	panics rescue.Catcher
	result T
	err    error
}

// NewSharedCalls returns a SharedCalls that runs no function. The caller must call Close.
func NewSharedCalls[T any]() *SharedCalls[T] {
	s := &SharedCalls[T]{running: map[string]*sharedCall[T]{}}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Do returns the result of the function that is running for this key. If none is running, it starts
// fn. The context of fn has the values of ctx, but ends only when Close is called. If ctx ends
// first, Do returns the error of ctx, and the function continues. If the function panics, Do panics
// for each caller that waits.
func (s *SharedCalls[T]) Do(ctx context.Context, key string, fn func(ctx context.Context) (T, error)) (result T, err error) {
	call := s.startOrJoin(ctx, key, fn)
	select {
	case <-call.done:
		call.panics.Rethrow()
		return call.result, call.err
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

// startOrJoin returns the call that is running for a key. If none is running, it starts one with fn.
func (s *SharedCalls[T]) startOrJoin(ctx context.Context, key string, fn func(ctx context.Context) (T, error)) *sharedCall[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if call, ok := s.running[key]; ok {
		return call
	}
	call := &sharedCall[T]{done: make(chan struct{})}
	s.running[key] = call
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(s.life, cancel)
	s.ended.Go(func() {
		defer cancel()
		defer stop()
		call.panics.Call(func() { call.result, call.err = fn(ctx) })
		s.mu.Lock()
		delete(s.running, key)
		s.mu.Unlock()
		close(call.done)
	})
	return call
}

// Close ends the contexts of the running functions, and waits until they have returned. Do must not
// be called any more.
func (s *SharedCalls[T]) Close() {
	s.end()
	s.ended.Wait()
}
