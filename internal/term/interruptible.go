package term

import (
	"context"
	"io"
)

// Interruptible calls function and returns its results. If ctx ends first, it returns the cause of
// ctx, and function continues in its goroutine. It is for calls that may block forever, such as
// opening or reading a pipe.
func Interruptible[T any](ctx context.Context, function func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := function()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// streamReader is the reader that NewStreamReader returns.
type streamReader struct {
	ctx    context.Context
	src    io.Reader
	buffer []byte
}

// NewStreamReader returns a reader of src whose reads return the error of ctx as soon as ctx ends,
// even while a read of src blocks.
func NewStreamReader(ctx context.Context, src io.Reader) io.Reader {
	return &streamReader{ctx, src, make([]byte, 64<<10)}
}

func (s *streamReader) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	part := s.buffer[:min(len(p), len(s.buffer))]
	n, err := Interruptible(s.ctx, func() (int, error) { return s.src.Read(part) })
	if ended := s.ctx.Err(); ended != nil { // another goroutine may still write to the buffer
		return 0, ended
	}
	return copy(p, part[:n]), err
}
