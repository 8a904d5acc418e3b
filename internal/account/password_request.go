package account

import (
	"context"
	"errors"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

const (
	// From one network address, passwordRequestBurst new passwords can be requested at once, and
	// then one more every passwordRequestInterval.
	passwordRequestBurst    = 5
	passwordRequestInterval = time.Minute
	// An account gets at most passwordRequestMailBurst emails at once, and then one more every
	// passwordRequestMailInterval. Further requests are ignored.
	passwordRequestMailBurst    = 3
	passwordRequestMailInterval = 20 * time.Minute
)

// SendsMail reports whether any process of the service sends emails.
func (a *Accounts) SendsMail(ctx context.Context) (sends bool, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		sends, err = a.anyProcessSendsMail(ctx, t)
		return err
	})
	return sends, a.toProblem(err)
}

// RequestPassword sends the owner of an account an email with a one-time link to set a new
// password. The old password stays valid until the link is used. Neither the response nor its time
// reveals whether there is such an account. If no process sends emails, RequestPassword returns a
// *api.Problem with CodeWrongState.
func (a *Accounts) RequestPassword(ctx context.Context, in *api.RequestPasswordInput) (*api.None, error) {
	email := normalizeEmail(in.Body.Email)
	if err := checkEmail(email); err != nil {
		return nil, err
	}
	limited, err := a.allowAttempts(ctx,
		store.Attempt{Limit: passwordRequestLimit, Key: CallerFromContext(ctx).RemoteAddress},
		store.Attempt{Limit: passwordRequestMailLimit, Key: email})
	if err != nil {
		return nil, err
	}
	if limited != nil && limited.Index == 0 {
		return nil, api.NewTooManyProblem(limited.Wait, "too many requests for a new password from this address")
	}
	mayMail := limited == nil
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if sends, err := a.anyProcessSendsMail(ctx, t); err != nil {
			return err
		} else if !sends {
			return api.NewProblem(api.CodeWrongState, "this service sends no emails: ask an administrator for a link to set a new password")
		}
		account, err := t.GetAccount(ctx, email)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		outcome := outcomeDone
		if err != nil || !mayMail || account.Disabled || account.Email == localAccountEmail {
			// Without an account, execute the same statements, so that the time of the response
			// does not reveal that the account does not exist.
			outcome, account = outcomeRefused, &store.Account{}
		}
		if err := a.queueMail(ctx, t, account, mailForgotten, a.now()); err != nil {
			return err
		}
		return a.insertAuditEvent(ctx, t, auditEvent{actor: email, action: "password.request", outcome: outcome})
	})
	return &api.None{}, a.toProblem(err)
}
