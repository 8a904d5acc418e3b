package cmd

import (
	"github.com/spf13/cobra"

	"foretell/internal/client"
)

type logoutOptions struct {
	host   *host
	cmd    *cobra.Command
	output output
}

func newLogoutCmd(h *host) *cobra.Command {
	opts := &logoutOptions{host: h}
	cmd := &cobra.Command{
		Use: "logout", Short: "Forget the service and its credentials",
		Long: `Removes the token, and the password if it was kept, and the service's address
from the profile. Commands then work on this machine again.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return opts.run() },
	}
	opts.cmd = cmd
	cmd.Flags().String("profile", "", "profile of the config file")
	opts.output.bindItem(cmd, h, prints[signedOut]())
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
	// Of the profile alone: what the environment says is not forgotten.
	kept := &settings{Viper: newViper(), profile: s.profile}
	if err := kept.MergeConfigMap(file.GetStringMap("profiles" + keyDelimiter + s.profile)); err != nil {
		return err
	}
	server := kept.GetString(keyServer)
	if server == "" {
		return fail(ExitSignIn, "profile %s is not signed in anywhere", s.profile).
			advise("there is nothing to sign out of; `foretell status` tells what commands use")
	}
	signer, err := o.host.newSigner(kept, client.Options{BaseURL: server})
	if err != nil {
		return err
	}
	if err := signer.vault.remove(signer.entry()); err != nil {
		return fail(ExitSignIn, "the credentials for %s cannot be removed: %w", server, err).advise("unlock the keyring and try again")
	}
	for _, key := range []string{keyServer, keyUsername, keyStorage} {
		if err := o.host.setConfig("", "profiles", s.profile, key); err != nil {
			return err
		}
	}
	o.output.note("signed out of %s", server)
	return item(&o.output, signedOut{Server: server, Username: signer.username, Profile: s.profile}, "server", "username", "profile")
}

// signedOut is what logout prints.
type signedOut struct {
	Server   string `json:"server"`
	Username string `json:"username"`
	Profile  string `json:"profile"`
}
