// Package client calls the service's operations over HTTP: typed calls by the
// endpoints of package api, uploads and downloads that stream, waiting, and the
// patience that a network needs (retries, one new log-in, resumed downloads).
//
// It is strict in what it sends and tolerant in what it takes, because another
// deployment of the service may have chosen otherwise where its documentation
// is silent: any 2xx is success, unknown fields and states are kept out of the
// way, numbers may come as strings and lists as strings that hold a list.
//
// Errors are of three kinds: *api.Problem when the service answered with an
// error, *NetworkError when no answer of the service came, and the error of the
// context when that ended first.
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
	// BaseURL is the address under which the service's /api lies, such as
	// https://foretell.example.com.
	BaseURL string
	// Transport carries the requests. Defaults to one that honours the proxy
	// variables; for the embedded service it comes from [InProcess].
	Transport http.RoundTripper
	// Wrap, if not nil, puts something around the transport that sees every
	// request, such as [Observe].
	Wrap func(http.RoundTripper) http.RoundTripper
	// Token is the bearer token to start with; may be empty.
	Token string
	// Relogin returns a new token after the service refused the present one with
	// 401; the request is then repeated. It is not called again until the new
	// token has been accepted once. Nil lets the 401 through.
	Relogin func(ctx context.Context) (token string, err error)
	// Paths replaces paths by operation ID, for a deployment that placed an
	// operation elsewhere. A path holds the same parameters as the original.
	Paths map[string]string
	// UserAgent defaults to "foretell".
	UserAgent string
	// Attempts is how often a request is tried in all. Defaults to 5.
	Attempts int
	// Wait sleeps between attempts and polls until d has passed or ctx ends,
	// whose error it then gives. Defaults to a real timer.
	Wait func(ctx context.Context, d time.Duration) error
	// LongestPoll is the longest time between two looks at what is waited for.
	// Defaults to 2 seconds.
	LongestPoll time.Duration
	// Now times the attempts for Trace; nil leaves them untimed.
	Now func() time.Time
	// Trace is told of every attempt, with all secrets cut out. It may be
	// called by several goroutines at once.
	Trace func(TraceEvent)
}

// Client calls one service for one account. It may be used by any number of
// goroutines.
type Client struct {
	opts Options
	base *url.URL
	http *http.Client
	// renewing is held during a new log-in, so that there is one at a time.
	renewing sync.Mutex
	mu       sync.Mutex // guards what follows
	token    string
	// renewable is false from a new log-in until its token is accepted.
	renewable bool
	// needsThreshold is set once the service has refused a race without one.
	needsThreshold atomic.Bool
}

// New checks the options and gives a client. It does not dial.
func New(opts Options) (*Client, error) {
	base, err := parseBase(opts.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkPaths(opts.Paths); err != nil {
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
	if opts.LongestPoll <= 0 {
		opts.LongestPoll = longestPoll
	}
	if opts.Wait == nil {
		opts.Wait = Sleep
	}
	return &Client{
		opts: opts, base: base, token: opts.Token, renewable: true,
		http: &http.Client{Transport: opts.Transport, CheckRedirect: checkRedirect},
	}, nil
}

// BaseURL is the service's address as the client uses it.
func (c *Client) BaseURL() string { return c.base.String() }

// SetToken replaces the bearer token.
func (c *Client) SetToken(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token, c.renewable = token, true
}

// Token is the bearer token in use; it changes with a new log-in.
func (c *Client) Token() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token
}

// renew logs in again unless another request has done so since refused was
// sent. It tells whether there is a new token to try.
func (c *Client) renew(ctx context.Context, refused string) (bool, error) {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	if c.Token() != refused {
		return true, nil
	}
	if c.opts.Relogin == nil || !c.spendRenewal() {
		return false, nil
	}
	token, err := c.opts.Relogin(ctx)
	if err != nil {
		return false, fmt.Errorf("log in again: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token = token
	return true, nil
}

// spendRenewal tells whether a new log-in is due, and lets no other be until
// its token is accepted.
func (c *Client) spendRenewal() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	due := c.renewable
	c.renewable = false
	return due
}

// accepted notes that the service took the token.
func (c *Client) accepted(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if token == c.token {
		c.renewable = true
	}
}

func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(text), "/"))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the service's address is not a URL: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the service's address %q has to begin with https:// or http://", u.Redacted())
	case u.Host == "":
		return nil, fmt.Errorf("the service's address %q names no host", u.Redacted())
	case u.User != nil:
		return nil, fmt.Errorf("the service's address %q holds credentials; log in instead", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the service's address %q may not have a query or fragment", u.Redacted())
	}
	return u, nil
}

// checkPaths refuses an override that could not be called.
func checkPaths(paths map[string]string) error {
	known := map[string]api.Operation{}
	for _, op := range api.Operations() {
		known[op.ID] = op
	}
	for id, path := range paths {
		op, ok := known[id]
		if !ok {
			return fmt.Errorf("path override %q: there is no such operation", id)
		}
		if !strings.HasPrefix(path, "/") {
			return fmt.Errorf("path override %s: %q has to begin with /", id, path)
		}
		for _, name := range pathParams(op.Path) {
			if !strings.Contains(path, "{"+name+"}") {
				return fmt.Errorf("path override %s: %q lacks {%s}", id, path, name)
			}
		}
	}
	return nil
}

// Sleep waits until d has passed or ctx ends, whose error it then returns.
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
