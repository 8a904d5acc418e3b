package account

import (
	"context"
	"errors"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// localEmail is the e-mail of the account of the embedded service. The account has
// no password.
const localEmail = "local"

const (
	// From one address, addressBurst logins with one e-mail can fail in a row. After that, one can
	// be tried in each addressInterval.
	addressBurst    = 10
	addressInterval = 6 * time.Second
	// From all addresses together, emailBurst logins with one e-mail can fail in a row. After that,
	// one can be tried in each emailInterval. This limit does not apply to an address from which
	// the account has logged in before, so that attacks from other addresses do not lock the owner
	// out.
	emailBurst    = 100
	emailInterval = 10 * time.Second
)

// LogIn returns a token for an e-mail, a password and, if the account has an authenticator app, a
// code of this app. Its error does not reveal whether the e-mail is unknown, the password is wrong
// or the account is disabled.
func (a *Accounts) LogIn(ctx context.Context, in *api.LogInInput) (*api.Session, error) {
	email := normalizeEmail(in.Body.Username)
	taken, err := a.takeLoginAttempts(ctx, email, a.addressAttempt(ctx))
	if err != nil {
		return nil, err
	}
	var account *store.Account
	err = a.store.Read(ctx, func(t *store.Tx) (err error) {
		account, err = t.GetAccount(ctx, email)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		account, err = &store.Account{Disabled: true}, nil
	}
	if err != nil {
		return nil, a.toProblem(err)
	}
	err = a.passwords.Verify(ctx, account.PasswordHash, in.Body.Password)
	if err != nil && !errors.Is(err, auth.ErrWrongPassword) {
		return nil, err
	}
	if err != nil || account.Disabled {
		return nil, a.recordRefusedLogIn(ctx, email, err)
	}
	if account.SecondFactor.Secret != "" {
		if in.Body.AuthenticatorCode == "" {
			// The password is right. The attempt counts only for the address.
			if err := a.refund(ctx, taken[1:]); err != nil {
				return nil, err
			}
			return nil, api.NewProblem(api.CodeAuthenticatorCode, "this account needs the code of its authenticator app to log in")
		}
		err := a.consumeCode(ctx, account, in.Body.AuthenticatorCode)
		if api.CodeFromError(err) == api.CodeBadCredentials {
			a.record(ctx, event{actor: email, action: actionLogIn, outcome: refused})
		}
		if err != nil {
			return nil, err
		}
	}
	session, err := a.openSessionAndEndOldest(ctx, account, taken...)
	if errors.Is(err, errCredentialsChanged) {
		return nil, a.recordRefusedLogIn(ctx, email, err)
	}
	return session, err
}

// recordRefusedLogIn records that a login was refused, and returns the problem for the client. A name
// that is not an e-mail is recorded as the object, because as an actor it could be confused with
// those of events that no account caused.
func (a *Accounts) recordRefusedLogIn(ctx context.Context, email string, cause error) error {
	e := event{actor: email, action: actionLogIn, outcome: refused}
	if !strings.Contains(email, "@") {
		e.actor, e.object = unknownActor, email
	}
	a.record(ctx, e)
	return api.NewProblem(api.CodeBadCredentials, "wrong e-mail or password").WithCause(cause)
}

// tooManyAttemptsProblem returns a problem with CodeTooMany. Its header Retry-After is
// wait, rounded up to seconds.
func tooManyAttemptsProblem(text string, wait time.Duration) *api.Problem {
	p := api.NewProblem(api.CodeTooMany, "%s", text)
	p.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return p
}

// LogOut ends the session of the caller.
func (a *Accounts) LogOut(ctx context.Context, _ *api.None) (*api.None, error) {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		err := t.DeleteSession(ctx, CallerFromContext(ctx).session)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // if not found, another request has ended the session
			return err
		}
		return a.Record(ctx, t, "logout", "")
	})
	return &api.None{}, a.toProblem(err)
}

// OpenLocalSession returns a token of the account of the embedded service. It creates
// the account if it is missing. Nobody can log in to that account.
func (a *Accounts) OpenLocalSession(ctx context.Context) (api.Session, error) {
	var account *store.Account
	read := func(t *store.Tx) (err error) {
		account, err = t.GetAccount(ctx, localEmail)
		return err
	}
	err := a.store.Read(ctx, read)
	if errors.Is(err, store.ErrNotFound) {
		err = a.store.Write(ctx, func(t *store.Tx) error { return a.insert(ctx, t, &store.Account{Email: localEmail}) })
		if err == nil || errors.Is(err, store.ErrExists) { // created by another process meanwhile
			err = a.store.Read(ctx, read)
		}
	}
	if err != nil {
		return api.Session{}, a.toProblem(err)
	}
	session, err := a.openSessionAndEndOldest(ctx, account)
	if err != nil {
		return api.Session{}, err
	}
	return *session, nil
}
