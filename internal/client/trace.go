package client

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// cut stands in traces and errors where a secret was.
const cut = "[cut]"

// TraceEvent is one attempt of a request, or, with Answer set, the body of its
// answer. It holds no secret.
type TraceEvent struct {
	Op      string // operation ID
	Method  string
	URL     string
	Attempt int
	Status  int           // 0 if there was no answer
	Elapsed time.Duration // to the first byte of the answer; 0 if untimed
	Err     error
	Sent    http.Header
	Got     http.Header
	Body    string // of the request, if it is JSON
	Answer  string // of the service, if it is JSON
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
		Op: req.op, Method: req.method, URL: withoutSecrets(req.url), Attempt: r.attempt,
		Elapsed: c.now().Sub(r.began), Sent: safeHeader(out.Header), Body: safeJSON(req.text),
	}
	if r.err != nil {
		_, reason := classify(r.err)
		event.Err = &NetworkError{Op: req.op, URL: event.URL, Reason: reason}
	} else {
		event.Status, event.Got = resp.StatusCode, safeHeader(resp.Header)
	}
	c.opts.Trace(event)
}

func (c *Client) traceBody(req *request, resp *http.Response, body []byte) {
	if c.opts.Trace == nil || len(body) == 0 {
		return
	}
	c.opts.Trace(TraceEvent{
		Op: req.op, Method: req.method, URL: withoutSecrets(req.url), Attempt: req.attempts,
		Status: resp.StatusCode, Answer: safeJSON(body),
	})
}

// withoutSecrets writes an address with the values that prove it cut out.
func withoutSecrets(u *url.URL) string {
	safe := *u
	safe.User = nil
	query := u.Query()
	for name := range query {
		if isSecretParam(name) {
			query.Set(name, cut)
		}
	}
	if isSigned(u) {
		safe.RawQuery = strings.ReplaceAll(query.Encode(), url.QueryEscape(cut), cut)
	}
	return safe.String()
}

func safeHeader(h http.Header) http.Header {
	safe := h.Clone()
	for name := range safe {
		switch {
		case isSecretHeader(name):
			safe[name] = []string{cut}
		case name == "Location":
			safe[name] = []string{safeText(safe.Get(name))}
		}
	}
	return safe
}

// isSecretHeader knows the headers that prove who sends them, also those that
// object stores and gateways have of their own.
func isSecretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"authorization", "cookie", "token", "secret", "password", "signature", "api-key", "apikey", "credential"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// safeJSON writes JSON with its secrets cut out; nothing if it is not JSON.
func safeJSON(body []byte) string {
	var tree any
	if json.Unmarshal(body, &tree) != nil {
		return ""
	}
	safe, err := json.Marshal(safeValue(tree))
	if err != nil {
		return ""
	}
	return string(safe)
}

func safeValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if isSecretField(name) {
				v[name] = cut
			} else {
				v[name] = safeValue(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = safeValue(v[i])
		}
	case string:
		return safeText(v)
	}
	return value
}

func isSecretField(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "password") || strings.HasSuffix(name, "token") || strings.Contains(name, "secret")
}

// safeText cuts the secrets out of a text that is an address.
func safeText(text string) string {
	if !strings.Contains(text, "?") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return cut
	}
	if !isSigned(u) {
		return text
	}
	return withoutSecrets(u)
}
