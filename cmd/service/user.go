package service

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/exit"
)

// NewUsersCmd returns the command `users` with its subcommands.
func NewUsersCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "users", Aliases: []string{"user"}, Short: "Manage the accounts of a service (needs its data folder)",
		Long: `These commands work on the data folder itself, even while a service is using it. The
audit log records every change, see ` + "`foretell users audit`" + `. Over the network,
administrators use ` + "`foretell api`" + ` and the operations under /api/v1/admin instead.`,
	}
	cmd.AddCommand(newUsersAddCmd(f), newUsersListCmd(f), newUsersPasswdCmd(f), newUsersResetCmd(f), newUsersRoleCmd(f), newUsersQuotaCmd(f),
		newUsersDisableCmd(f), newUsersEnableCmd(f), newUsersDeleteCmd(f),
		newUsersRequestsCmd(f), newUsersApproveCmd(f), newUsersRefuseCmd(f), newUsersAuditCmd(f))
	return cmd
}

// dataDirFlag adds flags to a command that select a service by its data folder, its database and
// its storage. openService opens this service.
type dataDirFlag struct {
	factory *cli.Factory
	cmd     *cobra.Command
}

func (r *dataDirFlag) bind(cmd *cobra.Command, f *cli.Factory) {
	r.factory, r.cmd = f, cmd
	bindServiceLocation(cmd)
}

// openService opens the service that the flags select. It returns an error if the database does not
// exist, or if the schema of the database is of an earlier version.
func (r *dataDirFlag) openService(ctx context.Context) (*connect.LocalService, error) {
	return connect.OpenSelected(ctx, r.factory, r.cmd, false)
}

// noteLocation prints where the listed accounts are stored. If the configured server uses other
// data, noteLocation adds that these are not the accounts of the server.
func (r *dataDirFlag) noteLocation(ctx context.Context, o *cli.Output, service *connect.LocalService) error {
	text := "the accounts are those of " + service.Location
	if s, err := config.Load(r.factory.Env, r.cmd.Flags()); err == nil && s.GetString(config.KeyServer) != "" {
		server := s.GetString(config.KeyServer)
		urls, err := service.App.ServiceURLs(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(urls, func(known string) bool { return isSameService(known, server) }) {
			text += ", not those of the server " + server
		}
	}
	o.Note("%s", text)
	return nil
}

// isSameService reports whether two URLs belong to the same service. All addresses of the loopback
// interface and the name localhost are equal.
func isSameService(a, b string) bool {
	return normalizeServiceURL(a) == normalizeServiceURL(b)
}

// normalizeServiceURL returns a URL in a form that is the same for all URLs of one service, such as
// https://localhost:443 for HTTPS://127.0.0.1/. It ignores the difference between upper and lower
// case in the scheme and in the host, but not in the path.
func normalizeServiceURL(text string) string {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil {
		return text
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	host := strings.ToLower(u.Hostname())
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		host = "localhost"
	}
	return u.Scheme + "://" + net.JoinHostPort(host, port) + u.Path
}

// withAccount opens the service and calls fn with the account that has the given email.
func (r *dataDirFlag) withAccount(ctx context.Context, email string, fn func(a *app.App, found *api.Account) error) error {
	service, err := r.openService(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: the account is stored
	found, err := service.App.FindAccount(ctx, email)
	if err != nil {
		return err
	}
	return fn(service.App, found)
}

// userAccount is the output of the users commands.
type userAccount struct {
	Email        string `json:"email"`
	State        string `json:"state,omitempty"`
	Role         string `json:"role,omitempty"`
	Name         string `json:"name,omitempty"`
	Organisation string `json:"organisation,omitempty"`
	Disabled     bool   `json:"disabled"`
	SecondFactor bool   `json:"secondFactor"`
	CreatedOn    string `json:"createdOn,omitempty"`
}

func toUserAccount(a *api.Account) userAccount {
	return userAccount{
		Email: a.Email, State: a.State, Role: a.Role, Name: a.Name, Organisation: a.Organisation,
		Disabled: a.State == api.AccountDisabled, SecondFactor: a.SecondFactor, CreatedOn: a.CreatedOn,
	}
}

type usersListOptions struct {
	dataDir dataDirFlag
	output  cli.Output
}

func newUsersListCmd(f *cli.Factory) *cobra.Command {
	opts := &usersListOptions{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the accounts", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.dataDir.bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[userAccount]())
	opts.output.Untrusted = true
	opts.output.EmptyHint = "`foretell users add EMAIL`"
	return cmd
}

func (o *usersListOptions) run(ctx context.Context) error {
	service, err := o.dataDir.openService(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: nothing was written
	found, err := connect.Collect(client.AllPages(func(page api.PageInput) ([]api.Account, api.Page, error) {
		out, err := service.App.ListAccounts(ctx, &api.ListAccountsInput{PageInput: page})
		if err != nil {
			return nil, api.Page{}, err
		}
		return out.Accounts, out.Page, nil
	}, func(a api.Account) string { return a.AccountKey }))
	if err != nil {
		return err
	}
	if err := o.dataDir.noteLocation(ctx, &o.output, service); err != nil {
		return err
	}
	accounts := make([]userAccount, len(found))
	for i := range found {
		accounts[i] = toUserAccount(&found[i])
	}
	sort.Slice(accounts, func(i, j int) bool { return accounts[i].Email < accounts[j].Email })
	return cli.PrintList(&o.output, accounts, "email", "state", "role", "createdOn")
}

// usersChangeOptions are the options of a command that changes an account.
type usersChangeOptions struct {
	dataDir dataDirFlag
	output  cli.Output
	confirm cli.ConfirmFlag

	question string // confirmation prompt; "" if the command does not ask
	shown    string // the property to print besides the email
	change   func(a *app.App, ctx context.Context, in *api.AccountInput) (*api.Account, error)
}

func newUsersDisableCmd(f *cli.Factory) *cobra.Command {
	return newUserChangeCmd(f, &usersChangeOptions{
		question: "Disable account %s? All its sessions end, and its jobs pause until the account is enabled again.", shown: "state", change: (*app.App).DisableAccount,
	}, "disable EMAIL", "Disable an account")
}

func newUsersEnableCmd(f *cli.Factory) *cobra.Command {
	return newUserChangeCmd(f, &usersChangeOptions{shown: "state", change: (*app.App).EnableAccount}, "enable EMAIL", "Enable a disabled account, with the password that it had")
}

func newUsersDeleteCmd(f *cli.Factory) *cobra.Command {
	return newUserChangeCmd(f, &usersChangeOptions{
		question: "Delete account %s with all its datasets, models and predictions?",
		change: func(a *app.App, ctx context.Context, in *api.AccountInput) (*api.Account, error) {
			_, err := a.DeleteAccount(ctx, in)
			return nil, err
		},
	}, "delete EMAIL", "Delete an account and all its data")
}

func newUserChangeCmd(f *cli.Factory, opts *usersChangeOptions, use, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cli.PositionalArgs("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.dataDir.bind(cmd, f)
	if opts.question != "" {
		opts.confirm.Bind(cmd, f)
	} else {
		cli.BindNeedlessYes(cmd)
	}
	opts.output.BindItem(cmd, f, cli.ResultType[userAccount]())
	return cmd
}

func (o *usersChangeOptions) run(ctx context.Context, email string) error {
	if o.question != "" {
		if err := o.confirm.Ask(ctx, fmt.Sprintf(o.question, email)); err != nil {
			return err
		}
	}
	return o.dataDir.withAccount(ctx, email, func(a *app.App, found *api.Account) error {
		changed, err := o.change(a, ctx, &api.AccountInput{AccountKey: found.AccountKey})
		if err != nil {
			return err
		}
		if changed == nil { // the account is deleted
			return cli.PrintItem(&o.output, userAccount{Email: found.Email}, "email")
		}
		return cli.PrintItem(&o.output, toUserAccount(changed), "email", o.shown)
	})
}

func newUsersRoleCmd(f *cli.Factory) *cobra.Command {
	role := ""
	opts := &usersChangeOptions{shown: "role"}
	opts.change = func(a *app.App, ctx context.Context, in *api.AccountInput) (*api.Account, error) {
		return a.SetRole(ctx, &api.SetRoleInput{AccountInput: *in, Body: api.NewRole{Role: role}})
	}
	cmd := newUserChangeCmd(f, opts, "role EMAIL ROLE", "Make an account an administrator, or a user again")
	cmd.Long = "Sets the role of an account. ROLE is administrator (or admin) or user."
	cmd.Args = cli.PositionalArgs("EMAIL", "ROLE")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if role = args[1]; role == "admin" { // admin is accepted, because `users add` has a flag --admin
			role = api.RoleAdministrator
		}
		if role != api.RoleUser && role != api.RoleAdministrator {
			return exit.Usagef("invalid role %q: must be %s or %s", role, api.RoleUser, api.RoleAdministrator)
		}
		return opts.run(cmd.Context(), args[0])
	}
	return cmd
}
