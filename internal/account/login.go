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

// localAccountEmail is the email of the account that commands use when they run without a server.
// The account has no password.
const localAccountEmail = "local"

const (
	// From one network address, loginAddressBurst failed log-ins with one email are allowed at
	// once, and then one more every loginAddressInterval.
	loginAddressBurst    = 10
	loginAddressInterval = 6 * time.Second
	// From all network addresses together, loginEmailBurst failed log-ins with one email are
	// allowed at once, and then one more every loginEmailInterval. An address from which the
	// account has logged in before is exempt, so that an attacker elsewhere cannot lock the owner
	// out.
	loginEmailBurst    = 100
	loginEmailInterval = 10 * time.Second
)

// LogIn returns a token for an email, a password and, if the account has an authenticator app, a
// code of this app. Its error does not reveal whether the email is unknown, the password is wrong
// or the account is disabled.
func (a *Accounts) LogIn(ctx context.Context, in *api.LogInInput) (*api.Session, error) {
	leave, err := a.logins.enter(ctx, CallerFromContext(ctx).RemoteAddress)
	if err != nil {
		return nil, err
	}
	defer leave()
	return a.logIn(ctx, in)
}

// logIn is like LogIn, but does not wait for other log-ins from the same address.
func (a *Accounts) logIn(ctx context.Context, in *api.LogInInput) (*api.Session, error) {
	email := normalizeEmail(in.Body.Username)
	taken, err := a.allowLoginAttempts(ctx, email, a.loginAttemptFromAddress(ctx))
	if err != nil {
		return nil, err
	}
	var account *store.Account
	err = a.store.Read(ctx, func(t *store.Tx) (err error) {
		account, err = t.GetAccount(ctx, email)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && account.Email == localAccountEmail { // nobody can log in to this account, even if an earlier version has set a password
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
		return nil, a.recordRefusedLogIn(ctx, email, account.Email != "", err)
	}
	var consumeCode func(*store.Tx) error
	if account.SecondFactor.Secret != "" {
		if in.Body.AuthenticatorCode == "" {
			// The password is correct, so the attempt counts only for the address.
			if err := a.refundAttempts(ctx, taken[1:]); err != nil {
				return nil, err
			}
			a.recordOrLogError(ctx, auditEvent{actor: email, action: actionLogIn, detail: string(api.CodeAuthenticatorCode), outcome: outcomeRefused})
			return nil, api.NewProblem(api.CodeAuthenticatorCode, "this account needs the code of its authenticator app to log in")
		}
		consumeCode, err = a.checkCode(ctx, account, in.Body.AuthenticatorCode)
	}
	var session *api.Session
	if err == nil {
		session, err = a.openSessionAndEndOldest(ctx, account, consumeCode, taken...)
	}
	if api.CodeFromError(err) == api.CodeBadCredentials { // a wrong code
		a.recordOrLogError(ctx, auditEvent{actor: email, action: actionLogIn, outcome: outcomeRefused})
	}
	if errors.Is(err, errCredentialsChanged) {
		return nil, a.recordRefusedLogIn(ctx, email, true, err)
	}
	return session, err
}

// LooksLikeEmail reports whether name is an email address whose domain has a dot. If no account has
// the name of a failed log-in, the name may be recorded only if it looks like an email. Any other
// name, such as P@ssw0rd, may be a password that somebody typed into the wrong field.
func LooksLikeEmail(name string) bool {
	email := normalizeEmail(name)
	_, domain, _ := strings.Cut(email, "@")
	return checkEmail(email) == nil && strings.Contains(domain, ".")
}

// recordRefusedLogIn records a refused log-in in the audit log, and returns the problem for the
// client. isKnown reports whether an account has the email. A name that is not an email is not
// recorded, because it may be a password, or imitate a reserved actor such as operatorActor.
func (a *Accounts) recordRefusedLogIn(ctx context.Context, email string, isKnown bool, cause error) error {
	e := auditEvent{actor: email, action: actionLogIn, outcome: outcomeRefused}
	if !isKnown && !LooksLikeEmail(email) {
		e.actor = unknownActor
	}
	a.recordOrLogError(ctx, e)
	return api.NewProblem(api.CodeBadCredentials, "wrong email or password").WithCause(cause)
}

// LogOut ends the session of the caller.
func (a *Accounts) LogOut(ctx context.Context, _ *api.None) (*api.None, error) {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		err := t.DeleteSession(ctx, CallerFromContext(ctx).session)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // if not found, another request has ended the session
			return err
		}
		return a.RecordAuditEvent(ctx, t, "logout", "")
	})
	return &api.None{}, a.toProblem(err)
}

// OpenLocalSession opens a session of the account that commands use without a server, and returns
// its token. It creates the account if it is missing. The account has no password, so nobody can
// log in to it.
func (a *Accounts) OpenLocalSession(ctx context.Context) (api.Session, error) {
	var account *store.Account
	read := func(t *store.Tx) (err error) {
		account, err = t.GetAccount(ctx, localAccountEmail)
		return err
	}
	err := a.store.Read(ctx, read)
	if errors.Is(err, store.ErrNotFound) {
		err = a.store.Write(ctx, func(t *store.Tx) error {
			if err := a.insertAccount(ctx, t, &store.Account{Email: localAccountEmail}); err != nil {
				return err
			}
			return a.RecordAuditEvent(ctx, t, "account.create", localAccountEmail)
		})
		if err == nil || errors.Is(err, store.ErrExists) { // created by another process meanwhile
			err = a.store.Read(ctx, read)
		}
	}
	if err != nil {
		return api.Session{}, a.toProblem(err)
	}
	if account.Disabled {
		return api.Session{}, localDisabledProblem()
	}
	session, err := a.openSessionAndEndOldest(ctx, account, nil)
	if err != nil {
		return api.Session{}, err
	}
	return *session, nil
}

// OpenLocalReadSession is like [Accounts.OpenLocalSession], for a command that changes nothing: it
// writes neither an account nor a session to the store. The token is valid only in this process,
// and does not expire. If the account does not exist, the session cannot access the data of any
// account.
func (a *Accounts) OpenLocalReadSession(ctx context.Context) (api.Session, error) {
	account, err := a.findAccount(ctx, lookUpByEmail(localAccountEmail))
	switch {
	case api.CodeFromError(err) == api.CodeNotFound:
		account = &store.Account{}
	case err != nil:
		return api.Session{}, err
	case account.Disabled:
		return api.Session{}, localDisabledProblem()
	}
	token, err := auth.NewToken(a.rand)
	if err != nil {
		return api.Session{}, err
	}
	a.localReadSession.Store(&localReadSession{hash: auth.HashToken(token), account: account.Key})
	return api.Session{AccessToken: token, TokenType: "Bearer", ExpiresIn: api.TokenLifetime, Username: localAccountEmail}, nil
}

// localDisabledProblem returns the problem of a command without a server if its account is
// disabled. Only an earlier version of this program could disable the account.
func localDisabledProblem() *api.Problem {
	return api.NewProblem(api.CodeWrongState, "the account %[1]s, which commands use when they run without a server, is disabled: enable it with `foretell users enable %[1]s`", localAccountEmail)
}

// localReadSession is the session of [Accounts.OpenLocalReadSession].
type localReadSession struct {
	hash    string // hash of the token
	account string // key of the account; "" if it does not exist
}
