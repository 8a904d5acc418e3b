package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strings"

	"foretell/internal/api"
)

// ErrorKind classifies a [NetworkError].
type ErrorKind string

// The kinds of a [NetworkError].
const (
	Unreachable    ErrorKind = "unreachable"   // no connection: wrong host or port, service down, no network
	Untrusted      ErrorKind = "untrusted"     // the TLS handshake failed, for example because of an unknown certificate
	ProxyFailed    ErrorKind = "proxy"         // the proxy is unreachable or refused the request
	ConnectionLost ErrorKind = "broken"        // the connection was lost or timed out
	BadRedirect    ErrorKind = "misdirected"   // a redirect that the client does not follow
	NotService     ErrorKind = "not-a-service" // something other than the API of the service responded
)

// NetworkError is returned if the service did not respond, or if something else responded.
type NetworkError struct {
	Op   string // operation ID
	URL  string // requested URL, without secrets
	Kind ErrorKind
	// Status is the HTTP status of the response if Kind is NotService, and 0 otherwise.
	Status int
	// FileStore is set if the URL belongs to the object store with the files of the service, and
	// not to the service itself.
	FileStore bool
	// Reason is a message for people.
	Reason string
	// Err is the cause; may be nil.
	Err error
}

// Error returns the server and the reason.
func (e *NetworkError) Error() string { return e.Server() + ": " + e.Reason }

// Server returns the scheme and the host of the URL.
func (e *NetworkError) Server() string {
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return e.URL
}

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.Err }

// isTemporary reports whether another attempt may succeed.
func (e *NetworkError) isTemporary() bool {
	if e.Kind == ConnectionLost {
		return true
	}
	var dns *net.DNSError
	return e.Kind == Unreachable && (!errors.As(e.Err, &dns) || !dns.IsNotFound)
}

// networkError returns the error for a request without a response. If ctx has
// ended, it wraps the error of ctx.
func (c *Client) networkError(ctx context.Context, req *request, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", req.op, ctx.Err())
	}
	var source *sourceError
	if errors.As(err, &source) {
		return source.err
	}
	err = withoutURL(err)
	e := &NetworkError{Op: req.op, URL: redactURL(req.url), Err: err}
	e.Kind, e.Reason = c.classifyConnectionError(err, req.url.Scheme)
	if e.FileStore = c.isFileStore(req.url) && e.Kind != BadRedirect; e.FileStore {
		e.Reason = "the file store of the service does not respond: " + e.Reason
	}
	return e
}

// withoutURL returns the cause of err if err is a *url.Error, whose text contains the URL with its
// secrets. It returns any other err unchanged.
func withoutURL(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}

// isFileStore reports whether u is a URL of the object store to which the service refers clients
// for uploads and downloads.
func (c *Client) isFileStore(u *url.URL) bool { return !isSameServiceOrHTTPS(c.base, u) }

// classifyConnectionError returns the kind of a connection error, and its cause as text. scheme is
// the scheme of the requested URL.
func (c *Client) classifyConnectionError(err error, scheme string) (kind ErrorKind, cause string) {
	var (
		redirect  *redirectError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		alert     tls.AlertError
		dns       *net.DNSError
		op        *net.OpError
	)
	text := err.Error()
	switch {
	case errors.As(err, &redirect):
		return BadRedirect, redirect.reason
	case errors.As(err, &op) && op.Op == "proxyconnect", strings.Contains(text, "proxyconnect"):
		return ProxyFailed, "the proxy cannot be reached: check " + proxyEnvVar(scheme) + " and NO_PROXY (" + text + ")"
	case errors.As(err, &authority):
		return Untrusted, describeUnknownAuthority(runtime.GOOS, c.opts.CertificateFile)
	case errors.As(err, &hostname):
		return Untrusted, "the certificate of the server is for another name (" + text + ")"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return Untrusted, "the certificate of the server has expired or is not yet valid; check this machine's clock"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return Untrusted, "the certificate of the server is invalid (" + text + ")"
	case errors.As(err, &record), strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return Untrusted, "the server does not support TLS; if it uses plain HTTP, begin the URL with http://"
	case strings.Contains(text, `malformed HTTP response "\x15\x03`): // a TLS alert
		return Untrusted, tlsExpected
	case errors.As(err, &alert):
		return Untrusted, "the TLS handshake failed (" + text + ")"
	case errors.As(err, &dns) && dns.IsNotFound:
		return Unreachable, "unknown host"
	case errors.As(err, &op) && op.Op == "dial":
		return Unreachable, "no connection (" + op.Err.Error() + ")"
	case errors.As(err, &dns):
		return Unreachable, "the name of the host cannot be resolved (" + dns.Err + ")"
	default:
		return ConnectionLost, "the connection was lost (" + text + ")"
	}
}

// describeUnknownAuthority returns a text about a certificate that an unknown authority has signed:
// why it is not trusted, and what to do on the operating system goos. certificateFile is the value
// of SSL_CERT_FILE, which has no effect on macOS and Windows.
func describeUnknownAuthority(goos, certificateFile string) string {
	reason := "the certificate of the server is signed by an unknown authority; "
	switch goos {
	case "darwin":
		return reason + "add the authority's certificate to the keychain with `security add-trusted-cert -k ~/Library/Keychains/login.keychain-db FILE` (SSL_CERT_FILE has no effect on macOS)"
	case "windows":
		return reason + "add the authority's certificate to the trusted root certificates with `certutil -user -addstore Root FILE` (SSL_CERT_FILE has no effect on Windows)"
	}
	if certificateFile == "" {
		return reason + "set SSL_CERT_FILE to a file with the authority's certificate"
	}
	reason += "the file of SSL_CERT_FILE, " + certificateFile + ", "
	_, err := os.ReadFile(certificateFile)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return reason + "cannot be read: " + failed.Err.Error()
	}
	return reason + "does not contain the authority's certificate: add it, or set SSL_CERT_FILE to another file"
}

// proxyEnvVar returns the environment variable, in upper case, with the proxy for URLs of this scheme.
func proxyEnvVar(scheme string) string { return strings.ToUpper(scheme) + "_PROXY" }

// notServiceError returns the error for a response that is not from the service. what describes the
// body of the response.
func notServiceError(req *request, resp *http.Response, what string) *NetworkError {
	return &NetworkError{
		Op: req.op, URL: redactURL(req.url), Kind: NotService, Status: resp.StatusCode,
		Reason: fmt.Sprintf("this URL is not the service's API: %s %s returned %d with %s",
			req.method, req.url.Path, resp.StatusCode, what),
	}
}

// tlsExpected is the reason if a server that expects TLS received plain HTTP.
const tlsExpected = "the server expects TLS: begin the URL with https://"

// plainHTTPRefused matches the response of a TLS server to plain HTTP, as Go, nginx and Apache send
// it.
var plainHTTPRefused = regexp.MustCompile(`(?i)HTTP request to an HTTPS server|plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled`)

// consumeErrorResponse returns the error for an unsuccessful response, and closes its body.
func (c *Client) consumeErrorResponse(req *request, resp *http.Response) error {
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // if reading fails, the partial body is used
	c.traceBody(req, resp, body)
	status := resp.StatusCode
	if resp.Request != nil && resp.Request.URL.Host != req.url.Host {
		req = &request{op: req.op, method: req.method, url: resp.Request.URL}
	}
	problem := parseProblem(status, body)
	if problem == nil {
		if status == http.StatusBadRequest && req.url.Scheme == "http" && plainHTTPRefused.Match(body) {
			return &NetworkError{Op: req.op, URL: redactURL(req.url), Kind: Untrusted, Reason: tlsExpected}
		}
		if status < 400 || status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
			return notServiceError(req, resp, "an unknown error format")
		}
		problem = problemFromStatus(status)
		if c.isFileStore(req.url) {
			problem.Detail = fmt.Sprintf("the file store of the service, %s://%s, returned %d %s", req.url.Scheme, req.url.Host, status, http.StatusText(status))
		}
	}
	// A proxy that serves the service below the path of the base URL removes this path from
	// requests. If the service received it, the base URL is probably wrong.
	isPathReceived := problem.Instance == "" || problem.Instance == req.url.EscapedPath()
	if problem.Code == api.CodeNoRoute && c.base.Path != "" && isPathReceived {
		problem = problem.WithCause(&BaseURLError{BaseURL: c.BaseURL(), Origin: Origin(c.base)})
	}
	problem.RetryAfter = retryAfter(resp.Header)
	if problem.RequestID == "" {
		problem.RequestID = resp.Header.Get("X-Request-Id")
	}
	return problem
}

// BaseURLError is the cause of a problem with api.CodeNoRoute if the base URL of the client is
// probably wrong, because it has a path. Often it is the URL of a page of the dashboard.
type BaseURLError struct {
	// BaseURL is the base URL of the client, and Origin is the same URL without its path.
	BaseURL, Origin string
}

func (e *BaseURLError) Error() string { return "the URL of the service, " + e.BaseURL + ", has a path" }

// parseProblem parses problem details (RFC 9457) or another JSON error object. It
// returns nil if body is neither.
func parseProblem(status int, body []byte) *api.Problem {
	var p api.Problem
	if json.Unmarshal(body, &p) == nil && p.Code != "" {
		p.Status = status
		return &p
	}
	var loose map[string]any
	if json.Unmarshal(body, &loose) == nil && loose != nil {
		return parseForeignProblem(status, loose)
	}
	return nil
}

// parseForeignProblem converts the error object of another deployment to a problem.
func parseForeignProblem(status int, object map[string]any) *api.Problem {
	p := problemFromStatus(status)
	for _, name := range []string{"detail", "message", "error_description", "error", "title"} {
		if text, ok := object[name].(string); ok && text != "" {
			p.Detail = text
			break
		}
	}
	return p
}

// errForeignFormat is wrapped by a problem if the response was an error, but not in the error
// format of the service.
var errForeignFormat = errors.New("the response is not in the error format of the service")

// problemFromStatus returns the problem for a response that has a status but no
// details. It wraps errForeignFormat.
func problemFromStatus(status int) *api.Problem {
	p := api.NewProblem(codeFromStatus(status), "the service returned %d %s", status, http.StatusText(status))
	p.Status, p.Title = status, http.StatusText(status)
	return p.WithCause(errForeignFormat)
}

func codeFromStatus(status int) api.Code {
	switch status {
	case http.StatusUnauthorized:
		return api.CodeUnauthorized
	case http.StatusForbidden:
		return api.CodeForbidden
	case http.StatusNotFound, http.StatusGone:
		return api.CodeNotFound
	case http.StatusMethodNotAllowed:
		return api.CodeMethodNotAllowed
	case http.StatusConflict:
		return api.CodeWrongState
	case http.StatusRequestEntityTooLarge:
		return api.CodeTooLarge
	case http.StatusUnsupportedMediaType:
		return api.CodeWrongMediaType
	case http.StatusUnprocessableEntity:
		return api.CodeInvalid
	case http.StatusTooManyRequests:
		return api.CodeTooMany
	case http.StatusInsufficientStorage:
		return api.CodeStorageFull
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return api.CodeNotReady
	}
	if status >= 500 {
		return api.CodeInternal
	}
	return api.CodeMalformed
}
