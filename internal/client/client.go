// Package client calls the operations of the service over HTTP. It has typed calls of the endpoints
// of package api. It streams uploads and downloads, polls jobs, retries requests, renews the token
// and resumes downloads.
//
// It is strict in what it sends and tolerant in what it accepts, because other
// deployments of the service may differ where its documentation is silent. Any
// 2xx status is success, unknown fields and states are ignored, and a number or a
// list may be encoded as a string.
//
// An error of a call is one of these:
//   - *api.Problem if the service returned an error
//   - *NetworkError if the service did not respond, or something else responded
//   - the error of the context if the context ended first
package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"foretell/internal/api"
)

// Options configure a [Client]. Only BaseURL is required.
type Options struct {
	// BaseURL is the URL to which the paths of operations are appended, such as
	// https://foretell.example.com.
	BaseURL string
	// Transport sends the requests. Defaults to one that uses the proxies of the environment. For a
	// service in this process, use [NewInProcessTransport].
	Transport http.RoundTripper
	// Wrap, if not nil, wraps the transport, for example with [Observe].
	Wrap func(http.RoundTripper) http.RoundTripper
	// Token is the initial bearer token; may be empty.
	Token string
	// Relogin returns a new token. It is called when the service rejects the current token with
	// 401. The request is then repeated with the new token. Relogin is not called again until the
	// service has accepted that token. If Relogin is nil, the call returns the 401 as an error.
	Relogin func(ctx context.Context) (token string, err error)
	// Paths overrides the paths of operations by ID, for a service with other paths. A path must
	// have the same parameters as the path that it replaces.
	Paths map[string]string
	// UserAgent defaults to "foretell".
	UserAgent string
	// Attempts is the maximum number of attempts of a request. Defaults to 5. There are three more
	// attempts if a proxy responds with 502, 503 or 504 without Retry-After, or if the object store
	// with the files of the service does not respond.
	Attempts int
	// Wait waits for d between attempts and polls. If ctx ends first, it returns
	// the error of ctx. Defaults to [Sleep].
	Wait func(ctx context.Context, d time.Duration) error
	// MaxPoll is the maximum interval between polls. Defaults to 2 seconds.
	MaxPoll time.Duration
	// CertificateFile is the value of SSL_CERT_FILE, for messages about untrusted certificates.
	CertificateFile string
	// IdleTimeout is how long the client waits for the next byte of a response's body.
	// After that, the connection counts as lost. Defaults to one minute.
	IdleTimeout time.Duration
	// MaxOutage is how long a wait for a job continues while the service does not respond.
	// Defaults to 5 minutes.
	MaxOutage time.Duration
	// Now returns the current time. If it is nil, the events of Trace have no times.
	Now func() time.Time
	// Trace, if not nil, is called for every attempt. Its events contain no
	// secrets. It must be safe for concurrent use.
	Trace func(TraceEvent)
}

// Client calls one service for one account. It is safe for concurrent use.
type Client struct {
	opts Options
	base *url.URL
	http *http.Client
	// reloginMu is held during a log-in, so that only one log-in runs at a time.
	reloginMu sync.Mutex
	mu        sync.Mutex // guards the fields below
	token     string
	// mayRelogin is false after a log-in, until the service has accepted the token of this log-in.
	mayRelogin bool
	// needsThreshold is set once the service has rejected a race without a
	// threshold.
	needsThreshold atomic.Bool
}

// New returns a client. It validates the options but does not connect.
func New(opts Options) (*Client, error) {
	base, err := parseBaseURL(opts.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkPathOverrides(opts.Paths); err != nil {
		return nil, err
	}
	if opts.Transport == nil {
		opts.Transport = newTransport()
	}
	if opts.Wrap != nil {
		opts.Transport = opts.Wrap(opts.Transport)
	}
	if opts.UserAgent == "" {
		opts.UserAgent = "foretell"
	}
	if opts.Attempts <= 0 {
		opts.Attempts = 5
	}
	if opts.IdleTimeout <= 0 {
		opts.IdleTimeout = defaultIdleTimeout
	}
	if opts.MaxPoll <= 0 {
		opts.MaxPoll = maxPoll
	}
	if opts.MaxOutage <= 0 {
		opts.MaxOutage = maxOutage
	}
	if opts.Wait == nil {
		opts.Wait = Sleep
	}
	return &Client{
		opts: opts, base: base, token: opts.Token, mayRelogin: true,
		http: &http.Client{Transport: opts.Transport, CheckRedirect: checkRedirect},
	}, nil
}

// Origin returns the scheme and the host of a URL, such as https://foretell.example.com.
func Origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// BaseURL returns the normalized base URL.
func (c *Client) BaseURL() string { return c.base.String() }

// SetToken replaces the bearer token.
func (c *Client) SetToken(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token, c.mayRelogin = token, true
}

// Token returns the current bearer token. A call of Relogin changes it.
func (c *Client) Token() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token
}

// renewToken logs in again, unless another request has done so since the rejected token was sent.
// It reports whether the client now has a new token.
func (c *Client) renewToken(ctx context.Context, rejected string) (renewed bool, err error) {
	c.reloginMu.Lock()
	defer c.reloginMu.Unlock()
	if c.Token() != rejected {
		return true, nil
	}
	if c.opts.Relogin == nil || !c.claimRelogin() {
		return false, nil
	}
	token, err := c.opts.Relogin(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.mayRelogin = IsOutage(err) // after an outage, another log-in may succeed
		return false, fmt.Errorf("log in again: %w", err)
	}
	c.token = token
	return true, nil
}

// claimRelogin reports whether the caller may log in again. If so, it prevents
// further log-ins until the service accepts the new token.
func (c *Client) claimRelogin() (allowed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	allowed = c.mayRelogin
	c.mayRelogin = false
	return allowed
}

// markAccepted records that the service has accepted token. If the service rejects the token
// later, the client may log in again.
func (c *Client) markAccepted(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if token == c.token {
		c.mayRelogin = true
	}
}

func parseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(text), "/"))
	switch {
	case err != nil:
		return nil, fmt.Errorf("invalid service URL: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the service URL %q must begin with https:// or http://", u.Redacted())
	case u.Host == "":
		return nil, fmt.Errorf("the service URL %q has no host", u.Redacted())
	case u.User != nil:
		return nil, fmt.Errorf("the service URL %q contains credentials; log in instead", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the service URL %q must not have a query or fragment", u.Redacted())
	}
	return u, nil
}

// checkPathOverrides returns an error for an unknown operation, or for a path that does not begin
// with / or lacks a parameter of the operation. paths maps operation IDs to paths.
func checkPathOverrides(paths map[string]string) error {
	known := map[string]api.Operation{}
	for _, op := range api.Operations() {
		known[op.ID] = op
	}
	for id, path := range paths {
		op, ok := known[id]
		if !ok {
			return fmt.Errorf("path override %q: unknown operation", id)
		}
		if !strings.HasPrefix(path, "/") {
			return fmt.Errorf("path override %s: %q does not begin with /", id, path)
		}
		for _, name := range pathParams(op.Path) {
			if !strings.Contains(path, "{"+name+"}") {
				return fmt.Errorf("path override %s: %q must contain {%s}", id, path, name)
			}
		}
	}
	return nil
}

// Sleep waits for d. If ctx ends first, it returns the error of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
