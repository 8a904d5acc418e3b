package client

import (
	"context"
	"net/http"
)

// About describes a service. The service returns it at its base URL.
type About struct {
	Service string `json:"service"`
	Version string `json:"version"`
}

// About requests the description of the service. It is an extension: another implementation of the
// service may have a web page or nothing at its base URL, and About then returns an error.
func (c *Client) About(ctx context.Context) (*About, error) {
	u, err := c.base.Parse(c.base.EscapedPath() + "/")
	if err != nil {
		return nil, err
	}
	req := &request{op: "about", method: http.MethodGet, url: u, header: http.Header{}, idempotent: true}
	req.header.Set("Accept", "application/json")
	out := new(About)
	return out, c.doJSON(ctx, req, out)
}
