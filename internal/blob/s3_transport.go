package blob

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

const (
	// dialTimeout is the time limit for connecting. stallTimeout is the time without a transferred
	// byte after which a connection fails.
	dialTimeout  = 5 * time.Second
	stallTimeout = 30 * time.Second
	// readTimeout is the time limit for the first byte of the response to a request that reads an
	// object. responseTimeout is this limit for any other request, because the store may need time to
	// write, copy or list objects.
	readTimeout     = 10 * time.Second
	responseTimeout = 25 * time.Second
)

// statusTimeout is the HTTP status of the response that s3Transport returns if the store does not
// answer in time. The S3 client does not repeat a request with this status.
const statusTimeout = 524

// s3Transport sends requests to an S3 store. It converts a timeout to a response with statusTimeout.
// Otherwise, the S3 client would send each request maxRequestTries times to a store that hangs.
// Requests that join or copy objects are still repeated, because the store may have finished them
// meanwhile.
type s3Transport struct {
	reads  *http.Transport // for requests that read an object
	long   *http.Transport // for requests that join or copy objects, which may take minutes
	others *http.Transport
}

// newS3Transport returns a transport for a store. If timeout is not 0, it replaces readTimeout and
// responseTimeout.
func newS3Transport(useHTTPS bool, timeout time.Duration) (*s3Transport, error) {
	reads, err := minio.DefaultTransport(useHTTPS)
	if err != nil {
		return nil, err
	}
	reads.DialContext = dialWithStallTimeout
	reads.IdleConnTimeout = stallTimeout / 2 // an idle connection must not end by its stall timeout just when a request uses it
	others, long := reads.Clone(), reads.Clone()
	reads.ResponseHeaderTimeout = cmp.Or(timeout, readTimeout)
	others.ResponseHeaderTimeout = cmp.Or(timeout, responseTimeout)
	return &s3Transport{reads, long, others}, nil
}

// RoundTrip sends a request.
func (t *s3Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") || r.Header.Get("X-Amz-Copy-Source") != "" {
		return t.long.RoundTrip(r)
	}
	transport := t.others
	if (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.RawQuery == "" {
		transport = t.reads
	}
	response, err := transport.RoundTrip(r)
	var timeout net.Error
	if r.Context().Err() != nil || !errors.As(err, &timeout) || !timeout.Timeout() {
		return response, err
	}
	return &http.Response{
		StatusCode: statusTimeout, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r,
	}, nil
}

// stallTimeoutConn is a connection whose reads and writes fail if no byte was transferred
// for stallTimeout.
type stallTimeoutConn struct{ net.Conn }

func dialWithStallTimeout(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return stallTimeoutConn{conn}, nil
}

func (c stallTimeoutConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(stallTimeout)); err != nil { //nolint:forbidigo // compared by the system
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write sends data. It also extends the deadline of a concurrent Read, because no response arrives
// while a request is sent.
func (c stallTimeoutConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(stallTimeout)); err != nil { //nolint:forbidigo // compared by the system
		return 0, err
	}
	return c.Conn.Write(p)
}
