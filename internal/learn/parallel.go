package learn

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// each calls do for each task in 0…tasks-1 on at most workers goroutines and
// waits for all of them. A panic of do becomes an error. It returns the error
// of the first task that has one; after an error no further task begins.
func each(workers, tasks int, do func(task int) error) error {
	errs := make([]error, tasks)
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(workers, tasks) {
		group.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= tasks {
					return
				}
				if errs[i] = guarded(func() error { return do(i) }); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// errPanic is in the chain of the error a panic has become.
var errPanic = errors.New("the algorithm broke down")

// guarded calls do and turns a panic into an error: one algorithm that breaks
// down must not end the others.
func guarded(do func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", errPanic, reason)
		}
	}()
	return do()
}
