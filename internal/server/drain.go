package server

import (
	"net/http"
	"time"

	"foretell/internal/api"
)

// A refusal often comes before the client has sent its body. One that asks
// first (Expect: 100-continue) is told at once. Most others listen only when all
// is sent and would meet a closed connection instead of the answer: for them
// the rest is read, within these bounds, and thrown away.
const (
	maxDrainBytes = api.MaxUploadBytes + formOverhead
	maxDrainTime  = 30 * time.Second
	// drainIdle is how long a client may send nothing until it is taken for
	// one that waits for the answer.
	drainIdle = time.Second
)

// drainBody reads what the client of a refused request still sends, while the
// answer, which is short, waits in the connection's buffer.
func drainBody(w http.ResponseWriter, r *http.Request, body *countedBody) {
	asked := r.Header.Get("Expect") != "" && !body.begun
	if r.ContentLength == 0 || r.ContentLength-body.n > maxDrainBytes || body.ended || asked {
		return
	}
	conn := http.NewResponseController(w)
	enough := func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) }
	over, idle := time.AfterFunc(maxDrainTime, enough), time.AfterFunc(drainIdle, enough)
	defer over.Stop()
	defer idle.Stop()
	buf := make([]byte, 32<<10)
	for left := int64(maxDrainBytes); left > 0 && !body.ended; {
		n, _ := body.Read(buf) // body remembers an error
		left -= int64(n)
		idle.Reset(drainIdle)
	}
}
