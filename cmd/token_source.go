package cmd

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
)

// tokenSource returns tokens for an account of a service, from the environment or from
// `foretell login`.
type tokenSource struct {
	host     *factory
	server   string
	username string
	storage  string
	store    credentialStore
	client   *client.Client // without a token: it only logs in
}

// newTokenSource returns the source for the account in the settings. opts are those of
// the client that will use the tokens.
func (f *factory) newTokenSource(s *settings, opts client.Options) (*tokenSource, error) {
	opts.Token, opts.Relogin = "", nil
	c, err := newClient(opts)
	if err != nil {
		return nil, err
	}
	v, err := f.credentialStore(s)
	if err != nil {
		return nil, err
	}
	return &tokenSource{
		host: f, server: c.BaseURL(), username: s.GetString(keyUsername),
		storage: s.GetString(keyStorage), store: v, client: c,
	}, nil
}

// entry returns the key of the account in the store.
func (s *tokenSource) entry() string { return s.username + " at " + s.server }

// token returns the first token: FORETELL_TOKEN, one for the password in the environment,
// or the stored one.
func (s *tokenSource) token(ctx context.Context) (string, error) {
	if token := s.host.env(envToken); token != "" {
		return token, nil
	}
	return s.accessToken(ctx, false)
}

// renew signs in again if a password is available.
func (s *tokenSource) renew(ctx context.Context) (string, error) { return s.accessToken(ctx, true) }

// accessToken signs in, or returns the stored token unless it has expired or was refused.
func (s *tokenSource) accessToken(ctx context.Context, refused bool) (string, error) {
	password, err := s.host.envPassword()
	if err != nil {
		return "", err
	}
	if password != "" && s.username != "" {
		kept, err := s.logIn(ctx, password)
		return kept.Token, err
	}
	kept, err := s.stored()
	if err != nil {
		return "", err
	}
	if !refused && s.host.now().Before(kept.Expires) {
		return kept.Token, nil
	}
	if kept.Password == "" {
		return "", exitErrorf(ExitSignIn, "the session at %s has expired", s.server).withHint("sign in again with `foretell login`")
	}
	fresh, err := s.logIn(ctx, kept.Password)
	if err != nil {
		return "", err
	}
	fresh.Password = kept.Password
	return fresh.Token, s.store.set(s.entry(), fresh)
}

// stored returns what `foretell login` has stored.
func (s *tokenSource) stored() (credential, error) {
	c, err := s.store.get(s.entry())
	switch {
	case errors.Is(err, errNoCredential) && s.username == "" && s.host.env(envPassword)+s.host.env(envPasswordFile) != "":
		return c, exitErrorf(ExitSignIn, "not signed in at %s: there is a password in the environment, but no account", s.server).
			withHint("set %s to the account's e-mail", envUsername)
	case errors.Is(err, errNoCredential):
		return c, exitErrorf(ExitSignIn, "not signed in at %s", s.server).
			withHint("sign in with `foretell login %s`, set %s, or work here with --local", s.server, envToken)
	case errors.Is(err, errKeyring):
		return c, exitErrorf(ExitSignIn, "cannot read the credentials for %s: %w", s.server, err).
			withHint("unlock the keyring, set %s, or sign in with `foretell login --storage file`", envToken)
	}
	return c, err
}

// logIn requests a token for the password.
func (s *tokenSource) logIn(ctx context.Context, password string) (credential, error) {
	session, err := client.Call(ctx, s.client, api.LogIn, &api.LogInInput{
		Body: api.Credentials{Username: s.username, Password: password},
	})
	if err != nil {
		if code := api.CodeOf(err); code == api.CodeUnauthorized || code == api.CodeBadCredentials {
			e := asCLIError(ctx, err)
			e.fact = s.server + " refused " + s.username + ": " + e.fact
			return credential{}, e.withHint("check the e-mail and the password")
		}
		return credential{}, err
	}
	lifetime := time.Duration(session.ExpiresIn) * time.Second
	if lifetime <= 0 {
		lifetime = api.TokenLifetime * time.Second
	}
	return credential{Token: session.AccessToken, Expires: s.host.now().Add(lifetime)}, nil
}

// envPassword returns the password in the environment; "" if there is none.
func (f *factory) envPassword() (string, error) {
	if password := f.env(envPassword); password != "" {
		return password, nil
	}
	path := f.env(envPasswordFile)
	if path == "" {
		return "", nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", exitErrorf(ExitSignIn, "%s: %w", envPasswordFile, err).
			withHint("name a file that holds the password, or set %s", envPassword)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}
