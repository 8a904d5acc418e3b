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

// errPanic is wrapped by the error that recoverPanic returns after a panic.
var errPanic = errors.New("internal error of the algorithm")

// recoverPanic calls do and returns its error. A panic of do is returned as an
// error, so that it does not end the other algorithms.
func recoverPanic(do func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", errPanic, reason)
		}
	}()
	return do()
}
