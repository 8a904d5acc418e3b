package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// redirectError is the error of a redirect that is not followed.
type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }

// checkRedirect is an http.Client.CheckRedirect. It sends the token and JSON
// bodies, which may contain a password, to no other host, and does not follow a
// redirect that would change the method.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) >= 10 {
		return &redirectError{"the service redirected 10 times"}
	}
	if next.Method != first.Method {
		return &redirectError{fmt.Sprintf("the service redirects this %s to %s with a status that changes the method: use that URL instead",
			first.Method, next.URL.Scheme+"://"+next.URL.Host)}
	}
	for _, earlier := range slices.Concat(via[1:], []*http.Request{next}) {
		if sameService(first.URL, earlier.URL) {
			continue
		}
		next.Header.Del("Authorization")
		if next.Body != nil && strings.HasPrefix(first.Header.Get("Content-Type"), "application/json") {
			return &redirectError{"the service redirects to another host, " + next.URL.Host + ", which does not get this request's body"}
		}
	}
	return nil
}

// sameService reports whether both URLs have the same scheme, host and port, or
// b is the https URL of the same host on the default port.
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

// resolve parses a URL from a response, relative to the base URL. It uses https
// if the base URL does, because a service behind a proxy may not know.
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

// isSigned reports whether a URL has a signature in its query, so that it needs
// no token.
func isSigned(u *url.URL) bool {
	for name := range u.Query() {
		if isSecretParam(name) {
			return true
		}
	}
	return false
}

// isSecretParam reports whether a query parameter is part of the signature of a
// signed URL, of this service or of the common object stores.
func isSecretParam(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "sig", "token", "access_token", "awsaccesskeyid", "googleaccessid", "policy", "key-pair-id":
		return true
	}
	return strings.Contains(name, "signature") || strings.HasSuffix(name, "-credential") || strings.HasSuffix(name, "-security-token")
}
