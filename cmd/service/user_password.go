package service

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/credential"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// invitation is the output of the commands that create a one-time link.
type invitation struct {
	Email     string `json:"email"`
	Link      string `json:"link,omitempty"`
	ExpiresOn string `json:"expiresOn,omitempty"`
}

// printInvitation prints the email of an account and its one-time link. If the service sends the link
// by email, printInvitation prints no link.
func printInvitation(o *cli.Output, in *api.Invitation) error {
	if in.Link == "" {
		o.Note("%s gets the link by email from the service", in.Email)
	} else {
		o.Note("give the link to %s, who can use it once to set the password", in.Email)
	}
	return cli.PrintItem(o, invitation{Email: in.Email, Link: in.Link, ExpiresOn: in.ExpiresOn}, "email", "link", "expiresOn")
}

type usersAddOptions struct {
	dataDir dataDirFlag
	output  cli.Output

	name, organisation string
	admin              bool
	passwordStdin      bool
}

func newUsersAddCmd(f *cli.Factory) *cobra.Command {
	opts := &usersAddOptions{}
	cmd := &cobra.Command{
		Use: "add EMAIL", Short: "Create an account",
		Long: `Creates an account. Its owner sets the password with a one-time link. If the service does
not email the link, the command prints it. With --password-stdin, there is no link: the
command reads the password of the account from standard input.`,
		Args: cli.PositionalArgs("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.dataDir.bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[userAccount](), cli.ResultType[invitation]())
	cli.BindNeedlessYes(cmd)
	cmd.Flags().StringVar(&opts.name, "name", "", "name of the `person`")
	cmd.Flags().StringVar(&opts.organisation, "organisation", "", "`organisation` of the person")
	cmd.Flags().BoolVar(&opts.admin, "admin", false, "make the account an administrator")
	cmd.Flags().BoolVar(&opts.passwordStdin, "password-stdin", false, "read the password from standard input")
	return cmd
}

func (o *usersAddOptions) run(ctx context.Context, email string) error {
	user := api.NewAccount{Email: email, Name: o.name, Organisation: o.organisation, Role: api.RoleUser}
	if o.admin {
		user.Role = api.RoleAdministrator
	}
	password := ""
	if o.passwordStdin {
		var err error
		if password, err = credential.ReadSecret(ctx, o.dataDir.factory.Console.In); err != nil {
			return err
		}
	}
	service, err := connect.OpenSelected(ctx, o.dataDir.factory, o.dataDir.cmd, true) // users may be added before the service starts
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: the account is stored
	if !o.passwordStdin {
		invited, err := service.App.CreateAccount(ctx, &api.CreateAccountInput{Body: user})
		if err != nil {
			return err
		}
		return errors.Join(printInvitation(&o.output, invited), o.noteMissingAdministrator(ctx, service.App, invited.Email))
	}
	if err := service.App.AddUser(ctx, user, password); err != nil {
		return err
	}
	added, err := service.App.FindAccount(ctx, email)
	if err != nil {
		return err
	}
	return errors.Join(cli.PrintItem(&o.output, toUserAccount(added), "email", "role"), o.noteMissingAdministrator(ctx, service.App, added.Email))
}

// noteMissingAdministrator prints how to make the account with this email an administrator, if the
// service has no administrator.
func (o *usersAddOptions) noteMissingAdministrator(ctx context.Context, a *app.App, email string) error {
	exists, err := a.HasAdministrator(ctx)
	if err == nil && !exists {
		o.output.Note("there is no administrator yet: make one with `foretell users role %s %s`, or with the link that the service prints when it starts",
			term.ShellQuote(email), api.RoleAdministrator)
	}
	return err
}

type usersPasswdOptions struct {
	dataDir dataDirFlag
	output  cli.Output

	passwordStdin bool
}

func newUsersPasswdCmd(f *cli.Factory) *cobra.Command {
	opts := &usersPasswdOptions{}
	cmd := &cobra.Command{
		Use: "passwd EMAIL", Short: "Change the password of an account", Args: cli.PositionalArgs("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.dataDir.bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[userAccount]())
	cli.BindNeedlessYes(cmd)
	cmd.Flags().BoolVar(&opts.passwordStdin, "password-stdin", false, "read the password from standard input")
	return cmd
}

func (o *usersPasswdOptions) run(ctx context.Context, email string) error {
	password, err := o.readPassword(ctx)
	if err != nil {
		return err
	}
	service, err := o.dataDir.openService(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: the account is stored
	if err := service.App.SetUserPassword(ctx, email, password); err != nil {
		return err
	}
	changed, err := service.App.FindAccount(ctx, email)
	if err != nil {
		return err
	}
	return cli.PrintItem(&o.output, toUserAccount(changed), "email")
}

func (o *usersPasswdOptions) readPassword(ctx context.Context) (string, error) {
	console := o.dataDir.factory.Console
	if o.passwordStdin {
		return credential.ReadSecret(ctx, console.In)
	}
	if !console.CanPrompt() {
		return "", exit.Usagef("the password is required, and prompting is disabled").WithHint("pipe the password into --password-stdin")
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

type usersResetOptions struct {
	dataDir dataDirFlag
	output  cli.Output
	confirm cli.ConfirmFlag

	secondFactor bool
}

func newUsersResetCmd(f *cli.Factory) *cobra.Command {
	opts := &usersResetOptions{}
	cmd := &cobra.Command{
		Use: "reset EMAIL", Short: "Replace the password of an account with a one-time link",
		Long: `Removes the password of an account and ends its sessions. Its owner sets a new password
with a one-time link. If the service does not email the link, the command prints it.

If the owner has lost the authenticator app, use --second-factor. The command then
removes the app and keeps the password.`,
		Args: cli.PositionalArgs("EMAIL"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.dataDir.bind(cmd, f)
	opts.confirm.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[invitation](), cli.ResultType[userAccount]())
	cmd.Flags().BoolVar(&opts.secondFactor, "second-factor", false, "remove the authenticator app, not the password")
	return cmd
}

func (o *usersResetOptions) run(ctx context.Context, email string) error {
	removed := "password"
	if o.secondFactor {
		removed = "authenticator app"
	}
	if err := o.confirm.Ask(ctx, "Remove the "+removed+" of "+email+"? The account is logged out of all sessions."); err != nil {
		return err
	}
	return o.dataDir.withAccount(ctx, email, func(a *app.App, found *api.Account) error {
		if o.secondFactor {
			changed, err := a.RemoveSecondFactorOf(ctx, &api.AccountInput{AccountKey: found.AccountKey})
			if err != nil {
				return err
			}
			return cli.PrintItem(&o.output, toUserAccount(changed), "email", "role", "secondFactor")
		}
		invited, err := a.ResetAccount(ctx, &api.AccountInput{AccountKey: found.AccountKey})
		if err != nil {
			return err
		}
		return printInvitation(&o.output, invited)
	})
}
