package parallel

import (
	"errors"
	"fmt"

	"foretell/internal/rescue"
)

// ErrPanic is wrapped by the error that Recover returns after a panic.
var ErrPanic = errors.New("internal error of the algorithm")

// PanicError is the error that Recover returns after a panic. It wraps ErrPanic. Its message contains
// the reason, but not the stack.
type PanicError struct {
	Reason any    // the value passed to panic
	Stack  []byte // the stack of the goroutine that panicked, as text
}

// Error returns the text of ErrPanic and the reason.
func (e *PanicError) Error() string { return fmt.Sprintf("%v: %v", ErrPanic, e.Reason) }

// Unwrap returns ErrPanic.
func (e *PanicError) Unwrap() error { return ErrPanic }

// Recover calls the function do and returns its error. If do panics, Recover returns the
// panic as a *PanicError. A panic in one algorithm of a race therefore does not stop the other
// algorithms.
func Recover(do func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = &PanicError{Reason: reason, Stack: rescue.Stack(reason)}
		}
	}()
	return do()
}
