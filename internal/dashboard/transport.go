package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
)

// newClient returns a client that calls the API in this process for the visitor who sent r. token
// is the visitor's token, or "" on public pages.
func (p *Pages) newClient(r *http.Request, token string) (*client.Client, error) {
	return client.New(client.Options{
		BaseURL: p.opts.BaseURL(r), Token: token, Attempts: 1,
		Transport: &inProcessTransport{api: p.opts.API, page: r},
	})
}

// inProcessTransport calls the handler of the API in this process. It copies the remote address,
// the TLS state and some headers from the browser's request to its own requests, so that the API
// treats them as requests of the browser.
type inProcessTransport struct {
	api  http.Handler
	page *http.Request
}

// forwardedHeaders are the headers that are copied from the browser's request to requests to the
// API. From them, the API determines the address and the browser of the visitor, and the URL of the
// service.
var forwardedHeaders = []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Request-Id", "Traceparent", "User-Agent"}

// RoundTrip calls the handler of the API, and returns its response. The body is held in memory.
func (t *inProcessTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response := &responseBuffer{header: http.Header{}}
	t.api.ServeHTTP(response, t.asBrowserRequest(r))
	return &http.Response{
		StatusCode: response.status, Header: response.header, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(&response.body), ContentLength: int64(response.body.Len()),
	}, nil
}

// asBrowserRequest returns a copy of r with the remote address, the connection and the
// forwardedHeaders of the browser's request.
func (t *inProcessTransport) asBrowserRequest(r *http.Request) *http.Request {
	own := r.Clone(r.Context())
	own.Host, own.RemoteAddr, own.TLS, own.RequestURI = t.page.Host, t.page.RemoteAddr, t.page.TLS, r.URL.RequestURI()
	own.Proto, own.ProtoMajor, own.ProtoMinor = "HTTP/1.1", 1, 1
	own.Header.Del("Expect")
	for _, name := range forwardedHeaders {
		own.Header.Del(name)
		for _, value := range t.page.Header.Values(name) {
			own.Header.Add(name, value)
		}
	}
	if own.Body == nil {
		own.Body = http.NoBody
	}
	return own
}

// forwardToAPI sends a request for a path of the API with the visitor's token, and writes the
// response to the browser. If the response is a problem, forwardToAPI writes nothing and returns
// the problem, so that the browser gets a page.
func (p *Pages) forwardToAPI(v *visit, path string) error {
	request, err := http.NewRequestWithContext(v.r.Context(), v.r.Method, p.opts.BaseURL(v.r)+path, http.NoBody)
	if err != nil {
		return err
	}
	for _, name := range []string{"Range", "If-Range", "If-None-Match", "If-Modified-Since"} {
		if value := v.r.Header.Get(name); value != "" {
			request.Header.Set(name, value)
		}
	}
	request.Header.Set("Authorization", "Bearer "+v.token)
	headers := v.w.Header().Clone()
	w := &problemInterceptor{ResponseWriter: v.w}
	p.opts.API.ServeHTTP(w, (&inProcessTransport{page: v.r}).asBrowserRequest(request))
	if w.problem == nil {
		return nil
	}
	after := v.w.Header().Get("Retry-After")
	clear(v.w.Header()) // the headers of the API's response do not describe a page
	maps.Copy(v.w.Header(), headers)
	problem := &api.Problem{}
	if err := json.Unmarshal(w.problem.Bytes(), problem); err != nil {
		return fmt.Errorf("the error response of a download cannot be read: %w", err)
	}
	problem.RetryAfter, _ = strconv.Atoi(after) // 0 without the header
	return problem
}

// problemInterceptor passes a response of the API on to the browser, unless it is a problem.
type problemInterceptor struct {
	http.ResponseWriter
	problem *bytes.Buffer // the body of a problem; nil for another response
}

// WriteHeader passes the status on, unless the response is a problem.
func (w *problemInterceptor) WriteHeader(status int) {
	switch {
	case w.problem != nil:
	case status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "application/problem+json"):
		w.problem = &bytes.Buffer{}
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write passes bytes on, or keeps the bytes of a problem.
func (w *problemInterceptor) Write(b []byte) (int, error) {
	if w.problem != nil {
		return w.problem.Write(b)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] find the methods of the wrapped writer.
func (w *problemInterceptor) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// responseBuffer is an http.ResponseWriter that keeps the response in memory.
type responseBuffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers.
func (w *responseBuffer) Header() http.Header { return w.header }

// WriteHeader sets the status. It ignores informational (1xx) statuses. After the first other
// status, it ignores all calls.
func (w *responseBuffer) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
}

// Write appends to the body.
func (w *responseBuffer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}
