package cmd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

type loginOptions struct {
	host    *factory
	confirm confirmFlag
	output  output

	username      string
	passwordStdin bool
	tokenStdin    bool
	staySignedIn  bool
	storage       string
}

func newLoginCmd(f *factory) *cobra.Command {
	opts := &loginOptions{host: f}
	cmd := &cobra.Command{
		Use: "login [URL]", Short: "Sign in to a service and make it the default",
		Long: `Signs in to the service at URL and makes it the one that commands use. The token
is stored in the system keyring, which is tested before the password is requested.
A secret is never an argument: it is prompted for, or read from standard input or
the environment.`,
		Args: positionalArgs("[URL]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.String("profile", "", "profile of the config file to sign in for")
	flags.String(keyServer, "", "`URL` of the service")
	flags.StringVar(&opts.username, keyUsername, "", "`e-mail` of the account")
	flags.BoolVar(&opts.passwordStdin, "password-stdin", false, "read the password from standard input")
	flags.BoolVar(&opts.tokenStdin, "token-stdin", false, "read a bearer token from standard input and sign in with it")
	flags.BoolVar(&opts.staySignedIn, "stay-signed-in", false, "store the password in the keyring, to sign in again when the token has expired")
	flags.StringVar(&opts.storage, keyStorage, "", "where to store credentials: keyring, file or none")
	flags.Bool(keyNoInput, false, "never prompt; it is an error if a prompt is needed")
	flags.Var(new(traceFlag), keyDebug, "trace requests to standard error, without secrets; --debug=FILE writes to a file")
	flags.Lookup(keyDebug).NoOptDefVal = "true"
	completeValues(cmd, keyStorage, storageKeyring, storageFile, storageNone)
	_ = cmd.RegisterFlagCompletionFunc("profile", f.completeProfiles) // the flag is there
	cmd.MarkFlagsMutuallyExclusive("password-stdin", "token-stdin")
	cmd.MarkFlagsMutuallyExclusive("stay-signed-in", "token-stdin")
	opts.output.bindItem(cmd, f, resultType[signedIn]())
	opts.confirm.host, opts.confirm.cmd = f, cmd
	return cmd
}

func (o *loginOptions) run(ctx context.Context, args []string) error {
	s, err := o.host.settings(o.confirm.cmd.Flags())
	if err != nil {
		return err
	}
	if len(args) > 0 {
		s.Set(keyServer, args[0])
	}
	if err := o.require(ctx, s, keyServer, "Address of the service:", "name it: `foretell login URL`"); err != nil {
		return err
	}
	trace, closeTrace, err := o.host.tracer(s.GetString(keyDebug))
	if err != nil {
		return err
	}
	defer func() { _ = closeTrace() }() // the result does not depend on it
	opts := client.Options{BaseURL: s.GetString(keyServer), UserAgent: userAgent(), Trace: trace, Now: o.host.now}
	if err := o.checkReachable(ctx, s, opts); err != nil {
		return err
	}
	storage, err := o.chooseStorage(ctx, s)
	if err != nil {
		return err
	}
	s.Set(keyStorage, storage)
	if !o.tokenStdin {
		if err := o.require(ctx, s, keyUsername, "E-mail:", "name the account with --username or "+envUsername); err != nil {
			return err
		}
	}
	tokens, err := o.host.newTokenSource(s, opts)
	if err != nil {
		return err
	}
	kept, err := o.credential(ctx, tokens)
	if err != nil {
		return err
	}
	earlier, err := tokens.store.get(tokens.entry())
	if err == nil && earlier.Password != "" && kept.Password == "" {
		o.output.note("the password is no longer stored; --stay-signed-in stores it")
	}
	if err := tokens.store.set(tokens.entry(), kept); err != nil {
		return err
	}
	if err := o.saveProfile(s.profile, tokens); err != nil {
		return err
	}
	if storage == storageNone {
		o.output.note("no credentials are stored: commands need %s, or %s and %s", envToken, envUsername, envPassword)
	}
	return printItem(&o.output, signedIn{
		Server: tokens.server, Username: tokens.username, Profile: s.profile, Storage: storage,
		Expires: api.FormatTime(kept.Expires), StaysSignedIn: kept.Password != "",
	}, "server", "username", "profile", "storage", "expires", "staysSignedIn")
}

// checkReachable returns an error for invalid settings or an unreachable service, before
// the user is prompted.
func (o *loginOptions) checkReachable(ctx context.Context, s *settings, opts client.Options) error {
	if _, err := o.host.promptDisabled(o.confirm.cmd); err != nil {
		return err
	}
	if err := o.checkStorage(s.GetString(keyStorage)); err != nil {
		return err
	}
	c, err := newClient(opts)
	if err != nil {
		return err
	}
	_, err = client.Call(ctx, c, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}})
	var network *client.NetworkError
	if !errors.As(err, &network) { // any answer will do
		return nil
	}
	return asCLIError(ctx, err).withHint("check the address and that the service is running, then run the command again")
}

// signedIn is the output of login.
type signedIn struct {
	Server        string `json:"server"`
	Username      string `json:"username"`
	Profile       string `json:"profile"`
	Storage       string `json:"storage"`
	Expires       string `json:"expires"`
	StaysSignedIn bool   `json:"staysSignedIn"`
}

// settingNames names settings in error messages.
var settingNames = map[string]string{keyServer: "service's address", keyUsername: "account's e-mail"}

// require prompts for a setting that has no value.
func (o *loginOptions) require(ctx context.Context, s *settings, key, question, otherwise string) error {
	if s.GetString(key) != "" {
		return nil
	}
	if mute, err := o.host.promptDisabled(o.confirm.cmd); err != nil || mute {
		return errors.Join(err, usageErrorf("the %s is required, and prompting is disabled", settingNames[key]).withHint("%s", otherwise))
	}
	text, err := o.host.console.Ask(ctx, question)
	if err != nil {
		return err
	}
	if text = strings.TrimSpace(text); text == "" {
		return usageErrorf("the %s is required", settingNames[key]).withHint("%s", otherwise)
	}
	s.Set(key, text)
	return nil
}

// checkStorage returns an error for a storage that cannot hold the secrets.
func (o *loginOptions) checkStorage(storage string) error {
	switch storage {
	case "", storageKeyring:
		return nil
	case storageFile, storageNone:
		if o.staySignedIn {
			return usageErrorf("--stay-signed-in stores the password, which only the keyring may hold").
				withHint("omit it, or set %s to sign in without prompts", envPassword)
		}
		return nil
	}
	return usageErrorf("invalid --storage %q: want keyring, file or none", storage)
}

// chooseStorage returns where to store credentials, before a secret is prompted for. It
// never replaces the storage that the user named.
func (o *loginOptions) chooseStorage(ctx context.Context, s *settings) (string, error) {
	storage := s.GetString(keyStorage)
	if storage == storageFile || storage == storageNone {
		return storage, nil
	}
	err := newKeyringStore().probe()
	if err == nil {
		return storageKeyring, nil
	}
	refusal := exitErrorf(ExitSignIn, "%w", err).
		withHint("set %s, or store the token in a file that only you can read with --storage file", envToken)
	if storage == storageKeyring || o.staySignedIn {
		return "", refusal
	}
	if mute, muteErr := o.host.promptDisabled(o.confirm.cmd); mute || muteErr != nil {
		return "", refusal
	}
	o.host.note("%s", refusal.fact)
	ok, err := o.host.console.Confirm(ctx, "Store the token in a file that only you can read?")
	if err != nil {
		return "", err
	}
	if !ok {
		return "", refusal
	}
	return storageFile, nil
}

// credential returns what to store: a given token, or the token for a password.
func (o *loginOptions) credential(ctx context.Context, tokens *tokenSource) (credential, error) {
	if o.tokenStdin {
		token, err := readSecret(o.host.console.In)
		if err != nil {
			return credential{}, err
		}
		return o.verifyToken(ctx, tokens, token)
	}
	password, err := o.password(ctx, tokens)
	if err != nil {
		return credential{}, err
	}
	kept, err := tokens.logIn(ctx, password)
	if err != nil {
		return kept, err
	}
	stay := o.staySignedIn
	if mute, err := o.host.promptDisabled(o.confirm.cmd); err == nil && !mute && !stay && tokens.storage == storageKeyring && !o.passwordStdin {
		if stay, err = o.host.console.Confirm(ctx, "Stay signed in, with the password in the keyring?"); err != nil {
			return kept, err
		}
	}
	if stay {
		kept.Password = password
	}
	return kept, nil
}

// verifyToken checks that the service accepts a token. Its lifetime is unknown.
func (o *loginOptions) verifyToken(ctx context.Context, tokens *tokenSource, token string) (credential, error) {
	tokens.client.SetToken(token)
	in := &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}}
	_, err := client.Call(ctx, tokens.client, api.ListDatasets, in)
	if api.CodeOf(err) == api.CodeUnauthorized {
		e := asCLIError(ctx, err)
		e.fact = tokens.server + " refused the token: " + e.fact
		return credential{}, e.withHint("pipe in another token, or sign in with the password: `foretell login %s --username E-MAIL`", tokens.server)
	}
	if err != nil {
		return credential{}, err
	}
	return credential{Token: token, Expires: o.host.now().Add(api.TokenLifetime * 1e9)}, nil
}

func (o *loginOptions) password(ctx context.Context, tokens *tokenSource) (string, error) {
	if o.passwordStdin {
		return readSecret(o.host.console.In)
	}
	if password, err := o.host.envPassword(); err != nil || password != "" {
		return password, err
	}
	if mute, err := o.host.promptDisabled(o.confirm.cmd); err != nil || mute {
		return "", errors.Join(err, usageErrorf("the password is required, and prompting is disabled").
			withHint("pipe it into --password-stdin, or set %s", envPassword))
	}
	return o.host.console.Password(ctx, "Password for "+tokens.username+":")
}

// readSecret reads the first line of standard input.
func readSecret(r io.Reader) (string, error) {
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", usageErrorf("standard input is empty").withHint("pipe it in, as in `pass show foretell | foretell login --password-stdin`")
	}
	return line, nil
}

// saveProfile stores the account in the profile, without secrets.
func (o *loginOptions) saveProfile(profile string, tokens *tokenSource) error {
	for _, setting := range [][2]string{
		{keyServer, tokens.server}, {keyUsername, tokens.username}, {keyStorage, tokens.storage},
	} {
		if err := o.host.setConfig(setting[1], "profiles", profile, setting[0]); err != nil {
			return err
		}
	}
	return nil
}
