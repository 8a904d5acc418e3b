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
	host   *host
	asker  asker
	output output

	username      string
	passwordStdin bool
	tokenStdin    bool
	stay          bool
	storage       string
}

func newLoginCmd(h *host) *cobra.Command {
	opts := &loginOptions{host: h}
	cmd := &cobra.Command{
		Use: "login [URL]", Short: "Sign in to a service and remember it",
		Long: `Signs in to the service at URL and makes it the one that commands use. The token
is kept in the system's keyring, which is tried before the password is asked for.
A secret never stands in an argument: it is asked for, or read from standard
input or the environment.`,
		Args: takes("[URL]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.String("profile", "", "profile of the config file to sign in for")
	flags.String(keyServer, "", "`URL` of the service")
	flags.StringVar(&opts.username, keyUsername, "", "`e-mail` of the account")
	flags.BoolVar(&opts.passwordStdin, "password-stdin", false, "read the password from standard input")
	flags.BoolVar(&opts.tokenStdin, "token-stdin", false, "read a bearer token from standard input, and log in with that")
	flags.BoolVar(&opts.stay, "stay-signed-in", false, "keep the password in the keyring, to log in again when the token has expired")
	flags.StringVar(&opts.storage, keyStorage, "", "where to keep credentials: keyring, file or none")
	flags.Bool(keyNoInput, false, "never ask; a question that is needed is an error")
	flags.Var(new(traceFlag), keyDebug, "trace the requests on standard error, secrets cut out; --debug=FILE writes to a file")
	flags.Lookup(keyDebug).NoOptDefVal = "true"
	choices(cmd, keyStorage, storageKeyring, storageFile, storageNone)
	_ = cmd.RegisterFlagCompletionFunc("profile", h.completeProfiles) // the flag is there
	cmd.MarkFlagsMutuallyExclusive("password-stdin", "token-stdin")
	cmd.MarkFlagsMutuallyExclusive("stay-signed-in", "token-stdin")
	opts.output.bindItem(cmd, h, prints[signedIn]())
	opts.asker.host, opts.asker.cmd = h, cmd
	return cmd
}

func (o *loginOptions) run(ctx context.Context, args []string) error {
	s, err := o.host.settings(o.asker.cmd.Flags())
	if err != nil {
		return err
	}
	if len(args) > 0 {
		s.Set(keyServer, args[0])
	}
	if err := o.need(ctx, s, keyServer, "Address of the service:", "give its address: `foretell login URL`"); err != nil {
		return err
	}
	trace, closeTrace, err := o.host.tracer(s.GetString(keyDebug))
	if err != nil {
		return err
	}
	defer func() { _ = closeTrace() }() // the result does not depend on it
	opts := client.Options{BaseURL: s.GetString(keyServer), UserAgent: userAgent(), Trace: trace, Now: o.host.now}
	if err := o.ready(ctx, s, opts); err != nil {
		return err
	}
	storage, err := o.chooseStorage(ctx, s)
	if err != nil {
		return err
	}
	s.Set(keyStorage, storage)
	if !o.tokenStdin {
		if err := o.need(ctx, s, keyUsername, "E-mail:", "name the account with --username or "+envUsername); err != nil {
			return err
		}
	}
	signer, err := o.host.newSigner(s, opts)
	if err != nil {
		return err
	}
	kept, err := o.credential(ctx, signer)
	if err != nil {
		return err
	}
	earlier, err := signer.vault.get(signer.entry())
	if err == nil && earlier.Password != "" && kept.Password == "" {
		o.output.note("the password is no longer kept; --stay-signed-in keeps it")
	}
	if err := signer.vault.set(signer.entry(), kept); err != nil {
		return err
	}
	if err := o.remember(s.profile, signer); err != nil {
		return err
	}
	if storage == storageNone {
		o.output.note("no credentials are kept: commands need %s, or %s and %s", envToken, envUsername, envPassword)
	}
	return item(&o.output, signedIn{
		Server: signer.server, Username: signer.username, Profile: s.profile, Storage: storage,
		Expires: api.FormatTime(kept.Expires), StaysSignedIn: kept.Password != "",
	}, "server", "username", "profile", "storage", "expires", "staysSignedIn")
}

// ready returns an error for settings that cannot be used and for a service that
// does not answer, before anything is asked that would then be in vain.
func (o *loginOptions) ready(ctx context.Context, s *settings, opts client.Options) error {
	if _, err := o.host.mute(o.asker.cmd); err != nil {
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
	return explain(ctx, err).advise("check the address, and that the service runs; then type the same again")
}

// signedIn is what login prints.
type signedIn struct {
	Server        string `json:"server"`
	Username      string `json:"username"`
	Profile       string `json:"profile"`
	Storage       string `json:"storage"`
	Expires       string `json:"expires"`
	StaysSignedIn bool   `json:"staysSignedIn"`
}

// asked names settings as a question does.
var asked = map[string]string{keyServer: "service's address", keyUsername: "account's e-mail"}

// need asks for a setting that has no value.
func (o *loginOptions) need(ctx context.Context, s *settings, key, question, otherwise string) error {
	if s.GetString(key) != "" {
		return nil
	}
	if mute, err := o.host.mute(o.asker.cmd); err != nil || mute {
		return errors.Join(err, usage("the %s is not known, and there is nobody to ask", asked[key]).advise("%s", otherwise))
	}
	text, err := o.host.console.Ask(ctx, question)
	if err != nil {
		return err
	}
	if text = strings.TrimSpace(text); text == "" {
		return usage("the %s is needed", asked[key]).advise("%s", otherwise)
	}
	s.Set(key, text)
	return nil
}

// checkStorage refuses a storage that cannot hold the secrets.
func (o *loginOptions) checkStorage(storage string) error {
	switch storage {
	case "", storageKeyring:
		return nil
	case storageFile, storageNone:
		if o.stay {
			return usage("--stay-signed-in keeps the password, which only the keyring may hold").
				advise("leave it out, or set %s for a log-in without questions", envPassword)
		}
		return nil
	}
	return usage("--storage %q: it takes keyring, file or none", storage)
}

// chooseStorage settles where credentials go, before anything secret is asked
// for. A storage that was named never becomes another.
func (o *loginOptions) chooseStorage(ctx context.Context, s *settings) (string, error) {
	storage := s.GetString(keyStorage)
	if storage == storageFile || storage == storageNone {
		return storage, nil
	}
	err := newKeyringVault().probe()
	if err == nil {
		return storageKeyring, nil
	}
	refusal := fail(ExitSignIn, "%w", err).
		advise("set %s, or keep the token in a file that only you may read with --storage file", envToken)
	if storage == storageKeyring || o.stay {
		return "", refusal
	}
	if mute, muteErr := o.host.mute(o.asker.cmd); mute || muteErr != nil {
		return "", refusal
	}
	o.host.note("%s", refusal.fact)
	ok, err := o.host.console.Confirm(ctx, "Keep the token in a file that only you may read?")
	if err != nil {
		return "", err
	}
	if !ok {
		return "", refusal
	}
	return storageFile, nil
}

// credential returns what to keep: a token as it is, or one for a password.
func (o *loginOptions) credential(ctx context.Context, signer *signer) (credential, error) {
	if o.tokenStdin {
		token, err := readSecret(o.host.console.In)
		if err != nil {
			return credential{}, err
		}
		return o.tryToken(ctx, signer, token)
	}
	password, err := o.password(ctx, signer)
	if err != nil {
		return credential{}, err
	}
	kept, err := signer.logIn(ctx, password)
	if err != nil {
		return kept, err
	}
	stay := o.stay
	if mute, err := o.host.mute(o.asker.cmd); err == nil && !mute && !stay && signer.storage == storageKeyring && !o.passwordStdin {
		if stay, err = o.host.console.Confirm(ctx, "Stay signed in, with the password in the keyring?"); err != nil {
			return kept, err
		}
	}
	if stay {
		kept.Password = password
	}
	return kept, nil
}

// tryToken finds out whether the service takes a token. How long it lives only
// the service knows.
func (o *loginOptions) tryToken(ctx context.Context, signer *signer, token string) (credential, error) {
	signer.client.SetToken(token)
	in := &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}}
	_, err := client.Call(ctx, signer.client, api.ListDatasets, in)
	if api.CodeOf(err) == api.CodeUnauthorized {
		f := explain(ctx, err)
		f.fact = signer.server + " refused the token: " + f.fact
		return credential{}, f.advise("pipe in another token, or sign in with the password: `foretell login %s --username E-MAIL`", signer.server)
	}
	if err != nil {
		return credential{}, err
	}
	return credential{Token: token, Expires: o.host.now().Add(api.TokenLifetime * 1e9)}, nil
}

func (o *loginOptions) password(ctx context.Context, signer *signer) (string, error) {
	if o.passwordStdin {
		return readSecret(o.host.console.In)
	}
	if password, err := o.host.envPassword(); err != nil || password != "" {
		return password, err
	}
	if mute, err := o.host.mute(o.asker.cmd); err != nil || mute {
		return "", errors.Join(err, usage("the password is needed, and there is nobody to ask").
			advise("pipe it into --password-stdin, or set %s", envPassword))
	}
	return o.host.console.Password(ctx, "Password for "+signer.username+":")
}

// readSecret reads the first line of standard input.
func readSecret(r io.Reader) (string, error) {
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", usage("standard input holds no secret").advise("pipe it in, as in `pass show foretell | foretell login --password-stdin`")
	}
	return line, nil
}

// remember makes the account the profile's. Nothing of it is secret.
func (o *loginOptions) remember(profile string, signer *signer) error {
	for _, setting := range [][2]string{
		{keyServer, signer.server}, {keyUsername, signer.username}, {keyStorage, signer.storage},
	} {
		if err := o.host.setConfig(setting[1], "profiles", profile, setting[0]); err != nil {
			return err
		}
	}
	return nil
}
