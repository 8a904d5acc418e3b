package dashboard

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// minCompressed is the smallest body in bytes that is compressed: a smaller one fits a packet.
const minCompressed = 1024

// compressors are unused writers, because a new one allocates almost a megabyte.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// writeCompressed sends a response, compressed if it is large and the browser accepts that.
// Compression does not reveal secrets by the size of a page, because pages have no secret
// next to text that another site can choose.
func writeCompressed(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Add("Vary", "Accept-Encoding")
	if len(body) >= minCompressed && acceptsGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		body = compress(body)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the browser may be gone
}

// compress returns the body in the gzip format.
func compress(body []byte) []byte {
	var out bytes.Buffer
	writer, _ := compressors.Get().(*gzip.Writer)
	defer compressors.Put(writer)
	writer.Reset(&out)
	_, _ = writer.Write(body) // a buffer accepts everything
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
