package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// RawRequest is a request for any path and method. They need not belong to an operation.
type RawRequest struct {
	Method string
	// Path is relative to the service's URL and may have a query, such as
	// /api/v1/datasets?limit=1. It may also be an absolute URL of the service.
	Path string
	// Header overrides the default headers. If it has an Authorization, the token
	// is not sent. It may be nil.
	Header http.Header
	// Open returns the body from its beginning and may be called several times. It
	// is nil if there is no body.
	Open func() (io.ReadCloser, error)
	// Size is the size of the body; -1 if unknown.
	Size int64
}

// IsAbsoluteURL reports whether address has a scheme, as in https://host/path. A "://" in the query
// of a path does not count.
func IsAbsoluteURL(address string) bool {
	path, _, _ := strings.Cut(address, "?")
	return strings.Contains(path, "://")
}

// DoRaw sends a request and returns the response, whose body the caller must
// close. A response other than 2xx is an error.
func (c *Client) DoRaw(ctx context.Context, raw RawRequest) (*http.Response, error) {
	address := raw.Path
	if !IsAbsoluteURL(address) {
		address = c.base.String() + "/" + strings.TrimLeft(address, "/")
	}
	u, err := c.base.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("invalid path %s: %w", raw.Path, err)
	}
	if !isSameServiceOrHTTPS(c.base, u) {
		return nil, fmt.Errorf("%s is not a URL of the service at %s, and the token is sent to no other service", redactURL(u), c.base)
	}
	req := &request{
		op: raw.Method, method: raw.Method, url: u, header: http.Header{}, open: raw.Open, size: raw.Size,
		sendToken: raw.Header.Get("Authorization") == "", waitOn429: true,
		idempotent: raw.Method != http.MethodPost && raw.Method != http.MethodPatch,
	}
	req.header.Set("Accept", "application/json, application/problem+json, */*")
	for name, values := range raw.Header {
		req.header[http.CanonicalHeaderKey(name)] = values
	}
	resp, err := c.send(ctx, req)
	if err != nil {
		return nil, err
	}
	resp.Body = &rawBody{resp.Body, func(err error) error { return c.networkError(ctx, req, err) }}
	if !strings.Contains(resp.Header.Get("Content-Type"), "json") {
		return resp, nil
	}
	begin, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		_ = resp.Body.Close() // the first error counts
		return nil, err
	}
	c.traceBody(req, resp, begin)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), resp.Body), resp.Body}
	return resp, nil
}

// rawBody is the body of a response. It converts the errors of reading.
type rawBody struct {
	io.ReadCloser
	convertError func(error) error
}

func (b *rawBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.convertError(err)
	}
	return n, err
}
