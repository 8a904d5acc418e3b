// Package rescue passes a panic in a goroutine on to the goroutine that waits for it, which may
// recover. Without it, the panic ends the process. [ParallelFor] is a parallel loop that does so.
package rescue

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Catcher catches the panics of several goroutines. The zero value is ready to use. A Catcher is safe
// for concurrent use.
type Catcher struct {
	first atomic.Pointer[caught]
}

// caught is the value with which Rethrow panics.
type caught struct {
	reason any
	stack  []byte
}

// String returns the reason of the original panic.
func (c *caught) String() string { return fmt.Sprint(c.reason) }

// Call calls fn. If fn panics, Call keeps the panic for Rethrow, unless it has one already.
func (c *Catcher) Call(fn func()) {
	defer func() {
		if reason := recover(); reason != nil {
			c.first.CompareAndSwap(nil, &caught{reason, debug.Stack()})
		}
	}()
	fn()
}

// Caught reports whether a function passed to Call has panicked.
func (c *Catcher) Caught() bool { return c.first.Load() != nil }

// Rethrow panics if a function passed to Call has panicked. Call it after the goroutines have
// ended. [Stack] returns the stack of the first panic.
func (c *Catcher) Rethrow() {
	if first := c.first.Load(); first != nil {
		panic(first)
	}
}

// Stack returns the stack of a panic. It must be called in the function that recovers the panic,
// with reason, the result of recover. For a panic of Rethrow, it returns the stack of the original
// panic.
func Stack(reason any) []byte {
	if c, ok := reason.(*caught); ok {
		return c.stack
	}
	return debug.Stack()
}
