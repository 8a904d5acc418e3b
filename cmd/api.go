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
	"foretell/internal/client"
)

type apiOptions struct {
	service serviceFlags
	output  output

	fields   []string
	typed    []string
	headers  []string
	input    string
	paginate bool
}

func newAPICmd(f *factory) *cobra.Command {
	opts := &apiOptions{service: serviceFlags{idle: true}}
	cmd := &cobra.Command{
		Use: "api METHOD PATH", Short: "Send a request of your own, signed in",
		Long: `Sends a request to the service and prints the body of its answer. docs/api.md
and /openapi.json of a service name the paths.

Fields are the query of a GET, HEAD or DELETE, and members of a JSON body
otherwise, or the query where --input gives the body. A name that ends in []
makes a list.`,
		Example: `  foretell api GET /api/v1/datasets --paginate --jq '.datasets[].datasetName'
  foretell api POST /api/v1/datasets -f datasetName=shop -F numberOfBuckets=32`,
		Args: positionalArgs("METHOD", "PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return opts.run(cmd.Context(), strings.ToUpper(args[0]), args[1])
		},
		ValidArgsFunction: completeAPI,
	}
	opts.service.bind(cmd, f)
	opts.output.host, opts.output.cmd = f, cmd
	flags := cmd.Flags()
	flags.StringArrayVarP(&opts.fields, "raw-field", "f", nil, "add a text `name=value`")
	flags.StringArrayVarP(&opts.typed, "field", "F", nil, "add a `name=value` that may be a number, true, false or null")
	flags.StringArrayVarP(&opts.headers, "header", "H", nil, "add a `name:value` to the header")
	flags.StringVar(&opts.input, "input", "", "`FILE` that is the body; - reads standard input")
	flags.BoolVar(&opts.paginate, "paginate", false, "fetch all pages of a list and print them as one, its items as a list")
	flags.BoolVar(&opts.output.json, "json", false, "tell errors as JSON, too; the answer is printed as it is")
	opts.output.bindFilter()
	setGroup(flags, groupOutput, "json", "jq", "template")
	return cmd
}

func (o *apiOptions) run(ctx context.Context, method, path string) error {
	raw, err := o.request(method, path)
	if err != nil {
		return err
	}
	if o.paginate && (method != http.MethodGet || raw.Open != nil) {
		return usageErrorf("--paginate has no effect on %s: only lists have pages", method)
	}
	session, err := o.service.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	if o.paginate {
		merged, err := allPages(ctx, session.Client, raw)
		if err != nil {
			return err
		}
		return o.output.printJSON(merged)
	}
	resp, err := sendRaw(ctx, session.Client, raw)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return o.print(resp)
}

// request makes the request of the flags.
func (o *apiOptions) request(method, path string) (client.RawRequest, error) {
	raw := client.RawRequest{Method: method, Path: path, Header: http.Header{}}
	for _, line := range o.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return raw, usageErrorf("--header %q: a name and a value, as in -H Accept:text/csv", line)
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

// setBody makes bytes the body of a request.
func setBody(raw *client.RawRequest, body []byte) {
	raw.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	raw.Size = int64(len(body))
	if raw.Header.Get("Content-Type") == "" {
		raw.Header.Set("Content-Type", "application/json")
	}
}

// open makes the file of --input the body. Standard input is read first: a
// request may have to be sent twice.
func (o *apiOptions) open(raw *client.RawRequest) error {
	if o.input == "-" {
		body, err := io.ReadAll(o.service.host.console.In)
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

// members gathers the fields: texts, and what --field gives as JSON.
func (o *apiOptions) members() (map[string]any, error) {
	members := map[string]any{}
	add := func(flag, field string, typed bool) error {
		name, text, ok := strings.Cut(field, "=")
		if !ok || name == "" {
			return usageErrorf("--%s %q: a name and a value, as in name=value", flag, field)
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

// typedValue reads a number, true, false or null; everything else is text.
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

// plainText is a typed value as a query has it.
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

// sendRaw sends a request of the user's own; what cannot be one is a wrong use.
func sendRaw(ctx context.Context, c *client.Client, raw client.RawRequest) (*http.Response, error) {
	resp, err := c.Do(ctx, raw)
	var (
		network *client.NetworkError
		problem *api.Problem
		known   *cliError
	)
	switch {
	case err == nil, ctx.Err() != nil, errors.As(err, &network), errors.As(err, &known):
		return resp, err
	case errors.As(err, &problem):
		return nil, explainNotFound(ctx, raw, problem)
	}
	return nil, usageErrorf("%w", err).withHint("see `foretell api --help`")
}

// explainNotFound explains a refusal of what was typed: elsewhere a path that is not
// there means that the address is not the service's, here that it is another's.
func explainNotFound(ctx context.Context, raw client.RawRequest, problem *api.Problem) error {
	exit, ok := map[api.Code]Exit{api.CodeNoRoute: ExitNotFound, api.CodeMethodNotAllowed: ExitUsage}[problem.Code]
	if !ok {
		return problem
	}
	e := asCLIError(ctx, problem)
	e.exit, e.fact = exit, raw.Method+" "+raw.Path+": "+e.fact
	return e.withHint("see what there is with `foretell api GET /openapi.json --jq '.paths | keys'`")
}

// print prints an answer: JSON in our form or through a filter, all else as it
// is.
func (o *apiOptions) print(resp *http.Response) error {
	console := o.service.host.console
	if !strings.Contains(resp.Header.Get("Content-Type"), "json") && !console.OutTerminal {
		if o.output.filter != nil {
			return usageErrorf("the answer is %s, which --jq and --template cannot read", resp.Header.Get("Content-Type"))
		}
		_, err := io.Copy(console.Out, resp.Body)
		return err
	}
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case json.Valid(body):
		return o.output.printJSON(json.RawMessage(body))
	case o.output.filter != nil:
		return usageErrorf("the answer is no JSON, which --jq and --template need")
	}
	return o.output.printText(string(body))
}

// allPages fetches a list page after page and joins what is a list in it.
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
			return nil, usageErrorf("%s: --paginate needs pages of JSON: %w", path, err)
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

// pagePath returns the path of the page that begins at offset. A limit that the path
// names stays.
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

// unpackLists returns a page with the list that the service sends as a text taken out
// of it.
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

// joinPages puts the lists of a page behind those before it; of all else the first
// page's counts.
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

// completeAPI offers shells the methods, then the paths of the operations.
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
