package account

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// The actions of authenticator apps in the audit log.
const (
	actionAddSecondFactor    = "second-factor.add"
	actionRemoveSecondFactor = "second-factor.remove"
)

const (
	// For one account, authenticatorCodeBurst wrong codes are allowed at once, and then one more
	// every authenticatorCodeInterval, from all addresses together. This is at most 149 codes a day
	// (5 + 144). At any time, three of a million codes are valid. Someone who knows the password
	// therefore guesses a valid code within a day with a probability of 0.00045.
	authenticatorCodeBurst    = 5
	authenticatorCodeInterval = 10 * time.Minute
	// unconfirmedLifetime is how long a new authenticator app can be confirmed. The page that shows
	// the secret says this, too.
	unconfirmedLifetime = 15 * time.Minute
)

// AddSecondFactor returns a new secret for an authenticator app of the caller. Log-ins need no
// code until ConfirmSecondFactor has succeeded.
func (a *Accounts) AddSecondFactor(ctx context.Context, in *api.AddSecondFactorInput) (*api.SecondFactor, error) {
	account, err := a.verifyCallerPassword(ctx, in.Body.CurrentPassword, actionAddSecondFactor)
	if err != nil {
		return nil, err
	}
	if account.SecondFactor.Secret != "" {
		return nil, api.NewProblem(api.CodeWrongState, "the account has an authenticator app: remove it first")
	}
	secret, err := auth.NewTOTP(a.rand)
	if err != nil {
		return nil, err
	}
	changed := account.SecondFactor
	changed.Unconfirmed = fmt.Sprintf("%d:%s", a.now().Add(unconfirmedLifetime).Unix(), secret)
	err = a.store.Write(ctx, func(t *store.Tx) error {
		return t.UpdateSecondFactor(ctx, account.Key, account.SecondFactor, changed)
	})
	if err != nil {
		return nil, a.secondFactorProblem(err)
	}
	return &api.SecondFactor{Secret: string(secret), URL: secret.URL(a.totpIssuer(ctx), account.Email)}, nil
}

// totpIssuer returns the name of the service that authenticator apps show: the host of its URL,
// without the port. It returns "Foretell" if the host is unknown or an IPv6 address. An otpauth URL
// does not allow the colons of such an address.
func (a *Accounts) totpIssuer(ctx context.Context) string {
	u, err := url.Parse(CallerFromContext(ctx).BaseURL)
	if err != nil || u.Hostname() == "" || strings.Contains(u.Hostname(), ":") {
		return "Foretell"
	}
	return u.Hostname()
}

// unconfirmedSecret returns the secret of the authenticator app that the caller has added and not yet
// confirmed. It returns "" if no app waits for its confirmation, or if unconfirmedLifetime has passed.
func (a *Accounts) unconfirmedSecret(f store.SecondFactor) auth.TOTP {
	end, secret, _ := strings.Cut(f.Unconfirmed, ":")
	if seconds, err := strconv.ParseInt(end, 10, 64); err != nil || a.now().Unix() >= seconds {
		return ""
	}
	return auth.TOTP(secret)
}

// ConfirmSecondFactor activates the authenticator app that has the secret of
// [Accounts.AddSecondFactor]. A log-in then needs a code of the app. It ends the other sessions of
// the caller. Attempts are limited, because a thief of the token, who does not know the secret, could
// otherwise guess a code and so lock the owner out.
func (a *Accounts) ConfirmSecondFactor(ctx context.Context, in *api.ConfirmSecondFactorInput) (*api.None, error) {
	account, err := a.findAccount(ctx, lookUpByKey(CallerFromContext(ctx).Account))
	if err != nil {
		return nil, err
	}
	secret := a.unconfirmedSecret(account.SecondFactor)
	if secret == "" {
		return nil, api.NewProblem(api.CodeWrongState, "the account has no authenticator app to confirm, or it was added more than %d minutes ago: add one first", int(unconfirmedLifetime.Minutes()))
	}
	step, attempt, err := a.verifyCode(ctx, account, secret, in.Body.AuthenticatorCode)
	if api.CodeFromError(err) == api.CodeBadCredentials {
		a.RecordRefusal(ctx, actionAddSecondFactor, "")
		return nil, wrongCodeProblem(api.CodeForbidden)
	}
	if err != nil {
		return nil, err
	}
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if err := t.RefundAttempts(ctx, attempt); err != nil {
			return err
		}
		err := t.UpdateSecondFactor(ctx, account.Key, account.SecondFactor, store.SecondFactor{Secret: string(secret), Step: step})
		if err != nil {
			return err
		}
		if err := a.RecordAuditEvent(ctx, t, actionAddSecondFactor, ""); err != nil {
			return err
		}
		return a.deleteOtherSessions(ctx, t, false) // the caller has just entered the password and a code
	})
	if err != nil {
		return nil, a.secondFactorProblem(err)
	}
	return &api.None{}, nil
}

// RemoveSecondFactor removes the authenticator app of the caller.
func (a *Accounts) RemoveSecondFactor(ctx context.Context, in *api.RemoveSecondFactorInput) (*api.None, error) {
	account, err := a.verifyCallerPassword(ctx, in.Body.CurrentPassword, actionRemoveSecondFactor)
	if err != nil {
		return nil, err
	}
	if account.SecondFactor.Secret == "" {
		return nil, noSecondFactorProblem(account.Email)
	}
	consume, err := a.checkCode(ctx, account, in.Body.AuthenticatorCode)
	if err == nil {
		err = a.toProblem(a.store.Write(ctx, consume))
	}
	if api.CodeFromError(err) == api.CodeBadCredentials {
		a.recordOrLogError(ctx, auditEvent{action: actionRemoveSecondFactor, outcome: outcomeRefused})
		return nil, wrongCodeProblem(api.CodeForbidden) // not 401, which would mean that the session has ended
	}
	if err != nil {
		return nil, err
	}
	_, err = a.updateAndRecord(ctx, lookUpByKey(account.Key), actionRemoveSecondFactor, removeSecondFactor(ctx))
	return &api.None{}, err
}

// RemoveSecondFactorOf removes the authenticator app of an account whose owner has lost it,
// and ends the sessions of the account.
func (a *Accounts) RemoveSecondFactorOf(ctx context.Context, in *api.AccountInput) (*api.Account, error) {
	return a.updateAndRecord(ctx, exceptLocal(lookUpByKey(in.AccountKey)), actionRemoveSecondFactor, func(t *store.Tx, account *store.Account) error {
		if err := removeSecondFactor(ctx)(t, account); err != nil {
			return err
		}
		return t.DeleteSessionsAndOneTimeLinks(ctx, account.Key)
	})
}

// removeSecondFactor returns a function for [Accounts.updateAndRecord] that removes the
// authenticator app of an account.
func removeSecondFactor(ctx context.Context) func(*store.Tx, *store.Account) error {
	return func(t *store.Tx, account *store.Account) error {
		f := account.SecondFactor
		if f.Secret == "" {
			return noSecondFactorProblem(account.Email)
		}
		return t.UpdateSecondFactor(ctx, account.Key, f, store.SecondFactor{Step: f.Step})
	}
}

// checkCode checks a code of the authenticator app of an account. The transaction in which the code is
// used must call the result consume. checkCode returns the errors of verifyCode. If another request has
// used the code or removed the app meanwhile, consume returns a *api.Problem with CodeBadCredentials.
func (a *Accounts) checkCode(ctx context.Context, account *store.Account, code string) (consume func(*store.Tx) error, err error) {
	used := account.SecondFactor
	step, attempt, err := a.verifyCode(ctx, account, auth.TOTP(used.Secret), code)
	if err != nil {
		return nil, err
	}
	used.Step = step
	return func(t *store.Tx) error {
		if err := t.RefundAttempts(ctx, attempt); err != nil {
			return err
		}
		err := t.UpdateSecondFactor(ctx, account.Key, account.SecondFactor, used)
		if errors.Is(err, store.ErrWrongState) {
			return wrongCodeProblem(api.CodeBadCredentials)
		}
		return err
	}, nil
}

// verifyCode counts an attempt to enter a code of an account, and returns the time step of the code.
// The transaction in which the code is used must refund the attempt, because a correct code does not
// count. verifyCode returns a *api.Problem with CodeBadCredentials if the code is wrong or was used
// before, and with CodeTooMany if there were too many wrong codes.
func (a *Accounts) verifyCode(ctx context.Context, account *store.Account, secret auth.TOTP, code string) (step int64, attempt store.Attempt, err error) {
	attempt = store.Attempt{Limit: authenticatorCodeLimit, Key: account.Key}
	if refused, err := a.allowAttempts(ctx, attempt); err != nil {
		return 0, attempt, err
	} else if refused != nil {
		return 0, attempt, api.NewTooManyProblem(refused.Wait, "too many wrong codes of the authenticator app")
	}
	step, ok, err := secret.Verify(code, a.now(), account.SecondFactor.Step)
	if err == nil && !ok {
		err = wrongCodeProblem(api.CodeBadCredentials)
	}
	return step, attempt, err
}

// secondFactorProblem converts an error of the store, after a change of an authenticator app, to a
// problem. For store.ErrWrongState, the problem says that another request has changed the app.
func (a *Accounts) secondFactorProblem(err error) error {
	if errors.Is(err, store.ErrWrongState) {
		return api.NewProblem(api.CodeWrongState, "another request has changed the authenticator app: try again").WithCause(err)
	}
	return a.toProblem(err)
}

func wrongCodeProblem(code api.Code) *api.Problem {
	const message = "is wrong or was used before: wait for the next one"
	p := api.NewProblem(code, "the code of the authenticator app %s", message)
	p.Errors = []api.FieldError{{Field: "authenticatorCode", Message: message}}
	return p
}

func noSecondFactorProblem(email string) *api.Problem {
	return api.NewProblem(api.CodeWrongState, "account %s has no authenticator app", email)
}
