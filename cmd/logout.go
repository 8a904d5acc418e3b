package cmd

import (
	"github.com/spf13/cobra"

	"foretell/internal/client"
)

type logoutOptions struct {
	host   *factory
	cmd    *cobra.Command
	output output
}

func newLogoutCmd(f *factory) *cobra.Command {
	opts := &logoutOptions{host: f}
	cmd := &cobra.Command{
		Use: "logout", Short: "Sign out of a service and remove its credentials",
		Long: `Removes the token, the password if it was stored, and the service's address from the
profile. Commands then use the embedded service again.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return opts.run() },
	}
	opts.cmd = cmd
	cmd.Flags().String("profile", "", "profile of the config file")
	opts.output.bindItem(cmd, f, resultType[signedOut]())
	return cmd
}

func (o *logoutOptions) run() error {
	file, err := o.host.readConfig()
	if err != nil {
		return err
	}
	s, err := o.host.settings(o.cmd.Flags())
	if err != nil {
		return err
	}
	// Only the profile: the environment is unchanged.
	kept := &settings{Viper: newViper(), profile: s.profile}
	if err := kept.MergeConfigMap(file.GetStringMap("profiles" + keyDelimiter + s.profile)); err != nil {
		return err
	}
	server := kept.GetString(keyServer)
	if server == "" {
		return exitErrorf(ExitSignIn, "profile %s is not signed in", s.profile).
			withHint("`foretell status` shows which service commands use")
	}
	tokens, err := o.host.newTokenSource(kept, client.Options{BaseURL: server})
	if err != nil {
		return err
	}
	if err := tokens.store.remove(tokens.entry()); err != nil {
		return exitErrorf(ExitSignIn, "cannot remove the credentials for %s: %w", server, err).withHint("unlock the keyring and try again")
	}
	for _, key := range []string{keyServer, keyUsername, keyStorage} {
		if err := o.host.setConfig("", "profiles", s.profile, key); err != nil {
			return err
		}
	}
	o.output.note("signed out of %s", server)
	return printItem(&o.output, signedOut{Server: server, Username: tokens.username, Profile: s.profile}, "server", "username", "profile")
}

// signedOut is the output of logout.
type signedOut struct {
	Server   string `json:"server"`
	Username string `json:"username"`
	Profile  string `json:"profile"`
}
