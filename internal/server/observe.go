package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"foretell/internal/rescue"
)

// request is the state of one request. The context of the request holds it.
type request struct {
	id        string
	operation string // the operation's ID; "" until the request is routed
	account   string // the caller's email; "" until it is known; for a log-in, the email in the request if it has the form of one
	// authenticated reports whether the request has a valid token or session cookie.
	authenticated bool
	// w and r are for the operations that read the body or write the response themselves.
	w    http.ResponseWriter
	r    *http.Request
	body *requestBody
	log  *slog.Logger // the log of the service, for errors that huma reports
	// page is set if the dashboard sent this request to the API in order to make a page: it is then
	// the browser's request for the page. Otherwise it is nil.
	page *request
	// isCounted is true once the request has been counted towards the limit of its account.
	isCounted atomic.Bool
}

type requestKey struct{}

// requestFromContext returns the request of a context, or an empty request if
// none exists.
func requestFromContext(ctx context.Context) *request {
	if req, ok := ctx.Value(requestKey{}).(*request); ok {
		return req
	}
	return &request{}
}

// observe returns a handler that calls next. It assigns an ID to each request, logs and measures
// the request, and responds to a panic with 500.
func (s *service) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := &request{id: requestIDOrNew(r), log: s.log}
		req.page, _ = r.Context().Value(requestKey{}).(*request)
		req.body = &requestBody{ReadCloser: r.Body}
		rec := s.newResponseRecorder(w, r, req)
		defer rec.setWriteDeadline() // net/http sends its buffer after the handler has returned, and needs a deadline for this
		ctx, endSpan := s.startSpan(r, req)
		r = r.WithContext(context.WithValue(ctx, requestKey{}, req))
		r.Body = req.body
		if r.Header.Get("X-Request-Id") != req.id { // the dashboard copies this header to its requests to the API
			r.Header = r.Header.Clone()
			r.Header.Set("X-Request-Id", req.id)
		}
		w.Header().Set("X-Request-Id", req.id)
		s.setDefaultHeaders(w.Header(), r)
		began, elapsed := s.opts.Now(), time.Duration(0)
		s.metrics.inFlight.Inc()
		defer func() {
			s.metrics.inFlight.Dec()
			failure := recover()
			if failure != nil {
				s.recoverPanic(rec, r, failure)
				elapsed = s.opts.Now().Sub(began) - rec.drainTime
			}
			s.metrics.observeRequest(req.operation, rec, req.body.bytesRead, elapsed)
			s.logAccess(r, rec, req.body.bytesRead, elapsed)
			endSpan(rec.status)
			if failure != nil && rec.aborted {
				panic(http.ErrAbortHandler) // closes the connection, so that the client sees that the response is incomplete
			}
		}()
		next.ServeHTTP(rec, r)
		elapsed = s.opts.Now().Sub(began) - rec.drainTime // the time of drainBody depends only on the client
		rec.drainOnce()                                   // of a response without a body
	})
}

// recoverPanic logs a panic and, if the response has not begun, responds with 500. failure is the
// value that recover returned.
func (s *service) recoverPanic(rec *responseRecorder, r *http.Request, failure any) {
	req := requestFromContext(r.Context())
	if err, ok := failure.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
		s.log.ErrorContext(r.Context(), "panic", "requestId", req.id, "panic", fmt.Sprint(failure), "stack", string(rescue.Stack(failure)))
	}
	if rec.status != 0 {
		rec.aborted = true
		return
	}
	writeProblem(rec, internalProblem(r.Context(), http.StatusInternalServerError, "panic", nil).Problem)
}

// logAccess logs one line about a request. The argument in is the number of bytes that were read
// from its body. The line omits the query, which may have a signature.
func (s *service) logAccess(r *http.Request, rec *responseRecorder, in int64, elapsed time.Duration) {
	req := requestFromContext(r.Context())
	level := slog.LevelInfo
	if req.operation == "" && (rec.status < http.StatusBadRequest || isProbe(r)) {
		level = slog.LevelDebug // load balancers send a health check every few seconds
	}
	attributes := []slog.Attr{
		slog.String("requestId", req.id), slog.String("method", r.Method), slog.String("path", r.URL.Path),
		slog.String("operation", req.operation), slog.Int("status", rec.status), slog.Int64("bytesIn", in),
		slog.Int64("bytesOut", rec.bytesWritten), slog.Duration("elapsed", elapsed),
		slog.String("account", req.account), slog.String("remote", s.proxies.remoteAddress(r)),
	}
	if span := trace.SpanContextFromContext(r.Context()); s.opts.Tracer != nil && span.IsValid() {
		attributes = append(attributes, slog.String("traceId", span.TraceID().String()))
	}
	s.log.LogAttrs(r.Context(), level, "request", attributes...)
}

// requestIDOrNew returns the X-Request-Id of a request if it consists of at most 64 letters,
// digits, hyphens and underscores. Otherwise it returns a new ID.
func requestIDOrNew(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); isPlainID(id) {
		return id
	}
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func isPlainID(id string) bool {
	for i := range len(id) {
		switch c := id[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '_':
		default:
			return false
		}
	}
	return id != "" && len(id) <= 64
}

// responseRecorder records the status and size of a response.
type responseRecorder struct {
	http.ResponseWriter
	status       int
	bytesWritten int64
	aborted      bool // a panic occurred after the response had begun
	// stream sets the write deadline of an HTTP/2 stream. It is needed because a client may stop
	// receiving one stream of a connection while it uses other streams. It is nil for HTTP/1, where
	// the server has a write timeout for each connection.
	stream *http.ResponseController
	now    func() time.Time
	// drain calls drainBody. It is nil after drainOnce.
	drain     func()
	drainTime time.Duration // how long drain took
}

// newResponseRecorder returns a recorder for the response to r.
func (s *service) newResponseRecorder(w http.ResponseWriter, r *http.Request, req *request) *responseRecorder {
	rec := &responseRecorder{ResponseWriter: w}
	if r.ProtoMajor >= 2 {
		rec.stream, rec.now = http.NewResponseController(w), s.opts.Now
	}
	rec.drain = func() {
		began := s.opts.Now()
		s.drainBody(w, r, req)
		rec.drainTime = s.opts.Now().Sub(began)
	}
	return rec
}

// drainOnce reads the rest of the body of the request, unless it did so before.
func (rec *responseRecorder) drainOnce() {
	if drain := rec.drain; drain != nil {
		rec.drain = nil
		drain()
	}
}

// streamWriteTimeout is how long a write to an HTTP/2 stream may wait for the client to receive
// data.
const streamWriteTimeout = 2 * time.Minute

// setWriteDeadline sets the deadline of the next write to an HTTP/2 stream. For HTTP/1, it does
// nothing.
func (rec *responseRecorder) setWriteDeadline() {
	if rec.stream == nil {
		return
	}
	_ = rec.stream.SetWriteDeadline(rec.now().Add(streamWriteTimeout)) // HTTP/2 supports deadlines
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (rec *responseRecorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// WriteHeader sends the status. It also records the first status that is not informational (1xx).
func (rec *responseRecorder) WriteHeader(status int) {
	if rec.status == 0 && status >= http.StatusOK {
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

// Write writes b and counts the bytes. The first call also reads the rest of the body of the request.
func (rec *responseRecorder) Write(b []byte) (int, error) {
	rec.drainOnce()
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	if rec.stream != nil {
		rec.setWriteDeadline()
		defer func() { _ = rec.stream.SetWriteDeadline(time.Time{}) }()
	}
	n, err := rec.ResponseWriter.Write(b)
	rec.bytesWritten += int64(n)
	return n, err
}
