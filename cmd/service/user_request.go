package service

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
)

type usersRequestsOptions struct {
	dataDir dataDirFlag
	output  cli.Output

	state string
}

func newUsersRequestsCmd(f *cli.Factory) *cobra.Command {
	opts := &usersRequestsOptions{}
	cmd := &cobra.Command{
		Use: "requests", Short: "List the requests for an account", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.dataDir.bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[api.AccessRequest]())
	opts.output.Untrusted = true
	states := []string{api.RequestPending, api.RequestApproved, api.RequestRefused}
	cmd.Flags().StringVar(&opts.state, "state", "", "list only requests in this `state`: "+strings.Join(states, ", "))
	cli.SetFlagCompletions(cmd, "state", states...)
	opts.output.EmptyHint = "people send requests with the form at /request-access of the service"
	return cmd
}

func (o *usersRequestsOptions) run(ctx context.Context) error {
	if !slices.Contains([]string{"", api.RequestPending, api.RequestApproved, api.RequestRefused}, o.state) {
		return exit.Usagef("invalid --state %q: must be PENDING, APPROVED or REFUSED", o.state)
	}
	service, err := o.dataDir.openService(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: nothing was written
	o.output.Filtered = o.state != ""
	requests, err := listAccessRequests(ctx, service.App, o.state)
	if err != nil {
		return err
	}
	return cli.PrintList(&o.output, requests, "requestKey", "email", "name", "organisation", "status", "reason", "createdOn")
}

// listAccessRequests returns the requests for accounts with the given status, or all requests if
// status is "".
func listAccessRequests(ctx context.Context, a *app.App, status string) ([]api.AccessRequest, error) {
	return connect.Collect(client.AllPages(func(page api.PageInput) ([]api.AccessRequest, api.Page, error) {
		out, err := a.ListAccessRequests(ctx, &api.ListAccessRequestsInput{PageInput: page, Status: status})
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.AccessRequests, out.Page, nil
	}, func(r api.AccessRequest) string { return r.RequestKey }))
}

type usersDecideOptions struct {
	dataDir dataDirFlag
	output  cli.Output

	decide func(ctx context.Context, a *app.App, in *api.AccessRequestInput) error
}

func newUsersApproveCmd(f *cli.Factory) *cobra.Command {
	opts := &usersDecideOptions{}
	opts.decide = func(ctx context.Context, a *app.App, in *api.AccessRequestInput) error {
		invited, err := a.ApproveAccessRequest(ctx, in)
		if err != nil {
			return err
		}
		return printInvitation(&opts.output, invited)
	}
	cmd := newUsersDecideCmd(f, opts, "approve REQUEST", "Approve a request for an account")
	cmd.Long = `Creates the account that a person has requested. REQUEST is the email address or
the key of the request. The owner of the account sets the password with a one-time link.
If the service does not email the link, the command prints it.`
	opts.output.BindItem(cmd, f, cli.ResultType[invitation]())
	return cmd
}

func newUsersRefuseCmd(f *cli.Factory) *cobra.Command {
	opts := &usersDecideOptions{}
	opts.decide = func(ctx context.Context, a *app.App, in *api.AccessRequestInput) error {
		refused, err := a.RefuseAccessRequest(ctx, in)
		if err != nil {
			return err
		}
		return cli.PrintItem(&opts.output, *refused, "requestKey", "email", "status")
	}
	cmd := newUsersDecideCmd(f, opts, "refuse REQUEST", "Refuse a request for an account")
	cmd.Long = `REQUEST is the email address or the key of the request. The person is not notified.`
	opts.output.BindItem(cmd, f, cli.ResultType[api.AccessRequest]())
	return cmd
}

func newUsersDecideCmd(f *cli.Factory, opts *usersDecideOptions, use, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cli.PositionalArgs("REQUEST"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.dataDir.bind(cmd, f)
	cli.BindNeedlessYes(cmd)
	return cmd
}

func (o *usersDecideOptions) run(ctx context.Context, name string) error {
	service, err := o.dataDir.openService(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: the decision is stored
	key := strings.ToLower(name)
	if strings.Contains(name, "@") {
		pending, err := listAccessRequests(ctx, service.App, api.RequestPending)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(pending, func(r api.AccessRequest) bool { return r.Email == strings.ToLower(name) })
		if i < 0 {
			return exit.Errorf(exit.NotFound, "no PENDING request from %s", name).WithHint("list the requests with `foretell users requests`")
		}
		key = pending[i].RequestKey
	}
	return o.decide(ctx, service.App, &api.AccessRequestInput{RequestKey: key})
}
