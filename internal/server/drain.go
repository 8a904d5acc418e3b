package server

import (
	"net/http"
	"time"

	"foretell/internal/api"
)

// Many clients send the whole body before they read the response. If the server
// closed the connection after rejecting a request, they would see a connection
// reset instead of the response. Therefore the server reads and discards the rest
// of the body, within these limits. Clients that send Expect: 100-continue see
// the response at once.
const (
	maxDrainBytes = api.MaxUploadBytes + formOverhead
	// maxDrainTime is enough for the largest upload at 5 Mbit/s. An accepted upload may take
	// longer, so reading a rejected one costs no more than accepting it.
	maxDrainTime = 15 * time.Minute
	// maxAnonymousDrainTime replaces maxDrainTime for requests without a valid token or
	// session cookie.
	maxAnonymousDrainTime = 5 * time.Second
	// drainIdleTimeout is how long the server waits for the next byte. A client that sends
	// nothing for this time probably waits for the response.
	drainIdleTimeout = time.Second
)

// drainBody discards the rest of the body of a rejected request, for at most the time
// limit. The response, which is short, stays in the buffer of the connection until
// then.
func drainBody(w http.ResponseWriter, r *http.Request, body *requestBody, limit time.Duration) {
	expects := r.Header.Get("Expect") != "" && !body.hasBegun
	if r.ContentLength == 0 || r.ContentLength-body.bytesRead > maxDrainBytes || body.hasEnded || expects {
		return
	}
	conn := http.NewResponseController(w)
	stop := func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) }
	total, idle := time.AfterFunc(limit, stop), time.AfterFunc(drainIdleTimeout, stop)
	defer total.Stop()
	defer idle.Stop()
	buf := make([]byte, 32<<10)
	for left := int64(maxDrainBytes); left > 0 && !body.hasEnded; {
		n, _ := body.readUnlimited(buf) // sets hasEnded after an error
		left -= int64(n)
		idle.Reset(drainIdleTimeout)
	}
}
