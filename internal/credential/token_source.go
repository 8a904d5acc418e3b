package credential

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// TokenSource returns tokens for an account of a service. It takes a token from the environment or
// the store, or requests one with a password from the environment or the store. For the order, see
// [TokenSource.Token].
type TokenSource struct {
	env      config.Getenv
	now      func() time.Time
	Server   string
	Username string
	// Storage is where credentials are stored: keyring, file or none.
	Storage  string
	Store    Store
	Client   *client.Client // requests tokens; its requests have no token
	returned string         // the stored token that was returned last
	opened   string         // the token of the session that was opened last and not stored
}

// NewTokenSource returns the source for the account in the settings. opts are the options of
// the client that will use the tokens.
func NewTokenSource(env config.Getenv, now func() time.Time, s *config.Settings, opts client.Options) (*TokenSource, error) {
	opts.Token, opts.Relogin = "", nil
	c, err := config.NewClient(opts)
	if err != nil {
		return nil, err
	}
	store, err := openStore(env, s)
	if err != nil {
		return nil, err
	}
	return &TokenSource{
		env: env, now: now, Server: c.BaseURL(), Username: s.GetString(config.KeyUsername),
		Storage: s.GetString(config.KeyAuthStorage), Store: store, Client: c,
	}, nil
}

// StoreKey returns the key of the account in the store, such as "ada@example.org at
// https://foretell.example.org".
func (s *TokenSource) StoreKey() string { return s.storeKeyAt(s.Server) }

// storeKeyAt is like StoreKey, for another server. The service ignores the case of emails, so all
// spellings have the same key.
func (s *TokenSource) storeKeyAt(server string) string {
	return strings.ToLower(s.Username) + " at " + server
}

// Token returns the first of these tokens that is available:
//
//   - the value of FORETELL_TOKEN
//   - a new token, from a log-in with the password in the environment
//   - the stored token, unless it has expired
//   - a new token, from a log-in with the stored password
func (s *TokenSource) Token(ctx context.Context) (string, error) {
	if token := s.env(config.EnvToken); token != "" {
		if strings.ContainsFunc(token, unicode.IsControl) { // an HTTP header cannot hold it
			return "", exit.Usagef("%s contains a control character, such as a line break", config.EnvToken).
				WithHint("set %s to the token alone; if the token comes from a file with Windows line breaks, remove the carriage return at its end", config.EnvToken)
		}
		return token, nil
	}
	return s.findOrRequestToken(ctx, false)
}

// CanRenew reports whether Renew may return another token. A token from the environment can be
// renewed only with the password in the environment, because the stored credential may belong to
// another account.
func (s *TokenSource) CanRenew() bool {
	if s.env(config.EnvToken) == "" {
		return true
	}
	password, err := ReadPassword(s.env)
	return err == nil && password != "" && s.Username != ""
}

// endTimeout is how long EndOpenedSession waits for the service.
const endTimeout = 3 * time.Second

// EndOpenedSession ends the session that was opened with the password in the environment, if there
// is one. No other command can use it, and the number of sessions of an account is limited. Jobs
// continue without it. opts are the options of the client.
func (s *TokenSource) EndOpenedSession(ctx context.Context, opts client.Options) error {
	if s.opened == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	opts.Token, s.opened = s.opened, ""
	c, err := client.New(opts)
	if err == nil {
		_, err = client.Call(ctx, c, api.LogOut, &api.None{})
	}
	return err
}

// Renew returns another token after the service has rejected the previous token. It returns the
// first of these tokens that is available, and an error if none is available:
//
//   - a new token, from a log-in with the password in the environment
//   - the stored token, if `foretell login` has replaced it
//   - a new token, from a log-in with the stored password
func (s *TokenSource) Renew(ctx context.Context) (string, error) {
	return s.findOrRequestToken(ctx, true)
}

// findOrRequestToken returns the first token that is available, in the order of
// [TokenSource.Token] but without FORETELL_TOKEN. If rejected is true, the service has rejected
// the token that was returned last, so it is not returned again.
func (s *TokenSource) findOrRequestToken(ctx context.Context, rejected bool) (string, error) {
	password, err := ReadPassword(s.env)
	if err != nil {
		return "", err
	}
	if password != "" && s.Username != "" {
		kept, err := s.LogIn(ctx, password, "")
		if err == nil {
			s.opened = kept.Token // an earlier opened session need not be ended: its token was rejected
		}
		return kept.Token, addAuthenticatorHint(err)
	}
	kept, err := s.storedCredential()
	if err != nil {
		return "", err
	}
	if (!rejected || kept.Token != s.returned) && s.now().Before(kept.Expires) {
		s.returned = kept.Token
		return kept.Token, nil
	}
	if kept.Password == "" {
		return "", exit.Errorf(exit.SignIn, "the session at %s has expired", s.Server).WithHint("log in again with `foretell login`")
	}
	fresh, err := s.LogIn(ctx, kept.Password, "")
	if err != nil {
		return "", addAuthenticatorHint(err)
	}
	fresh.Password, s.returned = kept.Password, fresh.Token
	return fresh.Token, s.Store.Set(s.StoreKey(), fresh)
}

// storedCredential returns the credential that `foretell login` has stored. If none is stored, or
// if the keyring is unavailable, it returns an error with a hint for users.
func (s *TokenSource) storedCredential() (Credential, error) {
	c, err := s.Store.Get(s.StoreKey())
	switch {
	case errors.Is(err, errNoCredential) && s.Username == "" && s.env(config.EnvPassword)+s.env(config.EnvPasswordFile) != "":
		return c, exit.Errorf(exit.SignIn, "not logged in at %s: the environment contains a password, but no email address", s.Server).
			WithHint("set %s to the account's email address", config.EnvUsername)
	case errors.Is(err, errNoCredential):
		return c, exit.Errorf(exit.SignIn, "not logged in at %s", s.Server).WithHint("%s", s.loginHint())
	case errors.Is(err, errKeyringUnavailable):
		return c, exit.Errorf(exit.SignIn, "cannot read the credentials for %s: %w", s.Server, err).
			WithHint("start or unlock the keyring, set the variable %s, or log in with `foretell login --storage file`", config.EnvToken)
	}
	return c, err
}

// loginHint returns the hint for users who have not logged in. If the address of the service has a
// path, the user may have copied the address of a page of the dashboard. The hint then also shows
// the address without the path.
func (s *TokenSource) loginHint() string {
	hint := fmt.Sprintf("log in with `foretell login %s`, set %s, or use the embedded service with --local", s.Server, config.EnvToken)
	address, err := url.Parse(s.Server)
	if err != nil || address.Path == "" {
		return hint
	}
	origin := client.Origin(address)
	if _, err := s.Store.Get(s.storeKeyAt(origin)); err == nil {
		return "you are logged in at " + origin + ": use this address, without the path of a page"
	}
	return "if the address belongs to a page of the dashboard, use " + origin + " instead; otherwise " + hint
}

// addAuthenticatorHint adds the hint to run `foretell login`, which prompts for the code of an
// authenticator app, if err says that the account needs one. It returns any other error unchanged.
func addAuthenticatorHint(err error) error {
	if api.CodeFromError(err) != api.CodeAuthenticatorCode {
		return err
	}
	return exit.Errorf(exit.SignIn, "%w", err).
		WithHint("log in with `foretell login`, or give scripts an account without an authenticator app")
}

// LogIn logs in with a password and returns the token. code is the code of the account's
// authenticator app, or "". If the account has an app and code is "", the error code is
// api.CodeAuthenticatorCode.
func (s *TokenSource) LogIn(ctx context.Context, password, code string) (Credential, error) {
	session, err := client.Call(ctx, s.Client, api.LogIn, &api.LogInInput{
		Body: api.Credentials{Username: s.Username, Password: password, AuthenticatorCode: code},
	})
	if err != nil {
		if refusal := api.CodeFromError(err); refusal == api.CodeUnauthorized || refusal == api.CodeBadCredentials {
			e := exit.FromError(ctx, err)
			e.Fact = s.Server + " refused " + s.Username + ": " + e.Fact
			hint := "check the email address and the password"
			if code != "" {
				hint = "check the email address, the password and the clock of the authenticator app"
			}
			return Credential{}, e.WithHint("%s", hint)
		}
		return Credential{}, err
	}
	lifetime := time.Duration(session.ExpiresIn) * time.Second
	if lifetime <= 0 {
		lifetime = api.TokenLifetime * time.Second
	}
	return Credential{Token: session.AccessToken, Expires: s.now().Add(lifetime)}, nil
}

// ReadPassword returns the value of FORETELL_PASSWORD or, if it is empty, the content of the file
// that FORETELL_PASSWORD_FILE names. It returns "" if neither is set.
func ReadPassword(env config.Getenv) (string, error) {
	if password := env(config.EnvPassword); password != "" {
		return password, nil
	}
	path := env(config.EnvPasswordFile)
	if path == "" {
		return "", nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", exit.Errorf(exit.SignIn, "%s: %w", config.EnvPasswordFile, err).
			WithHint("set the variable to the path of a file that contains the password, or set %s to the password", config.EnvPassword)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

// ReadSecret returns the first line of r, the standard input. An empty line is a usage error.
func ReadSecret(ctx context.Context, r io.Reader) (string, error) {
	line, err := term.Interruptible(ctx, func() (string, error) { return bufio.NewReader(r).ReadString('\n') })
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", exit.Usagef("standard input is empty").WithHint("pipe the secret in, as in `pass show foretell | foretell login --password-stdin`")
	}
	return line, nil
}

// TokenOrigin returns where the token is from: the name of an environment variable, such as
// FORETELL_TOKEN, or otherwise the value of --storage, such as keyring.
func TokenOrigin(env config.Getenv, s *config.Settings) string {
	switch {
	case env(config.EnvToken) != "":
		return config.EnvToken
	case env(config.EnvPassword) != "" && s.GetString(config.KeyUsername) != "":
		return config.EnvPassword
	case env(config.EnvPasswordFile) != "" && s.GetString(config.KeyUsername) != "":
		return config.EnvPasswordFile
	}
	return s.GetString(config.KeyAuthStorage)
}
