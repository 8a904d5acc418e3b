package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/app"
)

func newUsersCmd(h *host) *cobra.Command {
	cmd := &cobra.Command{
		Use: "users", Aliases: []string{"user"}, Short: "Manage the accounts of a service (needs its data folder)",
		Long: `Works on the data folder itself, also while a service runs on it.`,
	}
	cmd.AddCommand(newUsersAddCmd(h), newUsersListCmd(h), newUsersPasswdCmd(h), newUsersDisableCmd(h), newUsersDeleteCmd(h))
	return cmd
}

// registrar opens the data folder that holds the accounts.
type registrar struct {
	host *host
	cmd  *cobra.Command
}

func (r *registrar) bind(cmd *cobra.Command, h *host) {
	r.host, r.cmd = h, cmd
	cmd.Flags().String(keyDataDir, "", "`folder` of the service's data")
}

func (r *registrar) open(ctx context.Context) (*house, error) {
	s, err := r.host.settings(r.cmd.Flags())
	if err != nil {
		return nil, err
	}
	dir, err := r.host.dataDir(s)
	if err != nil {
		return nil, err
	}
	return openHouse(ctx, dir, r.host)
}

// account is what the commands of users print.
type account struct {
	Email     string `json:"email"`
	Disabled  bool   `json:"disabled"`
	CreatedOn string `json:"createdOn,omitempty"`
}

type usersPasswordOptions struct {
	registrar registrar
	output    output
	set       func(a *app.App, ctx context.Context, email, password string) error

	passwordStdin bool
}

func newUsersAddCmd(h *host) *cobra.Command {
	return newUsersPasswordCmd(h, "add EMAIL", "Make an account", (*app.App).AddUser)
}

func newUsersPasswdCmd(h *host) *cobra.Command {
	return newUsersPasswordCmd(h, "passwd EMAIL", "Give an account another password", (*app.App).SetPassword)
}

func newUsersPasswordCmd(h *host, use, short string, set func(*app.App, context.Context, string, string) error) *cobra.Command {
	opts := &usersPasswordOptions{set: set}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: takes("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.registrar.bind(cmd, h)
	opts.output.bindItem(cmd, h, prints[account]())
	cmd.Flags().BoolVar(&opts.passwordStdin, "password-stdin", false, "read the password from standard input")
	return cmd
}

func (o *usersPasswordOptions) run(ctx context.Context, email string) error {
	password, err := o.password(ctx)
	if err != nil {
		return err
	}
	house, err := o.registrar.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = house.close() }() // the account is written
	if err := o.set(house.app, ctx, email, password); err != nil {
		return err
	}
	return item(&o.output, account{Email: email}, "email")
}

func (o *usersPasswordOptions) password(ctx context.Context) (string, error) {
	console := o.registrar.host.console
	if o.passwordStdin {
		return readSecret(console.In)
	}
	if !console.CanAsk() {
		return "", usage("the password is needed, and there is nobody to ask").advise("pipe it into --password-stdin")
	}
	password, err := console.Password(ctx, "Password:")
	if err != nil {
		return "", err
	}
	again, err := console.Password(ctx, "The same again:")
	if err != nil {
		return "", err
	}
	if again != password {
		return "", usage("the two passwords differ").advise("type it again")
	}
	return password, nil
}

type usersListOptions struct {
	registrar registrar
	output    output
}

func newUsersListCmd(h *host) *cobra.Command {
	opts := &usersListOptions{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the accounts", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.registrar.bind(cmd, h)
	opts.output.bindList(cmd, h, prints[account]())
	opts.output.first = "`foretell users add EMAIL`"
	return cmd
}

func (o *usersListOptions) run(ctx context.Context) error {
	house, err := o.registrar.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = house.close() }() // nothing was written
	users, err := house.app.ListUsers(ctx)
	if err != nil {
		return err
	}
	accounts := make([]account, len(users))
	for i, u := range users {
		accounts[i] = account{Email: u.Email, Disabled: u.Disabled, CreatedOn: api.FormatTime(u.Created)}
	}
	return list(&o.output, accounts, "email", "disabled", "createdOn")
}

type usersHarmOptions struct {
	registrar registrar
	asker     asker
	output    output
	question  string
	do        func(a *app.App, ctx context.Context, email string) error
}

func newUsersDisableCmd(h *host) *cobra.Command {
	return newUsersHarmCmd(h, &usersHarmOptions{
		question: "Disable account %s? It is signed out, and its jobs stop until it is enabled again.", do: (*app.App).DisableUser,
	}, "disable EMAIL", "Keep an account from signing in")
}

func newUsersDeleteCmd(h *host) *cobra.Command {
	return newUsersHarmCmd(h, &usersHarmOptions{
		question: "Delete account %s with all its datasets, models and predictions?", do: (*app.App).DeleteUser,
	}, "delete EMAIL", "Delete an account and all that is its")
}

func newUsersHarmCmd(h *host, opts *usersHarmOptions, use, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: takes("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.registrar.bind(cmd, h)
	opts.asker.bind(cmd, h)
	opts.output.bindItem(cmd, h, prints[account]())
	return cmd
}

func (o *usersHarmOptions) run(ctx context.Context, email string) error {
	if err := o.asker.confirm(ctx, fmt.Sprintf(o.question, email)); err != nil {
		return err
	}
	house, err := o.registrar.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = house.close() }() // the account is written
	if err := o.do(house.app, ctx, email); err != nil {
		return err
	}
	return item(&o.output, account{Email: email}, "email")
}
