package session

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
)

// sessionListFields are the fields that `sessions list` prints.
var sessionListFields = []string{"sessionKey", "createdOn", "expiresOn", "remoteAddress", "client", "current"}

// NewSessionsCmd returns the command sessions.
func NewSessionsCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "sessions", Aliases: []string{"session"}, Short: "Manage the sessions of your account at a service",
		Long: `Each log-in opens a session. The token of a session is valid for an hour. If the token
of a command has expired and the password is in the keyring or in the environment, the
command opens another session. A session that a command opens with the password in the
environment ends with the command; jobs that the command has started continue. If you do
not recognise a session, end it and change your password.`,
	}
	cmd.AddCommand(newSessionsListCmd(f), newSessionsEndCmd(f))
	return cmd
}

type sessionsListOptions struct {
	service connect.ServiceFlags
	output  cli.Output
	list    cli.ListFlags
}

func newSessionsListCmd(f *cli.Factory) *cobra.Command {
	opts := &sessionsListOptions{service: connect.ServiceFlags{NoJobs: true}}
	cmd := &cobra.Command{
		Use: "list", Short: "List the sessions of your account, newest first", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[api.SessionEntry]())
	opts.list.Bind(cmd)
	return cmd
}

func (o *sessionsListOptions) run(ctx context.Context) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	if session.Embedded {
		o.output.Note("the embedded service has no accounts, and therefore no sessions; `foretell login URL` logs in to a service")
		return cli.PrintList(&o.output, []api.SessionEntry{}, sessionListFields...)
	}
	answer, err := client.Call(ctx, session.Client, api.ListSessions, &api.None{})
	if err != nil {
		return err
	}
	rows := answer.Sessions
	if o.list.Limit > 0 {
		rows = rows[:min(uint(len(rows)), o.list.Limit)]
	}
	return cli.PrintList(&o.output, rows, sessionListFields...)
}

type sessionsEndOptions struct {
	service connect.ServiceFlags
	confirm cli.ConfirmFlag
	output  cli.Output

	others bool
}

func newSessionsEndCmd(f *cli.Factory) *cobra.Command {
	opts := &sessionsEndOptions{service: connect.ServiceFlags{NoJobs: true}}
	cmd := &cobra.Command{
		Use: "end [KEY]", Short: "End a session of your account, or all other sessions",
		Long: `Ends a session, so that its token becomes invalid. KEY is the key of the session. With
--others, the command ends all sessions of the account except its own.

To end a session other than its own, the command requires that you logged in within the
last five minutes. Otherwise, log in again first.`,
		Args: cli.PositionalArgs("[KEY]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.Bind(cmd, f)
	opts.confirm.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[endedSession]())
	cmd.Flags().BoolVar(&opts.others, "others", false, "end all sessions except the session of this command")
	return cmd
}

// endedSession is the output of `sessions end`.
type endedSession struct {
	SessionKey string `json:"sessionKey,omitempty"`
	Others     bool   `json:"others,omitempty"`
}

func (o *sessionsEndOptions) run(ctx context.Context, args []string) error {
	if (len(args) == 1) == o.others {
		return exit.Usagef("pass the KEY of a session, or --others").WithHint("`foretell sessions list` shows the keys")
	}
	question := "End all other sessions of the account?"
	if !o.others {
		question = "End session " + args[0] + "?"
	}
	if err := o.confirm.Ask(ctx, question); err != nil {
		return err
	}
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	if session.Embedded {
		return exit.Usagef("the embedded service has no accounts, and therefore no sessions").WithHint("`foretell login URL` logs in to a service")
	}
	if o.others {
		if _, err := client.Call(ctx, session.Client, api.EndOtherSessions, &api.None{}); err != nil {
			return addLoginHint(ctx, err)
		}
		return cli.PrintItem(&o.output, endedSession{Others: true}, "others")
	}
	if _, err := client.Call(ctx, session.Client, api.EndSession, &api.SessionInput{SessionKey: args[0]}); err != nil {
		return addLoginHint(ctx, err)
	}
	return cli.PrintItem(&o.output, endedSession{SessionKey: args[0]}, "sessionKey")
}

// addLoginHint adds a hint to err if the user must log in again to end a session.
func addLoginHint(ctx context.Context, err error) error {
	if api.CodeFromError(err) != api.CodeForbidden {
		return err
	}
	return exit.FromError(ctx, err).WithHint("log in again with `foretell login`")
}
