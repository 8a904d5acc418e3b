package tree

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// helper is a goroutine that joins crews. It stays awake for a moment when it
// has nothing to do, then it is gone. A crew that it has not yet joined does
// without it: nobody waits for a helper who is slow to wake.
//
//	free ── call ──▶ called ──▶ working ──▶ done ── release ──▶ free ──▶ gone
//	                    └─────────────── release ─────────────────┘
type helper struct {
	state  atomic.Int32
	crew   *crew // this and worker are the helper's while it is called or working
	worker int
	// ready is sent to by a helper whose caller sleeps.
	ready chan struct{}
}

// States of a helper.
const (
	free int32 = iota
	called
	working
	awaited // working, and its caller sleeps
	done
	gone
)

// patience is how often a goroutine looks for a change before it gives up: for
// about a tenth of a millisecond, a few times what it takes to wake another.
const patience = 400

// pause waits for a state to change, for a moment.
func (h *helper) pause(state int32) {
	for range 64 {
		if h.state.Load() != state {
			return
		}
	}
	runtime.Gosched()
}

// serve works for whoever calls.
func (h *helper) serve() {
	for idle := 0; ; idle++ {
		switch state := h.state.Load(); {
		case state == called:
			if h.state.CompareAndSwap(called, working) {
				h.crew.work(h.worker)
				if !h.state.CompareAndSwap(working, done) {
					h.state.Store(done)
					h.ready <- struct{}{}
				}
			}
			idle = 0
		case idle < patience:
			h.pause(state)
		case h.state.CompareAndSwap(state, gone):
			return
		}
	}
}

// await returns when the helper works no more.
func (h *helper) await() {
	for idle := 0; ; idle++ {
		state := h.state.Load()
		if state != working {
			return
		}
		if idle < patience {
			h.pause(working)
		} else if h.state.CompareAndSwap(working, awaited) {
			<-h.ready
		}
	}
}

// helpers keeps those that are free, or were: the last one that worked on top.
type helpers struct {
	mutex sync.Mutex
	free  []*helper
}

// bench is where the helpers of all callers wait.
var bench helpers

// call calls a helper to a crew, a new one if none is free.
func (b *helpers) call(c *crew, worker int) *helper {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for n := len(b.free); n > 0; n = len(b.free) {
		h := b.free[n-1]
		b.free = b.free[:n-1]
		h.crew, h.worker = c, worker
		if h.state.CompareAndSwap(free, called) {
			return h
		}
	}
	h := &helper{crew: c, worker: worker, ready: make(chan struct{}, 1)}
	h.state.Store(called)
	go h.serve()
	return h
}

// release calls a helper off, or waits until its work is done.
func (b *helpers) release(h *helper) {
	if !h.state.CompareAndSwap(called, free) {
		h.await()
		if !h.state.CompareAndSwap(done, free) {
			return // it is gone
		}
	}
	h.crew = nil // it may wait for long, or forever
	b.mutex.Lock()
	b.free = append(b.free, h)
	b.mutex.Unlock()
}
