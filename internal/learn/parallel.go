package learn

import (
	"errors"
	"fmt"
	"sync/atomic"

	"foretell/internal/learn/parallel"
)

// parallelFor calls do for each task in 0…tasks-1 on at most workers goroutines
// and waits for them. A panic of do becomes an error. After an error no further
// task begins. The error of the lowest task is returned.
func parallelFor(workers, tasks int, do func(task int) error) error {
	errs := make([]error, tasks)
	var failed atomic.Bool
	parallel.For(workers, tasks, func(_, i int) {
		if failed.Load() {
			return
		}
		if errs[i] = recovering(func() error { return do(i) }); errs[i] != nil {
			failed.Store(true)
		}
	})
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
