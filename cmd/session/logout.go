package session

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/credential"
	"foretell/internal/exit"
)

type logoutOptions struct {
	factory *cli.Factory
	cmd     *cobra.Command
	output  cli.Output
}

// NewLogoutCmd returns the command logout.
func NewLogoutCmd(f *cli.Factory) *cobra.Command {
	opts := &logoutOptions{factory: f}
	cmd := &cobra.Command{
		Use: "logout", Short: "Log out of a service and remove its credentials",
		Long: `Ends the session of the token at the service. Removes the token, the stored password and
the address of the service from the profile. After that, commands use the embedded
service again.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.cmd = cmd
	cmd.Flags().String("profile", "", "profile of the config file")
	opts.output.BindItem(cmd, f, cli.ResultType[signedOut]())
	return cmd
}

func (o *logoutOptions) run(ctx context.Context) error {
	file, err := config.ReadFile(o.factory.Env)
	if err != nil {
		return err
	}
	s, err := config.Load(o.factory.Env, o.cmd.Flags())
	if err != nil {
		return err
	}
	// Only the settings of the profile are used, because logout removes only the credentials of
	// the profile.
	kept := &config.Settings{Viper: config.NewEmptyViper(), Profile: s.Profile}
	if err := kept.MergeConfigMap(file.GetStringMap("profiles" + config.KeyDelimiter + s.Profile)); err != nil {
		return err
	}
	server := kept.GetString(config.KeyServer)
	if server == "" {
		return exit.Errorf(exit.SignIn, "profile %q is not logged in", s.Profile).
			WithHint("`foretell status` shows the service and the account in use")
	}
	tokens, err := credential.NewTokenSource(o.factory.Env, o.factory.Now, kept, client.Options{BaseURL: server})
	if err != nil {
		return err
	}
	if stored, err := tokens.Store.Get(tokens.StoreKey()); err == nil {
		endSession(ctx, tokens, stored.Token, &o.output)
	}
	if err := tokens.Store.Remove(tokens.StoreKey()); err != nil {
		return exit.Errorf(exit.SignIn, "cannot remove the credentials for %s: %w", server, err).WithHint("start or unlock the keyring, and try again")
	}
	endEarlierSessions(ctx, file, s.Profile, tokens, "", &o.output)
	for _, key := range []string{config.KeyServer, config.KeyUsername, config.KeyAuthStorage} {
		if err := config.WriteOrRemoveValue(o.factory.Env, "", "profiles", s.Profile, key); err != nil {
			return err
		}
	}
	o.output.Note("logged out of %s", server)
	return cli.PrintItem(&o.output, signedOut{Server: server, Username: tokens.Username, Profile: s.Profile}, "server", "username", "profile")
}

// sessionTimeout is how long to wait for a service to end a session.
const sessionTimeout = 5 * time.Second

// endSession ends the session of a token at the service, so that the token becomes invalid. If that
// fails, the token expires within an hour. endSession does nothing if token is empty.
func endSession(ctx context.Context, tokens *credential.TokenSource, token string, output *cli.Output) {
	if token == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sessionTimeout)
	defer cancel()
	tokens.Client.SetToken(token)
	_, err := client.Call(ctx, tokens.Client, api.LogOut, &api.None{})
	var network *client.NetworkError
	if errors.As(err, &network) {
		output.Note("cannot end the session, because %s does not respond; the token of the session expires within an hour", tokens.Server)
	}
}

// signedOut is the output of logout.
type signedOut struct {
	Server   string `json:"server"`
	Username string `json:"username"`
	Profile  string `json:"profile"`
}
