package learn

import (
	"errors"
	"fmt"

	"foretell/internal/learn/parallel"
)

// parallelFor is parallel.ForError, except that it recovers a panic of the
// function do and returns it as an error.
func parallelFor(workers, tasks int, do func(task int) error) error {
	return parallel.ForError(workers, tasks, func(i int) error {
		return recoverPanic(func() error { return do(i) })
	})
}

// errPanic is wrapped by the error that recoverPanic returns after a panic.
var errPanic = errors.New("internal error of the algorithm")

// recoverPanic calls the function do and returns its error. If do panics, it
// returns the panic as an error, so that the other algorithms continue.
func recoverPanic(do func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", errPanic, reason)
		}
	}()
	return do()
}
