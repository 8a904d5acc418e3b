package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// redirectError refuses to follow a redirect.
type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }

// checkRedirect keeps a redirect from doing harm: the token stays with the host
// it was meant for, a JSON body (it may hold a password) too, and a request
// that would lose its method or body is not sent.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) >= 10 {
		return &redirectError{"the service redirects in a circle"}
	}
	if next.Method != first.Method {
		return &redirectError{fmt.Sprintf("the service redirects this %s to %s in a way that would lose it: use the address it points to",
			first.Method, next.URL.Scheme+"://"+next.URL.Host)}
	}
	for _, earlier := range slices.Concat(via[1:], []*http.Request{next}) {
		if sameService(first.URL, earlier.URL) {
			continue
		}
		next.Header.Del("Authorization")
		if next.Body != nil && strings.HasPrefix(first.Header.Get("Content-Type"), "application/json") {
			return &redirectError{"the service redirects to another host, " + next.URL.Host + ", which is not followed with this request's body"}
		}
	}
	return nil
}

// sameService tells whether both addresses are of one service: the same scheme,
// host and port, or the step from http to https on the same host.
func sameService(a, b *url.URL) bool {
	if !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	if a.Scheme == b.Scheme {
		return port(a) == port(b)
	}
	return a.Scheme == "http" && b.Scheme == "https" && port(a) == "80" && port(b) == "443"
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// resolve reads an address that the service gave: relative to the base, and on
// https where the service is, even if it thinks otherwise behind its proxy.
func (c *Client) resolve(address string) (*url.URL, error) {
	u, err := c.base.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("the service returned an invalid URL")
	}
	if c.base.Scheme == "https" && u.Scheme == "http" && strings.EqualFold(u.Hostname(), c.base.Hostname()) {
		u.Scheme = "https"
		u.Host = c.base.Host
	}
	return u, nil
}

// isSigned tells whether an address carries a signature of its own in the
// query: whoever has it may use it, and no token is needed.
func isSigned(u *url.URL) bool {
	for name := range u.Query() {
		if isSecretParam(name) {
			return true
		}
	}
	return false
}

// isSecretParam knows the query parameters that the large object stores, and
// we, prove a signed address with.
func isSecretParam(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "sig", "token", "access_token", "awsaccesskeyid", "googleaccessid", "policy", "key-pair-id":
		return true
	}
	return strings.Contains(name, "signature") || strings.HasSuffix(name, "-credential") || strings.HasSuffix(name, "-security-token")
}
