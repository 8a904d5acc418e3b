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

// signer gets tokens for one account at one service: from the environment, or
// from where `foretell login` keeps them.
type signer struct {
	host     *host
	server   string
	username string
	storage  string
	vault    vault
	client   *client.Client // without a token: it only logs in
}

// newSigner finds out which account is meant. opts are those of the client that
// will use the tokens.
func (h *host) newSigner(s *settings, opts client.Options) (*signer, error) {
	opts.Token, opts.Relogin = "", nil
	c, err := newClient(opts)
	if err != nil {
		return nil, err
	}
	v, err := h.vault(s)
	if err != nil {
		return nil, err
	}
	return &signer{
		host: h, server: c.BaseURL(), username: s.GetString(keyUsername),
		storage: s.GetString(keyStorage), vault: v, client: c,
	}, nil
}

// entry names the account at the service in a vault.
func (s *signer) entry() string { return s.username + " at " + s.server }

// token gives the token to begin with: FORETELL_TOKEN, a log-in with the
// environment's password, or what is kept.
func (s *signer) token(ctx context.Context) (string, error) {
	if token := s.host.env(envToken); token != "" {
		return token, nil
	}
	return s.session(ctx, false)
}

// again logs in once more where the password is at hand.
func (s *signer) again(ctx context.Context) (string, error) { return s.session(ctx, true) }

// session gives the token of a log-in, or the one that is kept unless it has
// expired or was refused.
func (s *signer) session(ctx context.Context, refused bool) (string, error) {
	password, err := s.host.envPassword()
	if err != nil {
		return "", err
	}
	if password != "" && s.username != "" {
		kept, err := s.logIn(ctx, password)
		return kept.Token, err
	}
	kept, err := s.kept()
	if err != nil {
		return "", err
	}
	if !refused && s.host.now().Before(kept.Expires) {
		return kept.Token, nil
	}
	if kept.Password == "" {
		return "", fail(ExitSignIn, "the session at %s has expired", s.server).advise("sign in again with `foretell login`")
	}
	fresh, err := s.logIn(ctx, kept.Password)
	if err != nil {
		return "", err
	}
	fresh.Password = kept.Password
	return fresh.Token, s.vault.set(s.entry(), fresh)
}

// kept reads what `foretell login` kept.
func (s *signer) kept() (credential, error) {
	c, err := s.vault.get(s.entry())
	switch {
	case errors.Is(err, errNoCredential) && s.username == "" && s.host.env(envPassword)+s.host.env(envPasswordFile) != "":
		return c, fail(ExitSignIn, "not signed in at %s: there is a password in the environment, but no account", s.server).
			advise("set %s to the account's e-mail", envUsername)
	case errors.Is(err, errNoCredential):
		return c, fail(ExitSignIn, "not signed in at %s", s.server).
			advise("sign in with `foretell login %s`, set %s, or work here with --local", s.server, envToken)
	case errors.Is(err, errKeyring):
		return c, fail(ExitSignIn, "the credentials for %s cannot be read: %w", s.server, err).
			advise("unlock the keyring, set %s, or sign in with `foretell login --storage file`", envToken)
	}
	return c, err
}

// logIn exchanges the password for a token.
func (s *signer) logIn(ctx context.Context, password string) (credential, error) {
	session, err := client.Call(ctx, s.client, api.LogIn, &api.LogInInput{
		Body: api.Credentials{Username: s.username, Password: password},
	})
	if err != nil {
		if code := api.CodeOf(err); code == api.CodeUnauthorized || code == api.CodeBadCredentials {
			f := explain(ctx, err)
			f.fact = s.server + " refused " + s.username + ": " + f.fact
			return credential{}, f.advise("check the e-mail and the password")
		}
		return credential{}, err
	}
	lifetime := time.Duration(session.ExpiresIn) * time.Second
	if lifetime <= 0 {
		lifetime = api.TokenLifetime * time.Second
	}
	return credential{Token: session.AccessToken, Expires: s.host.now().Add(lifetime)}, nil
}

// envPassword is the password that the environment gives, or nothing.
func (h *host) envPassword() (string, error) {
	if password := h.env(envPassword); password != "" {
		return password, nil
	}
	path := h.env(envPasswordFile)
	if path == "" {
		return "", nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fail(ExitSignIn, "%s: %w", envPasswordFile, err).
			advise("name a file that holds the password, or set %s", envPassword)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}
