package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Raw is a request of the caller's own making.
type Raw struct {
	Method string
	// Path lies under the service's address and may have a query, such as
	// /api/v1/datasets?limit=1. A whole address is taken if it is the service's.
	Path string
	// Header replaces what would be sent; an Authorization keeps the token at
	// home. May be nil.
	Header http.Header
	// Open returns the body from its beginning, each time anew; nil for none.
	Open func() (io.ReadCloser, error)
	// Size is that of the body; -1 if it is not known.
	Size int64
}

// Do sends a request and gives the service's answer, whose body is the caller's
// to close. An answer that is no success is an error, as it is of every call.
func (c *Client) Do(ctx context.Context, raw Raw) (*http.Response, error) {
	address := raw.Path
	if !strings.Contains(address, "://") {
		address = c.base.String() + "/" + strings.TrimLeft(address, "/")
	}
	u, err := c.base.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s is no path: %w", raw.Path, err)
	}
	if !sameService(c.base, u) {
		return nil, fmt.Errorf("%s is not at %s: the token goes to no other service", withoutSecrets(u), c.base)
	}
	req := &request{
		op: raw.Method, method: raw.Method, url: u, header: http.Header{}, open: raw.Open, size: raw.Size,
		bearer: raw.Header.Get("Authorization") == "", patient: true,
		repeatable: raw.Method != http.MethodPost && raw.Method != http.MethodPatch,
	}
	req.header.Set("Accept", "application/json, application/problem+json, */*")
	for name, values := range raw.Header {
		req.header[http.CanonicalHeaderKey(name)] = values
	}
	resp, err := c.send(ctx, req)
	if err != nil || !strings.Contains(resp.Header.Get("Content-Type"), "json") {
		return resp, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, c.networkError(ctx, req, err)
	}
	c.traceBody(req, resp, body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
