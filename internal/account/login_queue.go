package account

import (
	"context"
	"sync"
	"time"
)

// maxQueuedLogins is the maximum number of log-ins from one network address that run or wait in a
// process. Each log-in takes about 25 ms, so the last log-in waits for a few seconds.
const maxQueuedLogins = 250

// loginQueue lets one log-in from each network address run at a time. Each log-in counts towards
// the limit of failed log-ins until it has succeeded. Without the queue, concurrent log-ins with
// correct passwords could therefore exceed the limit. Create a loginQueue with newLoginQueue. It is
// safe for concurrent use.
type loginQueue struct {
	mu     sync.Mutex
	queues map[string]*addressQueue // only of addresses from which a log-in runs
}

type addressQueue struct {
	running chan struct{} // has an element while a log-in runs
	n       int           // log-ins that run or wait; guarded by the mutex of the loginQueue
}

func newLoginQueue() *loginQueue { return &loginQueue{queues: map[string]*addressQueue{}} }

// enter waits until no other log-in from the address runs. The caller must call leave when its
// log-in has ended. If maxQueuedLogins log-ins run or wait, enter returns a *api.Problem with
// CodeTooMany. If ctx ends first, it returns the error of ctx.
func (q *loginQueue) enter(ctx context.Context, address string) (leave func(), err error) {
	own := q.join(address)
	if own == nil {
		return nil, tooManyFromAddressProblem(time.Second)
	}
	select {
	case own.running <- struct{}{}:
		return func() { <-own.running; q.quit(address) }, nil
	case <-ctx.Done():
		q.quit(address)
		return nil, ctx.Err()
	}
}

// join returns the queue of an address after adding a log-in to it, or nil if the queue is full.
func (q *loginQueue) join(address string) *addressQueue {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.queues[address]
	if own == nil {
		own = &addressQueue{running: make(chan struct{}, 1)}
		q.queues[address] = own
	}
	if own.n == maxQueuedLogins {
		return nil
	}
	own.n++
	return own
}

// quit removes a log-in from the queue of an address.
func (q *loginQueue) quit(address string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.queues[address]
	if own.n--; own.n == 0 {
		delete(q.queues, address)
	}
}
