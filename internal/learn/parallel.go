package learn

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// each calls do for each task in 0…tasks-1 on at most workers goroutines and
// waits for them. A panic of do becomes an error. After an error no further task
// begins. The error of the lowest task is returned.
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
				if errs[i] = recovering(func() error { return do(i) }); errs[i] != nil {
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

// errPanic is wrapped by the error that recovering returns for a panic.
var errPanic = errors.New("the algorithm broke down")

// recovering calls do and converts a panic into an error, so that a panic in one
// algorithm does not end the others.
func recovering(do func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", errPanic, reason)
		}
	}()
	return do()
}
