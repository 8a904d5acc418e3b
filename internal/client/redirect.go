package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// redirectError is the error for a redirect that the client does not follow.
type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }

// checkRedirect implements http.Client.CheckRedirect. It rejects the tenth redirect of a request, a
// redirect that would change the method, one that would send a body to another host (see
// mayFollowWithBody), and one that would send a body from https to http. It removes the token from a
// request to another host.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) >= 10 {
		return &redirectError{"the service redirected 10 times"}
	}
	if next.Method != first.Method {
		return &redirectError{fmt.Sprintf("the service redirects this %s to %s with status %d, which turns it into a %s",
			first.Method, next.URL.Scheme+"://"+next.URL.Host, next.Response.StatusCode, next.Method)}
	}
	hasBody := next.Body != nil && next.Body != http.NoBody
	if hasBody && next.URL.Scheme != "https" && slices.ContainsFunc(via, func(r *http.Request) bool { return r.URL.Scheme == "https" }) {
		return &redirectError{"the service redirects from https to http://" + next.URL.Host + ", and this request's body is not sent without encryption"}
	}
	for _, earlier := range slices.Concat(via[1:], []*http.Request{next}) {
		if isSameServiceOrHTTPS(first.URL, earlier.URL) {
			continue
		}
		next.Header.Del("Authorization")
		if hasBody && !mayFollowWithBody(first) {
			return &redirectError{"the service redirects to another host, " + next.URL.Host + ", and this request's body is not sent there"}
		}
	}
	return nil
}

// mayFollowWithBody reports whether the body of a request may be sent to another host. This is true
// only for an upload to an upload URL, because some object stores redirect uploads. Other bodies may
// contain a password or a table, and belong to the service.
func mayFollowWithBody(first *http.Request) bool {
	return first.Method == http.MethodPut && !strings.HasPrefix(first.Header.Get("Content-Type"), "application/json")
}

// isSameServiceOrHTTPS reports whether both URLs have the same scheme, host and port. It also
// returns true for a change from http to https on the same host, if both have the default port of
// their scheme.
func isSameServiceOrHTTPS(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return effectivePort(from) == effectivePort(to)
	}
	return from.Scheme == "http" && to.Scheme == "https" && effectivePort(from) == "80" && effectivePort(to) == "443"
}

func effectivePort(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// resolveURL parses a URL from a response, which may be relative to the base URL. A service behind
// a proxy may not know that clients use https. Therefore resolveURL changes an http URL of the
// service to https if the base URL has the scheme https.
//
// If a proxy serves the service below the path of the base URL and removes this path from requests,
// the service does not know the path. Therefore resolveURL adds it to a URL of the API on the host of
// the service. Other URLs on this host may belong to an object store, and are not changed.
func (c *Client) resolveURL(address string) (*url.URL, error) {
	u, err := c.base.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("the service returned an invalid URL")
	}
	if c.base.Scheme == "https" && u.Scheme == "http" && c.isOwnAddress(u) {
		u.Scheme = "https"
		u.Host = c.base.Host
	}
	const apiPath = "/api/v1/"
	if isSameServiceOrHTTPS(c.base, u) && strings.HasPrefix(u.Path, apiPath) && !strings.HasPrefix(u.Path, c.base.Path+apiPath) {
		escaped := c.base.EscapedPath() + u.EscapedPath()
		u.Path, u.RawPath = c.base.Path+u.Path, escaped
	}
	return u, nil
}

// isOwnAddress reports whether u, an http URL, is an address of the service, whose base URL has the
// scheme https. An address of the service has the host of the base URL, and port 80 or the port of
// the base URL. Another port belongs to another program, such as the object store with the files.
func (c *Client) isOwnAddress(u *url.URL) bool {
	port := effectivePort(u)
	return strings.EqualFold(u.Hostname(), c.base.Hostname()) && (port == "80" || port == effectivePort(c.base))
}

// isSigned reports whether a URL has a signature in its query. A signed URL needs no
// token.
func isSigned(u *url.URL) bool {
	for name := range u.Query() {
		if isSignatureParam(name) {
			return true
		}
	}
	return false
}

// isSignatureParam reports whether a query parameter belongs to the signature of a URL that was
// signed by this service or by one of the common object stores.
func isSignatureParam(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "sig", "token", "access_token", "awsaccesskeyid", "googleaccessid", "policy", "key-pair-id":
		return true
	}
	return strings.Contains(name, "signature") || strings.HasSuffix(name, "-credential") || strings.HasSuffix(name, "-security-token")
}
