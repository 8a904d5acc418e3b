package parallel

import (
	"errors"
	"fmt"
)

// ErrPanic is wrapped by the error that Recover returns after a panic.
var ErrPanic = errors.New("internal error of the algorithm")

// Recover calls the function do and returns its error. If do panics, Recover returns the
// panic as an error. A panic in one algorithm of a race therefore does not stop the other
// algorithms.
func Recover(do func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, reason)
		}
	}()
	return do()
}
