package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/credential"
	"foretell/internal/exit"
)

func newUsersCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "users", Aliases: []string{"user"}, Short: "Manage the accounts of a service (needs its data folder)",
		Long: `Works on the data folder itself, even while a service is using it.`,
	}
	cmd.AddCommand(newUsersAddCmd(f), newUsersListCmd(f), newUsersPasswdCmd(f), newUsersDisableCmd(f), newUsersDeleteCmd(f))
	return cmd
}

// dataDirFlag selects the data folder with the accounts.
type dataDirFlag struct {
	factory *cli.Factory
	cmd     *cobra.Command
}

func (r *dataDirFlag) bind(cmd *cobra.Command, f *cli.Factory) {
	r.factory, r.cmd = f, cmd
	cmd.Flags().String(config.KeyDataDir, "", "`folder` of the service's data")
}

func (r *dataDirFlag) open(ctx context.Context) (*connect.LocalService, error) {
	s, err := config.Load(r.factory.Env, r.cmd.Flags())
	if err != nil {
		return nil, err
	}
	dir, err := config.DataDir(r.factory.Env, s)
	if err != nil {
		return nil, err
	}
	return connect.OpenLocal(ctx, dir, r.factory)
}

// account is the output of the users commands.
type account struct {
	Email     string `json:"email"`
	Disabled  bool   `json:"disabled"`
	CreatedOn string `json:"createdOn,omitempty"`
}

type usersPasswordOptions struct {
	dataDir dataDirFlag
	output  cli.Output
	set     func(a *app.App, ctx context.Context, email, password string) error

	passwordStdin bool
}

func newUsersAddCmd(f *cli.Factory) *cobra.Command {
	return newUsersPasswordCmd(f, "add EMAIL", "Create an account", (*app.App).AddUser)
}

func newUsersPasswdCmd(f *cli.Factory) *cobra.Command {
	return newUsersPasswordCmd(f, "passwd EMAIL", "Change the password of an account", (*app.App).SetPassword)
}

func newUsersPasswordCmd(f *cli.Factory, use, short string, set func(*app.App, context.Context, string, string) error) *cobra.Command {
	opts := &usersPasswordOptions{set: set}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cli.PositionalArgs("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.dataDir.bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[account]())
	cmd.Flags().BoolVar(&opts.passwordStdin, "password-stdin", false, "read the password from standard input")
	return cmd
}

func (o *usersPasswordOptions) run(ctx context.Context, email string) error {
	password, err := o.password(ctx)
	if err != nil {
		return err
	}
	service, err := o.dataDir.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // the account is written
	if err := o.set(service.App, ctx, email, password); err != nil {
		return err
	}
	return cli.PrintItem(&o.output, account{Email: email}, "email")
}

func (o *usersPasswordOptions) password(ctx context.Context) (string, error) {
	console := o.dataDir.factory.Console
	if o.passwordStdin {
		return credential.ReadSecret(console.In)
	}
	if !console.CanPrompt() {
		return "", exit.Usagef("the password is required, and prompting is disabled").WithHint("pipe it into --password-stdin")
	}
	password, err := console.Password(ctx, "Password:")
	if err != nil {
		return "", err
	}
	again, err := console.Password(ctx, "Repeat the password:")
	if err != nil {
		return "", err
	}
	if again != password {
		return "", exit.Usagef("the passwords do not match").WithHint("try again")
	}
	return password, nil
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
	opts.output.BindList(cmd, f, cli.ResultType[account]())
	opts.output.EmptyHint = "`foretell users add EMAIL`"
	return cmd
}

func (o *usersListOptions) run(ctx context.Context) error {
	service, err := o.dataDir.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // nothing was written
	users, err := service.App.ListUsers(ctx)
	if err != nil {
		return err
	}
	accounts := make([]account, len(users))
	for i, u := range users {
		accounts[i] = account{Email: u.Email, Disabled: u.Disabled, CreatedOn: api.FormatTime(u.Created)}
	}
	return cli.PrintList(&o.output, accounts, "email", "disabled", "createdOn")
}

type usersDestructiveOptions struct {
	dataDir  dataDirFlag
	confirm  cli.ConfirmFlag
	output   cli.Output
	question string
	action   func(a *app.App, ctx context.Context, email string) error
}

func newUsersDisableCmd(f *cli.Factory) *cobra.Command {
	return newUsersDestructiveCmd(f, &usersDestructiveOptions{
		question: "Disable account %s? It is signed out, and its jobs stop until it is enabled again.", action: (*app.App).DisableUser,
	}, "disable EMAIL", "Disable an account")
}

func newUsersDeleteCmd(f *cli.Factory) *cobra.Command {
	return newUsersDestructiveCmd(f, &usersDestructiveOptions{
		question: "Delete account %s with all its datasets, models and predictions?", action: (*app.App).DeleteUser,
	}, "delete EMAIL", "Delete an account and all its data")
}

func newUsersDestructiveCmd(f *cli.Factory, opts *usersDestructiveOptions, use, short string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cli.PositionalArgs("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.dataDir.bind(cmd, f)
	opts.confirm.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[account]())
	return cmd
}

func (o *usersDestructiveOptions) run(ctx context.Context, email string) error {
	if err := o.confirm.Ask(ctx, fmt.Sprintf(o.question, email)); err != nil {
		return err
	}
	service, err := o.dataDir.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // the account is written
	if err := o.action(service.App, ctx, email); err != nil {
		return err
	}
	return cli.PrintItem(&o.output, account{Email: email}, "email")
}
