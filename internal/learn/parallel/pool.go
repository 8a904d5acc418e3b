package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// worker is a goroutine that runs parallel loops. It spins for a moment when it
// is idle, then exits. A loop does not wait for a worker that has not started.
//
//	free ── acquire ──▶ acquired ──▶ running ──▶ done ── release ──▶ free ──▶ exited
//	                       └───────────── release ──────────────────┘
type worker struct {
	state atomic.Int32
	loop  *loop // loop and index are set while the worker is acquired or running
	index int
	// ready receives a value when a worker in stateAwaited is done.
	ready chan struct{}
}

// States of a worker.
const (
	stateFree int32 = iota
	stateAcquired
	stateRunning
	stateAwaited // running, and its caller sleeps
	stateDone
	stateExited
)

// spinLimit is the number of calls of spin after which a goroutine sleeps or exits.
// Together, these calls take about a tenth of a millisecond, which is a few times as long as waking
// a goroutine.
const spinLimit = 400

// spin polls the state of w up to 64 times. It returns as soon as w no longer has the given state.
func (w *worker) spin(state int32) {
	for range 64 {
		if w.state.Load() != state {
			return
		}
	}
	runtime.Gosched()
}

// run runs the loops of the callers that acquire the worker.
func (w *worker) run() {
	for idle := 0; ; idle++ {
		switch state := w.state.Load(); {
		case state == stateAcquired:
			if w.state.CompareAndSwap(stateAcquired, stateRunning) {
				w.loop.run(w.index)
				if !w.state.CompareAndSwap(stateRunning, stateDone) {
					w.state.Store(stateDone)
					w.ready <- struct{}{}
				}
			}
			idle = 0
		case idle < spinLimit:
			w.spin(state)
		case w.state.CompareAndSwap(state, stateExited):
			return
		}
	}
}

// await returns when the worker has stopped running.
func (w *worker) await() {
	for idle := 0; ; idle++ {
		state := w.state.Load()
		if state != stateRunning {
			return
		}
		if idle < spinLimit {
			w.spin(stateRunning)
		} else if w.state.CompareAndSwap(stateRunning, stateAwaited) {
			<-w.ready
		}
	}
}

// workerPool is a stack of released workers. Some of them may have exited.
type workerPool struct {
	mutex sync.Mutex
	idle  []*worker
}

// idleWorkers is the pool that all loops share.
var idleWorkers workerPool

// acquire assigns an idle worker to a loop, or starts a new worker if no worker is idle. index is
// the number of the worker in this loop.
func (p *workerPool) acquire(loop *loop, index int) *worker {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for n := len(p.idle); n > 0; n = len(p.idle) {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		w.loop, w.index = loop, index
		if w.state.CompareAndSwap(stateFree, stateAcquired) {
			return w
		}
	}
	w := &worker{loop: loop, index: index, ready: make(chan struct{}, 1)}
	w.state.Store(stateAcquired)
	go w.run()
	return w
}

// release puts w back into the pool. If w has started to run the loop, release first waits until w
// is done. If w has exited, release does not put it back.
func (p *workerPool) release(w *worker) {
	if !w.state.CompareAndSwap(stateAcquired, stateFree) {
		w.await()
		if !w.state.CompareAndSwap(stateDone, stateFree) {
			return // it has exited
		}
	}
	w.loop = nil // w may stay in the pool for long
	p.mutex.Lock()
	p.idle = append(p.idle, w)
	p.mutex.Unlock()
}
