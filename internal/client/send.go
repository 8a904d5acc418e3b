package client

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"foretell/internal/api"
)

// The delay between attempts starts at minDelay and doubles up to maxDelay.
const (
	minDelay = 200 * time.Millisecond
	maxDelay = 8 * time.Second
	// maxRetryAfter is the longest Retry-After that the client waits for. If the delay in a
	// response is longer, the client returns the error.
	maxRetryAfter = time.Minute
	// extraAttempts is added to Options.Attempts if a proxy responds with 502, 503 or 504 without
	// Retry-After, or if the object store with the files of the service does not respond. By
	// default, the client then tries for 10 to 21 s.
	extraAttempts = 3
)

// request is one call, which may take several attempts.
type request struct {
	op     string // operation ID, for errors and traces
	method string
	url    *url.URL
	header http.Header
	// open returns the body from its beginning. It is nil if there is no body.
	open     func() (io.ReadCloser, error)
	size     int64  // size of the body in bytes; -1 if unknown
	jsonBody []byte // the body, if it is JSON, for the trace
	// sendToken is set if the request needs the token.
	sendToken bool
	// idempotent is set to retry even if the service may have processed the request.
	idempotent bool
	// waitOn429 is set to retry after a 429.
	waitOn429 bool
	// wasApplied, if not nil, is called before a retry. It reports whether the service
	// has processed an earlier attempt; if so, send returns errApplied.
	wasApplied func(ctx context.Context) (bool, error)

	// accepts, if not nil, reports whether a response other than 2xx is a success.
	accepts func(*http.Response) bool

	attempts int // number of attempts so far
}

// errApplied is returned by send if wasApplied returned true.
var errApplied = errors.New("the service has processed an earlier attempt")

// send sends req, with retries, and returns the response. The caller must close its body. A
// response other than 2xx is an error of type *api.Problem, unless req accepts it. If a retry of a
// DELETE finds no object, and the service may have processed an earlier attempt, send assumes that
// the earlier attempt has deleted it, and returns an empty response.
func (c *Client) send(ctx context.Context, req *request) (*http.Response, error) {
	mayBeDeleted := false
	for attempt := 1; ; {
		req.attempts = attempt
		token := ""
		if req.sendToken {
			token = c.Token()
		}
		resp, err := c.sendOnce(ctx, req, token, attempt)
		if err == nil && (resp.StatusCode < 300 || req.accepts != nil && req.accepts(resp)) {
			if req.sendToken {
				c.markAccepted(token)
			}
			return resp, nil
		}
		if err == nil {
			err = c.consumeErrorResponse(req, resp)
		}
		if isUnauthorized(err) && req.sendToken {
			renewed, failure := c.renewToken(ctx, token)
			if failure != nil {
				return nil, failure
			}
			if renewed {
				continue
			}
		}
		if mayBeDeleted && isNotFound(err) {
			return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
		}
		mayBeDeleted = mayBeDeleted || req.method == http.MethodDelete && mayBeProcessed(err)
		pause, again := retryDelay(req, err, attempt)
		if !again || attempt >= c.maxAttempts(err) || ctx.Err() != nil {
			return nil, err
		}
		if waitErr := c.opts.Wait(ctx, pause); waitErr != nil {
			return nil, waitErr
		}
		if req.wasApplied != nil {
			if applied, checkErr := req.wasApplied(ctx); checkErr != nil {
				return nil, err
			} else if applied {
				return nil, errApplied
			}
		}
		attempt++
	}
}

// maxAttempts returns the maximum number of attempts of a request whose last attempt failed with
// err.
func (c *Client) maxAttempts(err error) int {
	var problem *api.Problem
	var network *NetworkError
	isGateway := errors.As(err, &problem) && problem.RetryAfter == 0 && errors.Is(err, errForeignFormat)
	isFileStore := errors.As(err, &network) && network.FileStore
	if (isGateway || isFileStore) && IsOutage(err) {
		return c.opts.Attempts + extraAttempts
	}
	return c.opts.Attempts
}

// sendOnce sends req once. It sends no token if token is "". n is the number of the attempt,
// starting at 1.
func (c *Client) sendOnce(ctx context.Context, req *request, token string, n int) (resp *http.Response, err error) {
	ctx, end := startSpan(ctx, req, n)
	defer func() { end(resp, err) }()
	requestCtx, cancel := context.WithCancel(ctx)
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	out, err := http.NewRequestWithContext(requestCtx, req.method, req.url.String(), nil)
	if err != nil {
		return nil, err
	}
	out.Header = req.header.Clone()
	out.Header.Set("User-Agent", c.opts.UserAgent)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(out.Header))
	if token != "" {
		out.Header.Set("Authorization", "Bearer "+token)
	}
	if req.open != nil {
		body, err := req.open()
		if err != nil {
			return nil, err
		}
		out.Body, out.GetBody, out.ContentLength = body, req.open, req.size
		if req.size == 0 {
			out.Body = http.NoBody
		}
	}
	began := c.now()
	resp, err = c.http.Do(out)
	c.traceAttempt(req, out, resp, traceResult{attempt: n, began: began, err: err})
	if err != nil {
		return nil, c.networkError(ctx, req, err)
	}
	resp.Body = &idleTimeoutBody{body: resp.Body, timeout: c.opts.IdleTimeout, cancel: cancel}
	return resp, nil
}

func (c *Client) now() time.Time {
	if c.opts.Now == nil {
		return time.Time{}
	}
	return c.opts.Now()
}

// retryDelay returns the delay before the next attempt, and whether to retry at all. attempt is the
// number of failed attempts, and err the error of the last one.
func retryDelay(req *request, err error, attempt int) (delay time.Duration, retry bool) {
	pause := min(minDelay<<(attempt-1), maxDelay)
	pause -= jitter(pause / 2)
	var network *NetworkError
	if errors.As(err, &network) {
		return pause, network.isTemporary() && (req.idempotent || network.Kind == Unreachable)
	}
	var problem *api.Problem
	if !errors.As(err, &problem) {
		return 0, false
	}
	asked := time.Duration(problem.RetryAfter) * time.Second
	if asked > maxRetryAfter {
		return 0, false
	}
	pause = max(pause, asked)
	switch problem.Status {
	case http.StatusTooManyRequests:
		return pause, req.waitOn429
	case http.StatusServiceUnavailable: // with CodeNotReady, the service has not processed the request; the 503 of a proxy does not say this
		return pause, req.idempotent || problem.Code == api.CodeNotReady && !errors.Is(err, errForeignFormat)
	case http.StatusInternalServerError: // Retry-After means that the service does not know whether it has stored a change
		return pause, req.idempotent && asked > 0
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return pause, req.idempotent
	}
	return 0, false
}

// jitter returns a random duration below limit, so that clients do not all retry at
// the same time.
func jitter(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return time.Duration(binary.LittleEndian.Uint64(b[:]) % uint64(limit))
}

func isUnauthorized(err error) bool {
	var problem *api.Problem
	return errors.As(err, &problem) && problem.Status == http.StatusUnauthorized
}

// isNotFound reports whether the service itself, and not a gateway, returned that there is no such
// object.
func isNotFound(err error) bool {
	return api.CodeFromError(err) == api.CodeNotFound && !errors.Is(err, errForeignFormat)
}

// mayBeProcessed reports whether the service may have processed the request that failed with err.
func mayBeProcessed(err error) bool {
	var network *NetworkError
	if errors.As(err, &network) {
		return network.Kind == ConnectionLost
	}
	switch api.CodeFromError(err) {
	case api.CodeInternal:
		return true
	case api.CodeNotReady: // from the service, it means that nothing was processed, but a gateway may have passed the request on
		return errors.Is(err, errForeignFormat)
	}
	return false
}

// retryAfter returns the delay of the Retry-After header in seconds. If the header is a date, the
// delay is the time from the Date of the response to that date. retryAfter returns 0 if there is no
// such header.
func retryAfter(h http.Header) (seconds int) {
	text := h.Get("Retry-After")
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && n >= 0 {
		return int(n)
	}
	then, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil || !then.After(now) {
		return 0
	}
	return int(min(then.Sub(now)/time.Second, 1<<30))
}
