package client

import (
	"net/http"
	"time"
)

// TraceEvent is one attempt to send a request or, if ResponseBody is set, the body of a response. It
// contains no secrets.
type TraceEvent struct {
	Op           string // operation ID
	Method       string
	URL          string
	Attempt      int
	Status       int           // 0 if there was no response
	Elapsed      time.Duration // time to the first byte of the response; 0 if Options.Now is nil
	Err          error
	Sent         http.Header
	Received     http.Header
	Body         string // body of the request, if it is JSON
	ResponseBody string // body of the response, if it is JSON
}

type traceResult struct {
	attempt int
	began   time.Time
	err     error
}

func (c *Client) traceAttempt(req *request, out *http.Request, resp *http.Response, r traceResult) {
	if c.opts.Trace == nil {
		return
	}
	event := TraceEvent{
		Op: req.op, Method: req.method, URL: redactURL(req.url), Attempt: r.attempt,
		Elapsed: c.now().Sub(r.began), Sent: redactHeader(out.Header), Body: redactJSON(req.jsonBody),
	}
	if r.err != nil {
		_, reason := c.classifyConnectionError(withoutURL(r.err), req.url.Scheme)
		event.Err = &NetworkError{Op: req.op, URL: event.URL, Reason: reason}
	} else {
		event.Status, event.Received = resp.StatusCode, redactHeader(resp.Header)
	}
	c.opts.Trace(event)
}

func (c *Client) traceBody(req *request, resp *http.Response, body []byte) {
	if c.opts.Trace == nil || len(body) == 0 {
		return
	}
	c.opts.Trace(TraceEvent{
		Op: req.op, Method: req.method, URL: redactURL(req.url), Attempt: req.attempts,
		Status: resp.StatusCode, ResponseBody: redactJSON(body),
	})
}
