package blob

import (
	"context"
	"errors"
	"io"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/span"
)

// BackendCall describes how a blob was read, written or deleted.
type BackendCall struct {
	// Operation is read, write or delete.
	Operation string
	// Bytes is the number of bytes that were read or written.
	Bytes int64
	// Elapsed is the time spent in the folder or bucket. It does not include the time between
	// two reads or writes of the caller.
	Elapsed time.Duration
	// Err is the error with which reading, writing or deleting ended. It is nil if the caller
	// aborted a write, and if the blob to delete or the upload to copy did not exist.
	Err error
}

// The values of BackendCall.Operation.
const (
	CallRead   = "read"
	CallWrite  = "write"
	CallDelete = "delete"
)

// callObserver holds the parameters of [Store.Observe].
type callObserver struct {
	now    func() time.Time
	report func(BackendCall)
}

// Observe makes the store call the function report after it has read, written or deleted a blob.
// now returns the current time. report must be safe for concurrent use. A second call of Observe
// replaces both functions.
func (s *Store) Observe(now func() time.Time, report func(BackendCall)) {
	s.observer.Store(&callObserver{now, report})
}

// callTimer measures the time and the bytes of reading, writing or deleting a blob. It reports
// the result to the observer, if there is one, and as a span.
type callTimer struct {
	observer *callObserver
	call     BackendCall
	span     trace.Span
	ended    bool
}

// startCall returns a timer for an operation on a blob, such as CallRead. The span of the
// operation begins now.
func (s *Store) startCall(ctx context.Context, operation string) callTimer {
	_, own := span.Start(ctx, "file "+operation, trace.SpanKindClient)
	return callTimer{s.observer.Load(), BackendCall{Operation: operation}, own, false}
}

// measure calls the function do, which uses the backend and returns the number of bytes that were
// read or written. It adds the duration and the bytes to the measured call.
func (t *callTimer) measure(do func() (int, error)) (n int, err error) {
	var began time.Time
	if t.observer != nil {
		began = t.observer.now()
	}
	n, err = do()
	if t.observer != nil {
		t.call.Elapsed += t.observer.now().Sub(began)
	}
	t.call.Bytes += int64(n)
	isFailure := err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled)
	if isFailure && t.call.Err == nil {
		t.call.Err = err
	}
	return n, err
}

// measureCall calls the function do, which uses the backend but transfers no bytes. It reports the
// call to the observer and to the trace. ErrNotFound does not count as a failure.
func (s *Store) measureCall(ctx context.Context, operation string, do func() error) error {
	timer := s.startCall(ctx, operation)
	defer timer.end()
	_, err := timer.measure(func() (int, error) { return 0, do() })
	if errors.Is(err, ErrNotFound) {
		timer.call.Err = nil
	}
	return err
}

// end reports the call to the observer and to the trace. Only the first call of end has an effect.
func (t *callTimer) end() {
	if t.ended {
		return
	}
	t.ended = true
	t.span.SetAttributes(attribute.Int64("foretell.bytes", t.call.Bytes))
	span.End(t.span, t.call.Err)
	if t.observer != nil {
		t.observer.report(t.call)
	}
}

// measuredReader reads a blob and measures the reads.
type measuredReader struct {
	io.ReadSeekCloser
	timer callTimer
}

// Read reads bytes of the blob, and adds their number and the duration to the measured
// [BackendCall].
func (r *measuredReader) Read(p []byte) (int, error) {
	return r.timer.measure(func() (int, error) { return r.ReadSeekCloser.Read(p) })
}

// Close closes the blob and reports the measured [BackendCall] to the observer.
func (r *measuredReader) Close() error {
	defer r.timer.end()
	return r.ReadSeekCloser.Close()
}
