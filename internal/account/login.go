package account

import (
	"context"
	"errors"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// localEmail is the e-mail of the account of the embedded service. The account has
// no password.
const localEmail = "local"

const (
	// From one address an e-mail may be tried loginBurst times at once, and then
	// once each loginInterval. A successful login is refunded.
	loginBurst    = 10
	loginInterval = 6 * time.Second
	// From all addresses together it may be tried spreadBurst times, and then once
	// each spreadInterval. Addresses from which the account has logged in are not
	// subject to this limit: attempts from elsewhere must not lock its owner out.
	spreadBurst    = 100
	spreadInterval = 10 * time.Second
)

// LogIn returns a token for an e-mail and password. Its error does not reveal
// whether the e-mail is unknown, the password is wrong or the account is disabled.
func (a *Accounts) LogIn(ctx context.Context, in *api.LogInInput) (*api.Session, error) {
	email := normalizeEmail(in.Body.Username)
	refund, err := a.limitAttempt(ctx, email)
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
		return nil, a.problem(err)
	}
	err = a.passwords.Verify(ctx, account.PasswordHash, in.Body.Password)
	if err != nil && !errors.Is(err, auth.ErrWrongPassword) {
		return nil, err
	}
	if err != nil || account.Disabled {
		a.record(ctx, event{actor: email, action: actionLogIn, outcome: refused})
		return nil, api.NewProblem(api.CodeBadCredentials, "wrong e-mail or password").WithCause(err)
	}
	refund()
	return a.openSession(ctx, account)
}

// limitAttempt counts an attempt to use the password of an e-mail. It returns a
// *api.Problem with CodeTooMany if there were too many. refund is called after a
// successful attempt.
func (a *Accounts) limitAttempt(ctx context.Context, email string) (refund func(), err error) {
	address := CallerFromContext(ctx).RemoteAddress
	pair := email + "\n" + address
	if wait := a.logins.Take(pair); wait > 0 {
		return nil, tooMany("too many attempts to log in with this e-mail; try again later", wait)
	}
	wait := a.spread.Take(email)
	if wait == 0 {
		return func() { a.logins.Refund(pair); a.spread.Refund(email) }, nil
	}
	known := false
	err = a.store.Read(ctx, func(t *store.Tx) (err error) {
		known, err = t.HasLoggedIn(ctx, email, address)
		return err
	})
	if err != nil {
		return nil, a.problem(err)
	}
	if !known {
		return nil, tooMany("too many attempts to log in with this e-mail; try again later", wait)
	}
	return func() { a.logins.Refund(pair) }, nil
}

// tooMany returns the problem of a request that may be repeated after wait.
func tooMany(text string, wait time.Duration) *api.Problem {
	p := api.NewProblem(api.CodeTooMany, "%s", text)
	p.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return p
}

// LogOut ends the session of the caller.
func (a *Accounts) LogOut(ctx context.Context, _ *api.None) (*api.None, error) {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		if err := t.DeleteToken(ctx, CallerFromContext(ctx).session); err != nil {
			return err
		}
		return a.Record(ctx, t, "logout", "")
	})
	return &api.None{}, a.problem(err)
}

// LocalSession returns a token of the account of the embedded service. It creates
// the account if it is missing. Nobody can log in to that account.
func (a *Accounts) LocalSession(ctx context.Context) (api.Session, error) {
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
		return api.Session{}, a.problem(err)
	}
	session, err := a.openSession(ctx, account)
	if err != nil {
		return api.Session{}, err
	}
	return *session, nil
}

func (a *Accounts) openSession(ctx context.Context, account *store.Account) (*api.Session, error) {
	token, err := auth.NewToken(a.rand)
	if err != nil {
		return nil, err
	}
	now := a.now()
	expires := now.Add(api.TokenLifetime * time.Second)
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if err := t.InsertToken(ctx, account.Key, auth.HashToken(token), now, expires); err != nil {
			return err
		}
		return a.insertEvent(ctx, t, event{actor: account.Email, action: actionLogIn, outcome: done})
	})
	if err != nil {
		return nil, a.problem(err)
	}
	return &api.Session{AccessToken: token, TokenType: "Bearer", ExpiresIn: api.TokenLifetime, Username: account.Email}, nil
}
