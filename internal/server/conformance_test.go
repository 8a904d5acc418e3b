package server_test

import (
	"encoding/json"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"foretell/internal/server"
)

// document is the OpenAPI document with which the tests compare responses.
var document = server.Document()

// checkResponse checks that the status, the content type and the JSON of a response are those that
// the OpenAPI document allows for the operation. It accepts the responses of paths that belong to
// no operation.
func checkResponse(tb testing.TB, method, address string, resp reply, body []byte) {
	tb.Helper()
	op := operationAt(method, address)
	if op == nil || len(body) == 0 {
		return
	}
	described := op.Responses[strconv.Itoa(resp.StatusCode)]
	if described == nil {
		tb.Errorf("%s returned %d, which is not in the document: %s", op.OperationID, resp.StatusCode, body)
		return
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	content := described.Content[media]
	if content == nil {
		tb.Errorf("%s returned %d with %q, which is not in the document", op.OperationID, resp.StatusCode, media)
		return
	}
	if !strings.HasSuffix(media, "json") || content.Schema == nil {
		return
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		tb.Errorf("%s: %v in %s", op.OperationID, err, body)
		return
	}
	result := &huma.ValidateResult{}
	huma.Validate(document.Components.Schemas, content.Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, value, result)
	for _, err := range result.Errors {
		tb.Errorf("%s returned %d that does not match its schema: %v in %s", op.OperationID, resp.StatusCode, err, body)
	}
}

// operationAt returns the operation of a request, or nil if none exists.
func operationAt(method, address string) *huma.Operation {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	segments := strings.Split(u.Path, "/")
	var best *huma.Operation
	literals := -1
	for path, item := range document.Paths {
		n := matchPath(strings.Split(path, "/"), segments)
		op := map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete}[method]
		if op != nil && n > literals {
			best, literals = op, n
		}
	}
	return best
}

// matchPath returns how many segments of the path match a literal segment of the template, or -1 if
// the path does not match the template.
func matchPath(template, path []string) int {
	if len(template) != len(path) || slices.Contains(path[1:], "") {
		return -1
	}
	literals := 0
	for i, segment := range template {
		switch {
		case segment == path[i]:
			literals++
		case !strings.HasPrefix(segment, "{"):
			return -1
		}
	}
	return literals
}
