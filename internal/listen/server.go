package listen

import (
	"bytes"
	"log"
	"log/slog"
	"net/http"
	"time"
)

// writeTimeout is how long a client may receive nothing while the server writes.
const writeTimeout = 2 * time.Minute

// NewServer returns an HTTP server that limits the size of headers and the time of idle
// connections, but not the duration of uploads and downloads. With TLS, it also supports HTTP/2.
func NewServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(errorLog{logger}, "", 0),
		ConnState:         TrackIdle,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: 100, SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second,
			WriteByteTimeout: writeTimeout,
		},
	}
}

// errorLog logs the errors of an http.Server. Errors of one client have the level debug. Other
// errors, such as too many open files, are warnings.
type errorLog struct{ log *slog.Logger }

// Write logs one message.
func (e errorLog) Write(message []byte) (int, error) {
	text := string(bytes.TrimSpace(message))
	if bytes.HasPrefix(message, []byte("http: TLS handshake error")) || bytes.HasPrefix(message, []byte("http2: ")) {
		e.log.Debug(text)
	} else {
		e.log.Warn(text)
	}
	return len(message), nil
}
