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
	// Header is the response's.
	Header http.Header
	// Elapsed is the time to the end of the response's body; 0 without a clock.
	Elapsed time.Duration
	// Sent and Received count the bytes of the bodies.
	Sent, Received int64
}

// Observe returns a transport that calls report for every round trip of rt,
// when its response has been read or closed. now may be nil; report must be safe
// for concurrent use.
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

// RoundTrip counts the bytes of both bodies.
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

// countingBody is a body that counts its bytes. end, if not nil, is called once: at
// its end or when it is closed.
type countingBody struct {
	io.ReadCloser
	n    *atomic.Int64
	once sync.Once
	end  func()
}

// Read counts the bytes.
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

// RequestSummary summarizes a request for people, without secrets and long bodies.
type RequestSummary struct {
	Method string
	URL    string
	Header http.Header
	// JSON is the body, if it is JSON.
	JSON string
	// File is the name of the file in a form; "" if there is none.
	File string
	// Bytes is the size of the body; -1 if unknown.
	Bytes int64
}

// SummarizeRequest summarizes a request. It reads the beginning of the body and closes
// it: the request cannot be sent afterwards.
func SummarizeRequest(req *http.Request) RequestSummary {
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
