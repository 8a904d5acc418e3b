package learn

import (
	"errors"
	"fmt"

	"foretell/internal/learn/parallel"
)

// parallelFor is parallel.ForError, but returns a panic of do as an error.
func parallelFor(workers, tasks int, do func(task int) error) error {
	return parallel.ForError(workers, tasks, func(i int) error {
		return recoverPanic(func() error { return do(i) })
	})
}

// errPanic is wrapped by the error that recovering returns after a panic.
var errPanic = errors.New("the algorithm broke down")

// recoverPanic calls do and converts a panic into an error, so that a panic in one
// algorithm does not end the others.
func recoverPanic(do func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", errPanic, reason)
		}
	}()
	return do()
}
