package dashboard

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// minCompressed is the size in bytes of the smallest body that is compressed. A smaller body
// fits in one packet.
const minCompressed = 1024

// compressors holds gzip writers for reuse, because a new one allocates almost a megabyte.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// writeCompressed sends a response, compressed by gzip if it is large and the browser accepts gzip.
// The compressed size reveals no secrets: the attack BREACH needs a page that has both a secret and
// text that another site can choose, and there is no such page.
func writeCompressed(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Add("Vary", "Accept-Encoding")
	if len(body) >= minCompressed && acceptsGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		body = compress(body)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails if the browser has closed the connection
}

// compress returns the body in the gzip format.
func compress(body []byte) []byte {
	var out bytes.Buffer
	writer, _ := compressors.Get().(*gzip.Writer)
	defer compressors.Put(writer)
	writer.Reset(&out)
	_, _ = writer.Write(body) // writing to a buffer never fails
	_ = writer.Close()
	return out.Bytes()
}

// acceptsGzip reports whether the browser accepts the encoding gzip.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			quality = strings.ReplaceAll(quality, " ", "")
			return strings.Trim(strings.TrimPrefix(quality, "q="), "0.") != "" || quality == ""
		}
	}
	return false
}
