package client

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// redacted replaces secrets in traces and errors.
const redacted = "[cut]"

// TraceEvent is one attempt to send a request. If ResponseBody is set, it is the body of
// a response instead. It contains no secrets.
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
		_, reason := classifyConnectionError(r.err)
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

// redactURL formats a URL without its credentials and its signature.
func redactURL(u *url.URL) string {
	safe := *u
	safe.User = nil
	query := u.Query()
	for name := range query {
		if isSecretParam(name) {
			query.Set(name, redacted)
		}
	}
	if isSigned(u) {
		safe.RawQuery = strings.ReplaceAll(query.Encode(), url.QueryEscape(redacted), redacted)
	}
	return safe.String()
}

func redactHeader(h http.Header) http.Header {
	safe := h.Clone()
	for name := range safe {
		switch {
		case isSecretHeader(name):
			safe[name] = []string{redacted}
		case name == "Location":
			safe[name] = []string{redactText(safe.Get(name))}
		}
	}
	return safe
}

// isSecretHeader reports whether a header may contain credentials, including
// those of object stores and gateways.
func isSecretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"authorization", "cookie", "token", "secret", "password", "signature", "api-key", "apikey", "credential"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// redactJSON returns JSON without its secrets, or "" if body is not JSON.
func redactJSON(body []byte) string {
	var tree any
	if json.Unmarshal(body, &tree) != nil {
		return ""
	}
	safe, err := json.Marshal(redactValue(tree))
	if err != nil {
		return ""
	}
	return string(safe)
}

func redactValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if isSecretField(name) {
				v[name] = redacted
			} else {
				v[name] = redactValue(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = redactValue(v[i])
		}
	case string:
		return redactText(v)
	}
	return value
}

func isSecretField(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "password") || strings.HasSuffix(name, "token") || strings.Contains(name, "secret")
}

// redactText returns text without the signature if text is a signed URL, and
// unchanged otherwise.
func redactText(text string) string {
	if !strings.Contains(text, "?") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return redacted
	}
	if !isSigned(u) {
		return text
	}
	return redactURL(u)
}
