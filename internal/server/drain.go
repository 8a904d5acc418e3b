package server

import (
	"net/http"
	"time"

	"foretell/internal/api"
)

// Many clients send the whole body before they read the response. If the server rejected a request
// and closed the connection, they would see a connection reset instead of the response. Therefore
// the server reads and discards the rest of the body of a rejected request, within these limits.
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
// so gets more time.
func drainLimits(r *http.Request, authenticated bool) (total, idle time.Duration) {
	if !authenticated {
		return anonymousDrainTime, anonymousDrainIdleTimeout
	}
	return minDrainTime + time.Duration(max(r.ContentLength, 0)/drainBytesPerSecond)*time.Second, authenticatedDrainIdleTimeout
}

// drainBody reads and discards the part of a body that the handler has not read, because net/http
// would do so without a time limit. It stops at the limits of drainLimits and, if the service
// begins to stop, after stoppingDrainTime. The response waits meanwhile: it is short and still in
// the buffer of the connection.
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
	for left := int64(maxDrainBytes); left > 0 && !body.hasEnded; {
		n, _ := body.readUnlimited(buf) // an error sets hasEnded
		left -= int64(n)
		idle.Reset(wait)
		if !stopping && s.isStopping() {
			stopping = true
			total.Reset(stoppingDrainTime)
		}
	}
}

// isStopping reports whether the service is about to stop.
func (s *service) isStopping() bool { return s.opts.Draining != nil && s.opts.Draining() }
