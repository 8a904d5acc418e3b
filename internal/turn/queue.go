// Package turn makes the callers of an expensive function take turns.
package turn

import (
	"context"
	"sync"
)

// Queue limits how many functions run at a time, and lets accounts take turns: of each account, at
// most one function runs or waits for those of other accounts. The others wait for it. A Queue is
// safe for concurrent use.
type Queue struct {
	running  chan struct{} // has an element for each running function
	accounts sync.Map      // by account, a chan struct{} with an element while a function of the account runs or waits for running
}

// NewQueue returns a queue that lets n functions run at a time.
func NewQueue(n int) *Queue { return &Queue{running: make(chan struct{}, n)} }

// Do calls do when it is the turn of the account, and returns its error. If ctx ends before, Do
// returns the error of ctx instead.
func (q *Queue) Do(ctx context.Context, account string, do func() error) error {
	own, _ := q.accounts.LoadOrStore(account, make(chan struct{}, 1))
	for _, slot := range []chan struct{}{own.(chan struct{}), q.running} {
		select {
		case slot <- struct{}{}:
			defer func() { <-slot }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return do()
}
