// Package turn limits how many calls of an expensive function run concurrently. Accounts take
// turns, so that no account can block other accounts.
package turn

import (
	"context"
	"sync"
)

// FairSemaphore limits how many functions run at a time, and lets accounts take turns. It admits
// only one function of each account at a time, to run or to wait for its turn. Further functions
// of the account wait until this one has returned, so that an account with many functions does not
// delay the others. A FairSemaphore is safe for concurrent use.
type FairSemaphore struct {
	running  chan struct{} // has an element for each running function
	accounts sync.Map      // maps each account to a chan struct{} of capacity 1; it is full while a function of the account runs or waits to send to running
}

// NewFairSemaphore returns a semaphore that lets n functions run at a time.
func NewFairSemaphore(n int) *FairSemaphore { return &FairSemaphore{running: make(chan struct{}, n)} }

// Do calls fn when it is the turn of the account, and returns the error of fn. If ctx ends
// earlier, Do returns the error of ctx and does not call fn.
func (q *FairSemaphore) Do(ctx context.Context, account string, fn func() error) error {
	own, _ := q.accounts.LoadOrStore(account, make(chan struct{}, 1))
	for _, slot := range []chan struct{}{own.(chan struct{}), q.running} {
		select {
		case slot <- struct{}{}:
			defer func() { <-slot }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fn()
}
