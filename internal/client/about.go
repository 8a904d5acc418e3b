package client

import (
	"context"
	"net/http"
)

// About is what a service says of itself at its base address.
type About struct {
	Service string `json:"service"`
	Version string `json:"version"`
}

// About asks the service what it is. That is an extension: another deployment
// may have nothing there, or a page for people, which is an error.
func (c *Client) About(ctx context.Context) (*About, error) {
	u, err := c.base.Parse(c.base.EscapedPath() + "/")
	if err != nil {
		return nil, err
	}
	req := &request{op: "about", method: http.MethodGet, url: u, header: http.Header{}, repeatable: true}
	req.header.Set("Accept", "application/json")
	out := new(About)
	return out, c.exchange(ctx, req, out)
}
