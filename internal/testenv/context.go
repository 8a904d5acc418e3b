package testenv

import "context"

// CountedContext is a context that is cancelled after a number of calls of Err. A negative Left is the
// number of calls since then.
type CountedContext struct {
	context.Context
	Left int // calls until the context is cancelled
}

// Err implements [context.Context].
func (c *CountedContext) Err() error {
	if c.Left--; c.Left < 0 {
		return context.Canceled
	}
	return nil
}
