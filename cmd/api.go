package cmd

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/request"
	"foretell/internal/term"
)

type apiOptions struct {
	service connect.ServiceFlags
	output  cli.Output

	request  request.Options
	paginate bool
}

func newAPICmd(f *cli.Factory) *cobra.Command {
	opts := &apiOptions{service: connect.ServiceFlags{NoJobs: true}}
	cmd := &cobra.Command{
		Use: "api METHOD PATH", Short: "Send an authenticated API request",
		Long: `Sends a request to the service and prints the response body. The paths are in
docs/api.md and in /openapi.json of a service. The prefix /api/v1 can be omitted.

The fields of -f and -F become the query if the method is GET, HEAD or DELETE, or if
--input is set. Otherwise they become members of a JSON body. If the name of a field
ends in [], its values form a list.`,
		Example: `  foretell api GET /api/v1/datasets --paginate --jq '.datasets[].datasetName'
  foretell api GET /datasets --paginate
  foretell api POST /api/v1/datasets -f datasetName=shop -F numberOfBuckets=32`,
		Args: cli.PositionalArgs("METHOD", "PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return opts.run(cmd.Context(), strings.ToUpper(args[0]), args[1])
		},
		ValidArgsFunction: completeAPIArgs,
	}
	opts.service.Bind(cmd, f)
	opts.output.Factory, opts.output.Cmd = f, cmd
	opts.request.Stdin = func() io.Reader { return f.Console.In }
	flags := cmd.Flags()
	flags.StringArrayVarP(&opts.request.Strings, "raw-field", "f", nil, "add a string field `name=value`")
	flags.StringArrayVarP(&opts.request.Typed, "field", "F", nil, "add a typed field `name=value`: a number, true, false, null or a string")
	flags.StringArrayVarP(&opts.request.Headers, "header", "H", nil, "add a header `name:value`")
	flags.StringVar(&opts.request.Input, "input", "", "`FILE` to send as the body, or - for standard input")
	flags.BoolVar(&opts.paginate, "paginate", false, "fetch all pages of a list and print them as one document")
	flags.BoolVar(&opts.output.JSON, "json", false, "print one JSON document, even for errors")
	opts.output.BindFilter()
	cli.SetFlagGroup(flags, cli.GroupOutput, "json", "jq", "template")
	return cmd
}

func (o *apiOptions) run(ctx context.Context, method, path string) error {
	raw, err := term.Interruptible(ctx, func() (client.RawRequest, error) { return o.request.Build(method, path) }) // --input may be a pipe
	if err != nil {
		return err
	}
	if o.paginate && (method != http.MethodGet || raw.Open != nil) {
		return exit.Usagef("--paginate has no effect on %s, because only lists have pages", method)
	}
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	if o.paginate {
		merged, err := request.AllPages(ctx, session.Client, raw)
		if err != nil {
			return err
		}
		return o.output.PrintJSON(merged)
	}
	resp, err := request.Send(ctx, session.Client, raw)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := request.CheckNotDashboardPage(raw.Path, resp); err != nil {
		return err
	}
	return o.print(resp)
}

// unfilteredHint is the hint if --jq or --template is set, but the response is not JSON.
const unfilteredHint = "omit --jq and --template to print the response as it is"

// print prints the response. It indents or filters JSON, and prints anything else
// unchanged.
func (o *apiOptions) print(resp *http.Response) error {
	console := o.service.Factory.Console
	if !strings.Contains(resp.Header.Get("Content-Type"), "json") && !console.OutTerminal {
		if o.output.Filter != nil {
			return exit.Usagef("the response is %s, but --jq and --template require JSON", resp.Header.Get("Content-Type")).WithHint(unfilteredHint)
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
		return exit.Usagef("the response is not JSON, which --jq and --template require").WithHint(unfilteredHint)
	}
	return o.output.PrintText(string(body))
}

// completeAPIArgs completes a method, and then the path of an operation.
func completeAPIArgs(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
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
