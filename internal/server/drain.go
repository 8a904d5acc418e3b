package server

import (
	"net/http"
	"os"
	"time"

	"foretell/internal/api"
)

// Many clients send the whole body before they read the response. If the server rejected a request
// and closed the connection, they would see a connection reset instead of the response. Therefore
// the server reads and discards the rest of the body before it sends the response, within these
// limits.
const (
	maxDrainBytes = api.MaxUploadBytes + formOverhead
	// A client with a valid token or session cookie may send the rest for minDrainTime, plus the
	// time that the body takes at drainBytesPerSecond (5 Mbit/s).
	minDrainTime        = 30 * time.Second
	drainBytesPerSecond = 625_000
	// anonymousDrainTime is the limit for all other clients.
	anonymousDrainTime = 5 * time.Second
	// stoppingDrainTime is how long the server still reads bodies after the service has begun to
	// stop.
	stoppingDrainTime = 2 * time.Second
	// These limits are for the wait for the next byte. A client that sends nothing for this time
	// probably waits for the response. An authenticated client has more time, because it may have a
	// bad connection.
	anonymousDrainIdleTimeout     = time.Second
	authenticatedDrainIdleTimeout = 5 * time.Second
)

// drainLimits returns the time to drain the body of a rejected request, and the time to wait for
// its next byte. authenticated reports whether the client has a valid token or session cookie, and
// so gets more time. A GET or HEAD does not get more time, because no operation with these methods
// has a body.
func drainLimits(r *http.Request, authenticated bool) (total, idle time.Duration) {
	if !authenticated || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return anonymousDrainTime, anonymousDrainIdleTimeout
	}
	return minDrainTime + time.Duration(max(r.ContentLength, 0)/drainBytesPerSecond)*time.Second, authenticatedDrainIdleTimeout
}

// drainBody reads and discards the part of a body that the handler has not read. Otherwise net/http
// would read this part without a time limit: before it sends the first byte of the response if the
// rest of the body has at most 256 KiB, or if its length is unknown. drainBody stops at the limits of
// drainLimits and, if the service begins to stop, after stoppingDrainTime. If it stops before the end
// of the body, the read deadline of the connection stays in the past. net/http then reads no more,
// sends the response, and closes the connection.
func (s *service) drainBody(w http.ResponseWriter, r *http.Request, req *request) {
	body := req.body
	expects := r.Header.Get("Expect") != "" && !body.hasBegun
	if r.ContentLength == 0 || r.ContentLength-body.bytesRead > maxDrainBytes || body.hasEnded || expects {
		return
	}
	conn := http.NewResponseController(w)
	stop := func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) }
	limit, wait := drainLimits(r, req.authenticated)
	total, idle := time.AfterFunc(limit, stop), time.AfterFunc(wait, stop)
	defer total.Stop()
	defer idle.Stop()
	stopping := false
	buf := make([]byte, 32<<10)
	for left := int64(maxDrainBytes); !body.hasEnded; {
		n, err := body.readUnlimited(buf)
		if left -= int64(n); err == nil && left <= 0 {
			stop()
			body.hasEnded, err = true, os.ErrDeadlineExceeded
		}
		if err != nil {
			body.err = err
			body.clearDeadline() // also removes the deadline of the handler; after a timeout, keeps it
		}
		idle.Reset(wait)
		if !stopping && s.isStopping() {
			stopping = true
			total.Reset(stoppingDrainTime)
		}
	}
}

// isStopping reports whether the service is about to stop.
func (s *service) isStopping() bool { return s.opts.Draining != nil && s.opts.Draining() }
