package parallel

import (
	"errors"
	"fmt"
)

// ErrPanic is wrapped by the error that Recover returns after a panic.
var ErrPanic = errors.New("internal error of the algorithm")

// Recover calls the function do and returns its error. If do panics, it returns the
// panic as an error, so that the other algorithms continue.
func Recover(do func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, reason)
		}
	}()
	return do()
}
