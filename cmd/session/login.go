package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/credential"
	"foretell/internal/exit"
)

type loginOptions struct {
	factory *cli.Factory
	confirm cli.ConfirmFlag
	output  cli.Output

	username      string
	code          string
	passwordStdin bool
	tokenStdin    bool
	staySignedIn  bool
	storage       string
}

// NewLoginCmd returns the command login.
func NewLoginCmd(f *cli.Factory) *cobra.Command {
	opts := &loginOptions{factory: f}
	cmd := &cobra.Command{
		Use: "login [URL]", Short: "Log in to a service and make it the default",
		Long: `Logs in to the service at URL and makes this service the default of all commands. The
token is stored in the system keyring, which is tested before the password is requested.
If a token of the account was already stored, in this or another storage, its session
ends. Running commands then use the new token.
Secrets are never arguments: the command prompts for them, or reads them from standard
input or the environment.`,
		Args: cli.PositionalArgs("[URL]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.String("profile", "", "profile of the config file to log in with")
	flags.String(config.KeyServer, "", "`URL` of the service")
	flags.StringVar(&opts.username, config.KeyUsername, "", "`email` address of the account")
	flags.StringVar(&opts.code, "code", "", "`digits` that the authenticator app of the account shows, if it has one")
	flags.BoolVar(&opts.passwordStdin, "password-stdin", false, "read the password from standard input")
	flags.BoolVar(&opts.tokenStdin, "token-stdin", false, "read a bearer token from standard input and log in with it")
	flags.BoolVar(&opts.staySignedIn, "stay-signed-in", false, "store the password in the keyring, to log in again when the token expires")
	flags.StringVar(&opts.storage, config.KeyAuthStorage, "", "where to store credentials: keyring, file or none")
	flags.Bool(config.KeyNoInput, false, "never prompt; fail if a prompt is needed")
	flags.Var(new(connect.TraceFlag), config.KeyDebug, "trace requests to standard error, or to FILE with --debug=FILE; secrets are omitted")
	flags.Lookup(config.KeyDebug).NoOptDefVal = "true"
	cli.SetFlagCompletions(cmd, config.KeyAuthStorage, config.AuthStorageKeyring, config.AuthStorageFile, config.AuthStorageNone)
	_ = cmd.RegisterFlagCompletionFunc("profile", cli.CompleteProfiles(f)) // fails only if the flag is not defined
	cmd.MarkFlagsMutuallyExclusive("password-stdin", "token-stdin")
	cmd.MarkFlagsMutuallyExclusive("stay-signed-in", "token-stdin")
	cmd.MarkFlagsMutuallyExclusive("code", "token-stdin")
	opts.output.BindItem(cmd, f, cli.ResultType[signedIn]())
	opts.confirm.Factory, opts.confirm.Cmd = f, cmd
	return cmd
}

func (o *loginOptions) run(ctx context.Context, args []string) error {
	s, err := config.Load(o.factory.Env, o.confirm.Cmd.Flags())
	if err != nil {
		return err
	}
	if len(args) > 0 {
		if o.confirm.Cmd.Flags().Changed(config.KeyServer) {
			return exit.Usagef("the argument %s and --server both name the service", args[0]).WithHint("omit --server")
		}
		s.Set(config.KeyServer, args[0])
	}
	if err := o.promptForMissingSetting(ctx, s, config.KeyServer, "Address of the service:", "add the URL: `foretell login URL`"); err != nil {
		return err
	}
	trace, closeTrace, err := connect.NewTracer(o.factory, s.GetString(config.KeyDebug))
	if err != nil {
		return err
	}
	defer func() { _ = closeTrace() }() // the result does not depend on the error
	opts := client.Options{BaseURL: s.GetString(config.KeyServer), UserAgent: build.UserAgent(), CertificateFile: o.factory.Env(config.EnvCertificateFile), Trace: trace, Now: o.factory.Now}
	if err := o.checkReachable(ctx, s, opts); err != nil {
		return err
	}
	storage, err := o.chooseStorage(ctx, s)
	if err != nil {
		return err
	}
	s.Set(config.KeyAuthStorage, storage)
	if !o.tokenStdin {
		if err := o.promptForMissingSetting(ctx, s, config.KeyUsername, "Email:", "set it with --username or "+config.EnvUsername); err != nil {
			return err
		}
	}
	tokens, err := credential.NewTokenSource(o.factory.Env, o.factory.Now, s, opts)
	if err != nil {
		return err
	}
	kept, err := o.obtainCredential(ctx, tokens)
	if err != nil {
		return err
	}
	file, err := config.ReadFile(o.factory.Env)
	if err != nil {
		return err
	}
	earlier, err := tokens.Store.Get(tokens.StoreKey())
	if err == nil && earlier.Password != "" && kept.Password == "" {
		o.output.Note("the stored password was deleted; to keep it stored, log in with --stay-signed-in")
	}
	if err := tokens.Store.Set(tokens.StoreKey(), kept); err != nil {
		return err
	}
	if earlier.Token != kept.Token && storage != config.AuthStorageNone {
		endSession(ctx, tokens, earlier.Token, &o.output)
	}
	endEarlierSessions(ctx, file, s.Profile, tokens, kept.Token, &o.output)
	if err := o.saveProfile(s.Profile, tokens); err != nil {
		return err
	}
	if storage == config.AuthStorageNone {
		o.output.Note("no credentials are stored, so other commands need the environment variable %s, or %s and %s", config.EnvToken, config.EnvUsername, config.EnvPassword)
	}
	o.noteOverridingVariables(tokens)
	return cli.PrintItem(&o.output, signedIn{
		Server: tokens.Server, Username: tokens.Username, Profile: s.Profile, Storage: storage,
		Expires: api.FormatTime(kept.Expires), StaysSignedIn: kept.Password != "",
	}, "server", "username", "profile", "storage", "expires", "staysSignedIn")
}

// noteOverridingVariables prints a note for each environment variable that overrides what log-in has
// stored.
func (o *loginOptions) noteOverridingVariables(tokens *credential.TokenSource) {
	stored := [][2]string{{config.EnvServer, tokens.Server}, {config.EnvUsername, tokens.Username}}
	if tokens.Storage != config.AuthStorageNone {
		stored = append(stored, [2]string{config.EnvToken})
	}
	for _, one := range stored {
		if value := strings.TrimRight(o.factory.Env(one[0]), "/"); value != "" && value != one[1] {
			o.output.Note("the environment variable %s is set and overrides this log-in", one[0])
		}
	}
}

// checkReachable returns an error for invalid settings or an unreachable service. It is called
// before the user is prompted.
func (o *loginOptions) checkReachable(ctx context.Context, s *config.Settings, opts client.Options) error {
	if _, err := o.factory.PromptDisabled(o.confirm.Cmd); err != nil {
		return err
	}
	if err := o.checkStorage(s.GetString(config.KeyAuthStorage)); err != nil {
		return err
	}
	c, err := config.NewClient(opts)
	if err != nil {
		return err
	}
	o.factory.WarnInvalidProxy(c.BaseURL())
	_, err = client.Call(ctx, c, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}})
	var network *client.NetworkError
	if !errors.As(err, &network) { // any response shows that the service is reachable
		return nil
	}
	return exit.FromError(ctx, err).WithHint("check the address and that the service is running, then run the command again")
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

// settingNames maps the key of a setting to its name in error messages.
var settingNames = map[string]string{config.KeyServer: "service's address", config.KeyUsername: "account's email"}

// promptForMissingSetting prints the question and sets the setting called key to the answer. It
// does nothing if the setting has a value. If prompting is disabled, it returns an error with the
// given hint.
func (o *loginOptions) promptForMissingSetting(ctx context.Context, s *config.Settings, key, question, hint string) error {
	if s.GetString(key) != "" {
		return nil
	}
	if mute, err := o.factory.PromptDisabled(o.confirm.Cmd); err != nil || mute {
		return errors.Join(err, exit.Usagef("the %s is required, and prompting is disabled", settingNames[key]).WithHint("%s", hint))
	}
	text, err := o.factory.Console.Ask(ctx, question)
	if err != nil {
		return err
	}
	if text = strings.TrimSpace(text); text == "" {
		return exit.Usagef("the %s is required", settingNames[key]).WithHint("%s", hint)
	}
	s.Set(key, text)
	return nil
}

// checkStorage returns an error if storage, the value of --storage, cannot hold the
// secrets.
func (o *loginOptions) checkStorage(storage string) error {
	switch storage {
	case "", config.AuthStorageKeyring:
		return nil
	case config.AuthStorageFile, config.AuthStorageNone:
		if o.staySignedIn {
			return exit.Usagef("--stay-signed-in needs --storage keyring, because it stores the password").
				WithHint("omit --stay-signed-in; to log in without prompts, set the variable %s", config.EnvPassword)
		}
		return nil
	}
	return exit.Usagef("invalid --storage %q: must be keyring, file or none", storage)
}

// chooseStorage returns where to store credentials: in the storage that the user has set or, by
// default, in the keyring. If the keyring is unavailable, it asks whether to use a file instead,
// and returns an error if the answer is no. It returns this error without asking if the user has
// set the storage keyring or --stay-signed-in, or if prompting is disabled.
func (o *loginOptions) chooseStorage(ctx context.Context, s *config.Settings) (string, error) {
	storage := s.GetString(config.KeyAuthStorage)
	if storage == config.AuthStorageFile || storage == config.AuthStorageNone {
		return storage, nil
	}
	err := credential.NewKeyringStore().Probe()
	if err == nil {
		return config.AuthStorageKeyring, nil
	}
	refusal := exit.Errorf(exit.SignIn, "%w", err).
		WithHint("set the variable %s, or use --storage file to store the token in a file that only you can read", config.EnvToken)
	if storage == config.AuthStorageKeyring || o.staySignedIn {
		return "", refusal
	}
	if mute, muteErr := o.factory.PromptDisabled(o.confirm.Cmd); mute || muteErr != nil {
		return "", refusal
	}
	o.factory.Note("%s", refusal.Fact)
	ok, err := o.factory.Console.Confirm(ctx, "Store the token in a file that only you can read?")
	if err != nil {
		return "", err
	}
	if !ok {
		return "", refusal
	}
	return config.AuthStorageFile, nil
}

// obtainCredential returns the credential to store: the token from standard input, or a token for
// the password.
func (o *loginOptions) obtainCredential(ctx context.Context, tokens *credential.TokenSource) (credential.Credential, error) {
	if o.tokenStdin {
		token, err := credential.ReadSecret(ctx, o.factory.Console.In)
		if err != nil {
			return credential.Credential{}, err
		}
		return o.verifyToken(ctx, tokens, token)
	}
	password, err := o.readPassword(ctx, tokens)
	if err != nil {
		return credential.Credential{}, err
	}
	kept, err := tokens.LogIn(ctx, password, o.code)
	if api.CodeFromError(err) == api.CodeAuthenticatorCode {
		if o.code, err = o.promptForCode(ctx, err); err == nil {
			kept, err = tokens.LogIn(ctx, password, o.code)
		}
	}
	if err != nil {
		return kept, err
	}
	stay := o.staySignedIn
	if o.code != "" { // the password alone is not enough to log in
		if stay {
			o.output.Note("the password is not stored, because the account also needs the code of its authenticator app")
		}
		return kept, nil
	}
	if mute, err := o.factory.PromptDisabled(o.confirm.Cmd); err == nil && !mute && !stay && tokens.Storage == config.AuthStorageKeyring && !o.passwordStdin {
		if stay, err = o.factory.Console.Confirm(ctx, "Stay signed in, with the password in the keyring?"); err != nil {
			return kept, err
		}
	}
	if stay {
		kept.Password = password
	}
	return kept, nil
}

// promptForCode prompts for the code of the authenticator app. cause is the error with which the
// service requested the code.
func (o *loginOptions) promptForCode(ctx context.Context, cause error) (string, error) {
	if mute, err := o.factory.PromptDisabled(o.confirm.Cmd); err != nil || mute {
		return "", errors.Join(err, exit.Errorf(exit.SignIn, "%w", cause).WithHint("add the code that the authenticator app shows: --code DIGITS"))
	}
	code, err := o.factory.Console.Ask(ctx, "Code of the authenticator app:")
	if err == nil && strings.TrimSpace(code) == "" {
		err = exit.Errorf(exit.SignIn, "%w", cause)
	}
	return code, err
}

// verifyToken checks that the service accepts a token, and returns it as a credential. It sets
// tokens.Username to the email of the token's account. If the service does not report the account,
// the username stays as it is.
func (o *loginOptions) verifyToken(ctx context.Context, tokens *credential.TokenSource, token string) (credential.Credential, error) {
	tokens.Client.SetToken(token)
	in := &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}}
	_, err := client.Call(ctx, tokens.Client, api.ListDatasets, in)
	if api.CodeFromError(err) == api.CodeUnauthorized {
		e := exit.FromError(ctx, err)
		e.Fact = tokens.Server + " refused the token: " + e.Fact
		return credential.Credential{}, e.WithHint("pipe in another token, or log in with the password: `foretell login %s --username EMAIL`", tokens.Server)
	}
	if err != nil {
		return credential.Credential{}, err
	}
	if account, err := client.Call(ctx, tokens.Client, api.GetOwnAccount, &api.None{}); err == nil && account.Email != "" {
		tokens.Username = account.Email
	}
	return credential.Credential{Token: token, Expires: o.expiryOfToken(ctx, tokens)}, nil
}

// expiryOfToken returns when the token of tokens.Client expires. If the service does not report the
// expiry, it assumes the longest possible lifetime.
func (o *loginOptions) expiryOfToken(ctx context.Context, tokens *credential.TokenSource) time.Time {
	if answer, err := client.Call(ctx, tokens.Client, api.ListSessions, &api.None{}); err == nil {
		for _, session := range answer.Sessions {
			if expires, err := time.Parse(time.RFC3339, session.ExpiresOn); err == nil && session.Current {
				return expires
			}
		}
	}
	return o.factory.Now().Add(api.TokenLifetime * time.Second)
}

func (o *loginOptions) readPassword(ctx context.Context, tokens *credential.TokenSource) (string, error) {
	if o.passwordStdin {
		return credential.ReadSecret(ctx, o.factory.Console.In)
	}
	if password, err := credential.ReadPassword(o.factory.Env); err != nil || password != "" {
		return password, err
	}
	if mute, err := o.factory.PromptDisabled(o.confirm.Cmd); err != nil || mute {
		return "", errors.Join(err, exit.Usagef("the password is required, and prompting is disabled").
			WithHint("pipe the password into --password-stdin, or set the variable %s", config.EnvPassword))
	}
	return o.factory.Console.Password(ctx, "Password for "+tokens.Username+":")
}

// saveProfile writes the address of the service, the email of the account and the storage of its
// credentials to a profile of the config file. It writes no secrets.
func (o *loginOptions) saveProfile(profile string, tokens *credential.TokenSource) error {
	for _, setting := range [][2]string{
		{config.KeyServer, tokens.Server}, {config.KeyUsername, tokens.Username}, {config.KeyAuthStorage, tokens.Storage},
	} {
		if err := config.WriteOrRemoveValue(o.factory.Env, setting[1], "profiles", profile, setting[0]); err != nil {
			return err
		}
	}
	return nil
}
