// Package request builds and sends the HTTP requests of the api command. A request is built from a
// method, a path, headers, and fields or a file.
package request

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/exit"
)

// Options describe a request, except its method and path.
type Options struct {
	// Strings and Typed are fields as NAME=VALUE. A typed value is a number, true, false,
	// null or a string. The values of a name that ends in [] form a list.
	Strings, Typed []string
	// Headers are headers as NAME:VALUE.
	Headers []string
	// Input is the path of the file to send as the body. "-" is standard input, and "" sends
	// no file.
	Input string
	// Stdin returns the standard input.
	Stdin func() io.Reader
}

// Build returns the request. If the method is GET, HEAD or DELETE, or if Input is set, the
// fields become the query. Otherwise they become the members of a JSON body. Invalid options
// are usage errors.
func (o *Options) Build(method, path string) (client.RawRequest, error) {
	path = withPrefix(path)
	raw := client.RawRequest{Method: method, Path: path, Header: http.Header{}}
	for _, line := range o.Headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return raw, exit.Usagef("invalid --header %q: must be NAME:VALUE, such as Accept:text/csv", line)
		}
		raw.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	members, err := o.parseFields()
	if err != nil {
		return raw, err
	}
	if o.Input != "" {
		if err := o.setBodyFromInput(&raw); err != nil {
			return raw, err
		}
	}
	if len(members) == 0 {
		return raw, nil
	}
	if raw.Open != nil || slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodDelete}, method) {
		raw.Path = addQuery(path, members)
		return raw, nil
	}
	body, err := json.Marshal(members)
	if err != nil {
		return raw, err
	}
	setBody(&raw, body)
	return raw, nil
}

// setBody sets the body of a request. If the request has no Content-Type, it is set to JSON.
func setBody(raw *client.RawRequest, body []byte) {
	raw.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	raw.Size = int64(len(body))
	if raw.Header.Get("Content-Type") == "" {
		raw.Header.Set("Content-Type", "application/json")
	}
}

// setBodyFromInput sets the body to the contents of the file Input. Standard input is read
// into memory, because a request may be sent twice.
func (o *Options) setBodyFromInput(raw *client.RawRequest) error {
	if o.Input == "-" {
		body, err := io.ReadAll(o.Stdin())
		if err != nil {
			return err
		}
		setBody(raw, body)
		return nil
	}
	info, err := os.Stat(o.Input)
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		return exit.Usagef("--input \"%s\" is a folder, not a file", o.Input).WithHint("name a file, or - for standard input")
	case !info.Mode().IsRegular(): // a pipe, which can be read only once
		body, err := os.ReadFile(o.Input)
		if err != nil {
			return err
		}
		setBody(raw, body)
		return nil
	}
	setBody(raw, nil)
	raw.Open = func() (io.ReadCloser, error) { return os.Open(o.Input) }
	raw.Size = info.Size()
	return nil
}

// Send sends a request. An invalid request is a usage error. The caller must close the body
// of the response.
func Send(ctx context.Context, c *client.Client, raw client.RawRequest) (*http.Response, error) {
	resp, err := c.DoRaw(ctx, raw)
	var (
		network *client.NetworkError
		problem *api.Problem
		known   *exit.Error
	)
	switch {
	case err == nil, ctx.Err() != nil, errors.As(err, &network), errors.As(err, &known):
		return resp, err
	case errors.As(err, &problem):
		return nil, addProblemHint(ctx, raw, problem)
	}
	return nil, exit.Usagef("%w", err).WithHint("see `foretell api --help`")
}

// addProblemHint adds a hint to two kinds of problems. The first are an unknown path and a method
// that the path does not allow, because the user has typed them. The second are a missing parameter
// offset or limit, and one that the operation does not have. It returns any other problem
// unchanged.
func addProblemHint(ctx context.Context, raw client.RawRequest, problem *api.Problem) error {
	if slices.ContainsFunc(problem.Errors, isMissingPageParameter) {
		return exit.FromError(ctx, problem).WithHint("fetch the whole list with --paginate, or one page with -F offset=0 -F limit=50")
	}
	if slices.ContainsFunc(problem.Errors, isUnknownPageParameter) {
		return exit.FromError(ctx, problem).WithHint("only lists have pages: omit --paginate, and the fields offset and limit")
	}
	status, ok := map[api.Code]exit.Status{api.CodeNoRoute: exit.NotFound, api.CodeMethodNotAllowed: exit.Usage}[problem.Code]
	if !ok {
		return problem
	}
	e := exit.FromError(ctx, problem)
	e.Status, e.Fact = status, raw.Method+" "+raw.Path+": "+e.Fact
	return e.WithHint("list the paths with `foretell api GET /openapi.json --jq '.paths | keys'`")
}

// isMissingPageParameter reports whether an error says that the parameter offset or limit of a list is
// missing.
func isMissingPageParameter(e api.FieldError) bool {
	return (e.Field == "offset" || e.Field == "limit") && e.Message == "is required"
}

// isUnknownPageParameter reports whether an error says that the operation has no parameter offset or
// limit, because it is no list.
func isUnknownPageParameter(e api.FieldError) bool {
	return (e.Field == "offset" || e.Field == "limit") && strings.HasPrefix(e.Message, "is not a parameter")
}
