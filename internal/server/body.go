package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"foretell/internal/api"
)

// uploadIdleTimeout is how long a client may send nothing during an upload. The
// duration of the whole upload is not limited.
const uploadIdleTimeout = 2 * time.Minute

// formEnd is appended to the body of a multipart form, because multipart.Reader needs a line break
// after the last line.
const formEnd = "\r\n"

// requestBody is the body of a request. It can limit the number of bytes, the time without a byte
// and the total time. It counts the bytes, and keeps the error that ended the reading.
type requestBody struct {
	io.ReadCloser
	bytesRead int64 // bytes read
	// hasBegun is true after the first Read.
	hasBegun bool
	hasEnded bool  // all bytes were read, or a read failed
	err      error // the error of the last Read; io.EOF at the end of the body

	limit int64 // maximum of bytesRead; 0 means no limit
	// form is true for the body of a multipart form. Read then appends formEnd. At the end it
	// returns io.ErrUnexpectedEOF instead of io.EOF, because multipart.Reader would accept a
	// truncated form that ends with io.EOF.
	form     bool
	appended int // the number of bytes of formEnd that were returned

	// Before each read, the read deadline of conn is set to now() + idle, or to end if that is
	// earlier. If idle is 0 and end is the zero time, no deadline is set.
	conn *http.ResponseController
	idle time.Duration
	end  time.Time
	now  func() time.Time
}

// setIdleTimeout makes each read fail if no byte arrives for the duration d. The caller must call
// release after the last read.
func (b *requestBody) setIdleTimeout(w http.ResponseWriter, d time.Duration, now func() time.Time) (release func()) {
	b.conn, b.idle, b.now = http.NewResponseController(w), d, now
	return b.clearDeadline
}

// setTotalTimeout makes all reads fail when the duration d has passed. It can be combined with
// setIdleTimeout. The caller must call release after the last read.
func (b *requestBody) setTotalTimeout(w http.ResponseWriter, d time.Duration, now func() time.Time) (release func()) {
	b.conn, b.now, b.end = http.NewResponseController(w), now, now().Add(d)
	return b.clearDeadline
}

// hasTimeout reports whether the time to read the body is limited.
func (b *requestBody) hasTimeout() bool { return b.idle > 0 || !b.end.IsZero() }

// setDeadline sets the deadline of the next read from the connection: the earlier of the idle
// timeout and the total timeout.
func (b *requestBody) setDeadline() {
	deadline := b.end
	if idleEnd := b.now().Add(b.idle); b.idle > 0 && (deadline.IsZero() || idleEnd.Before(deadline)) {
		deadline = idleEnd
	}
	_ = b.conn.SetReadDeadline(deadline) // not every connection supports deadlines
}

// Read implements [io.Reader]. It returns an error at the limit and at the timeouts.
func (b *requestBody) Read(p []byte) (int, error) {
	if b.err != nil && !errors.Is(b.err, io.EOF) {
		return 0, b.err
	}
	if b.hasTimeout() {
		b.setDeadline()
	}
	before := b.bytesRead
	n, err := b.readUnlimited(p)
	if b.limit > 0 && b.bytesRead > b.limit {
		n, err = int(max(b.limit-before, 0)), &http.MaxBytesError{Limit: b.limit}
	}
	if err == nil {
		return n, nil
	}
	b.err = err
	b.clearDeadline() // an old deadline would interrupt the response
	if b.form && errors.Is(err, io.EOF) {
		end := copy(p[n:], formEnd[b.appended:])
		if b.appended += end; b.appended < len(formEnd) {
			return n + end, nil
		}
		return n + end, io.ErrUnexpectedEOF
	}
	return n, err
}

// readUnlimited reads and counts bytes. It ignores the limit.
func (b *requestBody) readUnlimited(p []byte) (int, error) {
	b.hasBegun = true
	n, err := b.ReadCloser.Read(p)
	b.bytesRead += int64(n)
	b.hasEnded = b.hasEnded || err != nil
	return n, err
}

// clearDeadline removes the read deadline. After a timeout, it keeps the deadline, because net/http
// would otherwise wait for the rest of the body before it sends the response.
func (b *requestBody) clearDeadline() {
	if b.hasTimeout() && !errors.Is(b.err, os.ErrDeadlineExceeded) {
		_ = b.conn.SetReadDeadline(time.Time{})
	}
}

// problem returns the error that ended the reading of the body, as a problem. It returns nil if the
// body is complete or not yet read.
func (b *requestBody) problem() error {
	if b.err == nil || errors.Is(b.err, io.EOF) {
		return nil
	}
	return bodyProblem(b.err)
}

// bodyProblem converts an error of reading a body to a problem.
func bodyProblem(err error) error {
	var (
		known *api.Problem
		large *http.MaxBytesError
	)
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &large):
		return api.NewProblem(api.CodeTooLarge, "the request body exceeds %d bytes, so nothing was stored: %s", large.Limit, formatFileLimit(large.Limit)).WithCause(err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return api.NewProblem(api.CodeMalformed, "no data arrived for %s, so the upload timed out and nothing was stored: repeat the upload", uploadIdleTimeout).WithCause(err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return api.NewProblem(api.CodeMalformed, "the upload was interrupted and nothing was stored: repeat the upload").WithCause(err)
	default:
		return api.NewProblem(api.CodeMalformed, "the request body cannot be read, so nothing was stored: send the request again").WithCause(err)
	}
}
