package client

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// RoundTrip is one request and its response. It contains no secrets.
type RoundTrip struct {
	Method string
	URL    string
	// Status is 0 if there was no response.
	Status int
	// Header is the header of the response.
	Header http.Header
	// Elapsed is the time until the end of the response body; 0 if it is unknown.
	Elapsed time.Duration
	// Sent and Received are the sizes of the bodies in bytes.
	Sent, Received int64
}

// Observe returns a transport that sends requests with rt. It calls report once for each request:
// when the response has been read to its end or closed, or when the request has failed. now is the
// clock; if it is nil, Elapsed is 0. report must be safe for concurrent use.
func Observe(rt http.RoundTripper, now func() time.Time, report func(RoundTrip)) http.RoundTripper {
	if now == nil {
		now = func() time.Time { return time.Time{} }
	}
	return &observer{rt, now, report}
}

type observer struct {
	next   http.RoundTripper
	now    func() time.Time
	report func(RoundTrip)
}

// RoundTrip sends a request and counts the bytes of both bodies.
func (o *observer) RoundTrip(req *http.Request) (*http.Response, error) {
	e := RoundTrip{Method: req.Method, URL: redactURL(req.URL)}
	var sent, received atomic.Int64 // the transport may read a body after its response has arrived
	if req.Body != nil && req.Body != http.NoBody {
		req = req.Clone(req.Context())
		req.Body = &countingBody{ReadCloser: req.Body, n: &sent}
	}
	began := o.now()
	resp, err := o.next.RoundTrip(req)
	if err != nil {
		e.Sent, e.Elapsed = sent.Load(), o.now().Sub(began)
		o.report(e)
		return nil, err
	}
	e.Status, e.Header = resp.StatusCode, redactHeader(resp.Header)
	resp.Body = &countingBody{ReadCloser: resp.Body, n: &received, end: func() {
		e.Sent, e.Received, e.Elapsed = sent.Load(), received.Load(), o.now().Sub(began)
		o.report(e)
	}}
	return resp, nil
}

// countingBody counts the bytes that are read from a body, by adding them to n. It calls end once,
// at the end of the body or when the body is closed. end may be nil.
type countingBody struct {
	io.ReadCloser
	n    *atomic.Int64
	once sync.Once
	end  func()
}

// Read reads from the body and adds the number of bytes to n.
func (b *countingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n.Add(int64(n))
	if err != nil {
		b.finish()
	}
	return n, err
}

// Close closes the body.
func (b *countingBody) Close() error {
	defer b.finish()
	return b.ReadCloser.Close()
}

func (b *countingBody) finish() {
	if b.end != nil {
		b.once.Do(b.end)
	}
}

// RequestSummary describes a request without its secrets and without a long body.
type RequestSummary struct {
	Method string
	URL    string
	Header http.Header
	// JSON is the body if it is JSON; "" otherwise.
	JSON string
	// File is the name of the file in a multipart body; "" if none exists.
	File string
	// Bytes is the size of the body; -1 if unknown.
	Bytes int64
}

// ConsumeAndSummarize returns a summary of req. It reads and closes the body, so req cannot
// be sent afterwards.
func ConsumeAndSummarize(req *http.Request) RequestSummary {
	s := RequestSummary{Method: req.Method, URL: redactURL(req.URL), Header: redactHeader(req.Header), Bytes: req.ContentLength}
	if req.Body == nil || req.Body == http.NoBody {
		return s
	}
	defer req.Body.Close()
	media, params, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	switch {
	case err != nil:
	case strings.HasSuffix(media, "json"):
		if body, err := io.ReadAll(io.LimitReader(req.Body, maxResponse)); err == nil && json.Valid(body) {
			s.JSON = redactJSON(body)
		}
	case strings.HasPrefix(media, "multipart/"):
		if part, err := multipart.NewReader(req.Body, params["boundary"]).NextPart(); err == nil {
			s.File = part.FileName()
		}
	}
	return s
}
