package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
)

type apiOptions struct {
	service connect.ServiceFlags
	output  cli.Output

	fields   []string
	typed    []string
	headers  []string
	input    string
	paginate bool
}

func newAPICmd(f *cli.Factory) *cobra.Command {
	opts := &apiOptions{service: connect.ServiceFlags{Idle: true}}
	cmd := &cobra.Command{
		Use: "api METHOD PATH", Short: "Send an authenticated API request",
		Long: `Sends a request to the service and prints the response body. The paths are in
docs/api.md and in /openapi.json of a service.

Fields become the query of a GET, HEAD or DELETE, and members of a JSON body
otherwise. With --input they become the query. A name that ends in [] makes a list.`,
		Example: `  foretell api GET /api/v1/datasets --paginate --jq '.datasets[].datasetName'
  foretell api POST /api/v1/datasets -f datasetName=shop -F numberOfBuckets=32`,
		Args: cli.PositionalArgs("METHOD", "PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return opts.run(cmd.Context(), strings.ToUpper(args[0]), args[1])
		},
		ValidArgsFunction: completeAPI,
	}
	opts.service.Bind(cmd, f)
	opts.output.Host, opts.output.Cmd = f, cmd
	flags := cmd.Flags()
	flags.StringArrayVarP(&opts.fields, "raw-field", "f", nil, "add a string field `name=value`")
	flags.StringArrayVarP(&opts.typed, "field", "F", nil, "add a typed field `name=value`: a number, true, false, null or a string")
	flags.StringArrayVarP(&opts.headers, "header", "H", nil, "add a header `name:value`")
	flags.StringVar(&opts.input, "input", "", "`FILE` to send as the body; - reads standard input")
	flags.BoolVar(&opts.paginate, "paginate", false, "fetch all pages of a list and print them as one document")
	flags.BoolVar(&opts.output.JSON, "json", false, "print one JSON document, also for errors")
	opts.output.BindFilter()
	cli.SetGroup(flags, cli.GroupOutput, "json", "jq", "template")
	return cmd
}

func (o *apiOptions) run(ctx context.Context, method, path string) error {
	raw, err := o.request(method, path)
	if err != nil {
		return err
	}
	if o.paginate && (method != http.MethodGet || raw.Open != nil) {
		return exit.Usagef("--paginate has no effect on %s: only lists have pages", method)
	}
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	if o.paginate {
		merged, err := allPages(ctx, session.Client, raw)
		if err != nil {
			return err
		}
		return o.output.PrintJSON(merged)
	}
	resp, err := sendRaw(ctx, session.Client, raw)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return o.print(resp)
}

// request builds the request from the flags.
func (o *apiOptions) request(method, path string) (client.RawRequest, error) {
	raw := client.RawRequest{Method: method, Path: path, Header: http.Header{}}
	for _, line := range o.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return raw, exit.Usagef("invalid --header %q: want NAME:VALUE, such as Accept:text/csv", line)
		}
		raw.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	members, err := o.members()
	if err != nil {
		return raw, err
	}
	if o.input != "" {
		if err := o.open(&raw); err != nil {
			return raw, err
		}
	}
	if len(members) == 0 {
		return raw, nil
	}
	if raw.Open != nil || slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodDelete}, method) {
		raw.Path = withQuery(path, members)
		return raw, nil
	}
	body, err := json.Marshal(members)
	if err != nil {
		return raw, err
	}
	setBody(&raw, body)
	return raw, nil
}

// setBody sets the body of a request, as JSON unless a type is set.
func setBody(raw *client.RawRequest, body []byte) {
	raw.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	raw.Size = int64(len(body))
	if raw.Header.Get("Content-Type") == "" {
		raw.Header.Set("Content-Type", "application/json")
	}
}

// open sets the file of --input as the body. Standard input is read into memory, because
// a request may have to be sent twice.
func (o *apiOptions) open(raw *client.RawRequest) error {
	if o.input == "-" {
		body, err := io.ReadAll(o.service.Host.Console.In)
		if err != nil {
			return err
		}
		setBody(raw, body)
		return nil
	}
	info, err := os.Stat(o.input)
	if err != nil {
		return err
	}
	setBody(raw, nil)
	raw.Open = func() (io.ReadCloser, error) { return os.Open(o.input) }
	raw.Size = info.Size()
	return nil
}

// members returns the fields by name: strings, and JSON values for --field.
func (o *apiOptions) members() (map[string]any, error) {
	members := map[string]any{}
	add := func(flag, field string, typed bool) error {
		name, text, ok := strings.Cut(field, "=")
		if !ok || name == "" {
			return exit.Usagef("invalid --%s %q: want NAME=VALUE", flag, field)
		}
		var value any = text
		if typed {
			value = typedValue(text)
		}
		if list, ok := strings.CutSuffix(name, "[]"); ok {
			items, _ := members[list].([]any)
			members[list] = append(items, value)
			return nil
		}
		members[name] = value
		return nil
	}
	for _, field := range o.fields {
		if err := add("raw-field", field, false); err != nil {
			return nil, err
		}
	}
	for _, field := range o.typed {
		if err := add("field", field, true); err != nil {
			return nil, err
		}
	}
	return members, nil
}

// typedValue parses a number, true, false or null; anything else stays text.
func typedValue(text string) any {
	var value any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil || dec.More() {
		return text
	}
	switch value.(type) {
	case nil, bool, json.Number:
		return value
	}
	return text
}

// withQuery adds fields to the query of a path.
func withQuery(path string, members map[string]any) string {
	query := url.Values{}
	for name, value := range members {
		items, isList := value.([]any)
		if !isList {
			items = []any{value}
		}
		for _, item := range items {
			query.Add(name, plainText(item))
		}
	}
	if strings.Contains(path, "?") {
		return path + "&" + query.Encode()
	}
	return path + "?" + query.Encode()
}

// plainText formats a typed value for a query.
func plainText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	b, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(b)
}

// sendRaw sends a request of the user's own; an invalid request is a usage error.
func sendRaw(ctx context.Context, c *client.Client, raw client.RawRequest) (*http.Response, error) {
	resp, err := c.Do(ctx, raw)
	var (
		network *client.NetworkError
		problem *api.Problem
		known   *exit.Error
	)
	switch {
	case err == nil, ctx.Err() != nil, errors.As(err, &network), errors.As(err, &known):
		return resp, err
	case errors.As(err, &problem):
		return nil, explainNotFound(ctx, raw, problem)
	}
	return nil, exit.Usagef("%w", err).WithHint("see `foretell api --help`")
}

// explainNotFound explains an unknown path or method. In other commands it means that the
// address is not a service's; here the user typed the path.
func explainNotFound(ctx context.Context, raw client.RawRequest, problem *api.Problem) error {
	status, ok := map[api.Code]exit.Status{api.CodeNoRoute: exit.NotFound, api.CodeMethodNotAllowed: exit.Usage}[problem.Code]
	if !ok {
		return problem
	}
	e := exit.From(ctx, problem)
	e.Status, e.Fact = status, raw.Method+" "+raw.Path+": "+e.Fact
	return e.WithHint("list the paths with `foretell api GET /openapi.json --jq '.paths | keys'`")
}

// print prints the response: JSON indented or filtered, anything else unchanged.
func (o *apiOptions) print(resp *http.Response) error {
	console := o.service.Host.Console
	if !strings.Contains(resp.Header.Get("Content-Type"), "json") && !console.OutTerminal {
		if o.output.Filter != nil {
			return exit.Usagef("the response is %s: --jq and --template need JSON", resp.Header.Get("Content-Type"))
		}
		_, err := io.Copy(console.Out, resp.Body)
		return err
	}
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case json.Valid(body):
		return o.output.PrintJSON(json.RawMessage(body))
	case o.output.Filter != nil:
		return exit.Usagef("the response is not JSON: --jq and --template need JSON")
	}
	return o.output.PrintText(string(body))
}

// allPages fetches all pages of a list and joins their lists.
func allPages(ctx context.Context, c *client.Client, raw client.RawRequest) (any, error) {
	var all any
	path := raw.Path
	for offset := int64(0); ; {
		raw.Path = pagePath(path, offset)
		resp, err := sendRaw(ctx, c, raw)
		if err != nil {
			return nil, err
		}
		var page any
		dec := json.NewDecoder(resp.Body)
		dec.UseNumber()
		err = errors.Join(dec.Decode(&page), resp.Body.Close())
		if err != nil {
			return nil, exit.Usagef("%s: --paginate needs JSON pages: %w", path, err)
		}
		all = joinPages(all, unpackLists(page))
		members, _ := page.(map[string]any)
		next, _ := members["nextOffset"].(json.Number)
		at, err := next.Int64()
		if err != nil || at <= offset {
			if object, ok := all.(map[string]any); ok {
				delete(object, "nextOffset")
			}
			return all, nil
		}
		offset = at
	}
}

// pagePath returns the path of the page that starts at offset. A limit in the path is
// kept.
func pagePath(path string, offset int64) string {
	base, text, _ := strings.Cut(path, "?")
	query, err := url.ParseQuery(text)
	if err != nil {
		return path
	}
	query.Set("offset", plainText(offset))
	if !query.Has("limit") {
		query.Set("limit", plainText(api.MaxPageLimit))
	}
	return base + "?" + query.Encode()
}

// unpackLists decodes the lists that the service sends as JSON text.
func unpackLists(page any) any {
	members, _ := page.(map[string]any)
	for name, value := range members {
		text, _ := value.(string)
		var list []any
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if strings.HasPrefix(text, "[") && dec.Decode(&list) == nil {
			members[name] = list
		}
	}
	return page
}

// joinPages appends the lists of page to those of all; other values are those of the
// first page.
func joinPages(all, page any) any {
	switch more := page.(type) {
	case []any:
		before, _ := all.([]any)
		return append(before, more...)
	case map[string]any:
		object, ok := all.(map[string]any)
		if !ok {
			return page
		}
		for name, value := range more {
			object[name] = joinPages(object[name], value)
		}
		return object
	}
	if all != nil {
		return all
	}
	return page
}

// completeAPI completes the methods, then the paths of the operations.
func completeAPI(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var found []string
	for _, op := range api.Operations() {
		switch {
		case len(args) == 0 && !slices.Contains(found, op.Method):
			found = append(found, op.Method)
		case len(args) == 1 && op.Method == strings.ToUpper(args[0]):
			found = append(found, cobra.CompletionWithDesc(op.Path, op.Summary))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
