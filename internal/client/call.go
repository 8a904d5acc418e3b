package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"foretell/internal/api"
)

// maxResponse is the maximum number of bytes that the client reads of a JSON response.
const maxResponse = 64 << 20

// Call calls an endpoint whose request consists of parameters and JSON. in may be
// nil if In is [api.None]. Endpoints that send or return a file have methods of
// their own: [Client.AddData], [Client.UploadData], [Client.CreatePrediction],
// [Client.Download] and [Client.DownloadModel].
func Call[In, Out any](ctx context.Context, c *Client, e api.Endpoint[In, Out], in *In) (*Out, error) {
	req, err := c.newRequest(e.Operation, in)
	if err != nil {
		return nil, err
	}
	out := new(Out)
	if err := c.doJSON(ctx, req, out); err != nil {
		return nil, err
	}
	return out, nil
}

// newRequest returns the request that calls an operation. in is the input, a pointer to a struct.
func (c *Client) newRequest(op api.Operation, in any) (*request, error) {
	b, err := newBinding(in)
	if err != nil {
		return nil, err
	}
	template := op.Path
	if override, ok := c.opts.Paths[op.ID]; ok {
		template = override
	}
	path, err := b.expandPath(template)
	if err != nil {
		return nil, err
	}
	// The base URL and the path are parsed together, so that an escaped slash in
	// a parameter stays escaped.
	u, err := c.base.Parse(c.base.EscapedPath() + path)
	if err != nil {
		return nil, err
	}
	if len(b.query) > 0 {
		u.RawQuery = b.query.Encode()
	}
	req := &request{
		op: op.ID, method: op.Method, url: u, header: http.Header{},
		sendToken: !op.Public, idempotent: isIdempotent(op, in), waitOn429: op.ID != api.LogIn.ID,
	}
	req.header.Set("Accept", "application/json, application/problem+json")
	if b.body != nil {
		req.header.Set("Content-Type", "application/json")
		req.open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.body)), nil }
		req.size = int64(len(b.body))
		req.jsonBody = b.body
	}
	return req, nil
}

// isIdempotent reports whether a request may be sent again. in is its input. A log-in with the code
// of an authenticator app must not be sent again, because the service accepts each code only once.
func isIdempotent(op api.Operation, in any) bool {
	switch op.Method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		return true
	}
	login, ok := in.(*api.LogInInput)
	return ok && login.Body.AuthenticatorCode == ""
}

// doJSON sends req and decodes the JSON response into out.
func (c *Client) doJSON(ctx context.Context, req *request, out any) error {
	resp, err := c.send(ctx, req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := c.readBody(ctx, req, resp)
	if err != nil {
		return err
	}
	if _, ok := out.(*api.None); ok {
		return nil
	}
	return decodeResponse(req, resp, body, out)
}

// readBody reads the body of a response. A body of more than maxResponse bytes is an error.
func (c *Client) readBody(ctx context.Context, req *request, resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	if err != nil {
		return nil, c.networkError(ctx, req, err)
	}
	if len(body) > maxResponse {
		return nil, fmt.Errorf("%s %s returned more than %d MiB, the maximum size of a response; `foretell api %[1]s %[2]s` prints it", req.method, req.url.Path, maxResponse>>20)
	}
	c.traceBody(req, resp, body)
	return body, nil
}

// decodeResponse decodes the JSON of a 2xx response.
func decodeResponse(req *request, resp *http.Response, body []byte, out any) error {
	if len(bytes.TrimSpace(body)) == 0 && req.method == http.MethodPatch {
		return nil // other deployments may respond without a body
	}
	if looksLikeHTML(resp, body) {
		return notServiceError(req, resp, "a web page")
	}
	if page := embeddedPage(out); page != nil {
		page.Total = -1 // stays -1 if the service does not report the total
	}
	if err := decodeLenient(body, out); err != nil {
		e := notServiceError(req, resp, "a body that is not the expected JSON")
		e.Err = err
		return e
	}
	if key := findInvalidKey(reflect.ValueOf(out)); key != "" {
		return notServiceError(req, resp, fmt.Sprintf("the invalid key %.50q", key))
	}
	normalizeStatesAndOutcomes(out)
	return nil
}

// looksLikeHTML reports whether a response is HTML, such as a proxy's log-in
// page.
func looksLikeHTML(resp *http.Response, body []byte) bool {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err == nil && strings.HasSuffix(media, "html") {
		return true
	}
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

// embeddedPage returns the api.Page that is embedded in out, or nil if out is not the response of
// a list.
func embeddedPage(out any) *api.Page {
	v := reflect.Indirect(reflect.ValueOf(out))
	if v.Kind() != reflect.Struct {
		return nil
	}
	if field := v.FieldByName("Page"); field.IsValid() && field.CanAddr() {
		page, _ := field.Addr().Interface().(*api.Page)
		return page
	}
	return nil
}
