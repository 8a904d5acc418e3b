package account

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

const (
	// oneTimeLinkLifetime is how long a one-time link is valid.
	oneTimeLinkLifetime = 24 * time.Hour
	// passwordPath is the path of the page that a one-time link opens. The query parameter
	// `code` has the code of the link.
	passwordPath = "/password"
)

// OneTimeLink is a one-time link to set a password.
type OneTimeLink struct {
	// Email is the email of the account. It is empty if the link creates the first
	// administrator.
	Email string
	// CreatesFirstAdministrator is true if the link creates the first administrator.
	CreatesFirstAdministrator bool

	account string // key of the account
	hash    string // hash of the code, which identifies the link
}

// GetOneTimeLink returns the one-time link with this code, without using it up. If the code is
// unknown, was used or has expired, it returns a *api.Problem with CodeForbidden.
func (a *Accounts) GetOneTimeLink(ctx context.Context, code string) (*OneTimeLink, error) {
	var link OneTimeLink
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		link.hash, err = tryTokenHashes(code, func(hash string) (err error) {
			link.account, err = t.GetOneTimeLinkAccount(ctx, hash, a.now())
			return err
		})
		if err != nil {
			return err
		}
		if link.account == "" {
			link.CreatesFirstAdministrator = true
			return nil
		}
		account, err := t.GetAccountByKey(ctx, link.account)
		if err != nil {
			return err
		}
		link.Email = account.Email
		return nil
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, invalidLinkProblem().WithCause(err)
	}
	return &link, a.toProblem(err)
}

func invalidLinkProblem() *api.Problem {
	return api.NewProblem(api.CodeForbidden, "the one-time link is invalid, was used or has expired: ask an administrator for a new one. If there is no administrator yet, restart the service, which then prints a link")
}

// NewFirstAdministratorLink returns the URL of a new one-time link that creates the first
// administrator. The URL begins with serviceURL. If there is an administrator,
// NewFirstAdministratorLink returns "". The links that other processes have returned remain valid
// until an administrator exists.
func (a *Accounts) NewFirstAdministratorLink(ctx context.Context, serviceURL string) (link string, err error) {
	err = a.store.Write(ctx, func(t *store.Tx) error {
		link = ""
		if exists, err := hasAdministrator(ctx, t); err != nil || exists {
			return err
		}
		code, err := auth.NewToken(a.rand)
		if err != nil {
			return err
		}
		if err := t.DeleteExpiredFirstAdministratorLinks(ctx, a.now()); err != nil {
			return err
		}
		link = oneTimeLinkURL(serviceURL, code)
		return t.InsertFirstAdministratorLink(ctx, auth.HashToken(code), a.now().Add(oneTimeLinkLifetime))
	})
	return link, a.toProblem(err)
}

// HasAdministrator reports whether there is an administrator, even one who has not set a password
// yet.
func (a *Accounts) HasAdministrator(ctx context.Context) (exists bool, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		exists, err = hasAdministrator(ctx, t)
		return err
	})
	return exists, a.toProblem(err)
}

func hasAdministrator(ctx context.Context, t *store.Tx) (bool, error) {
	n, err := t.CountEnabledAccounts(ctx, api.RoleAdministrator, localAccountEmail)
	return n > 0, err
}

// replaceOneTimeLink replaces the one-time links of an account by a new link, and returns
// the code of the new link. The link expires at the given time.
func (a *Accounts) replaceOneTimeLink(ctx context.Context, t *store.Tx, account string, expires time.Time) (code string, err error) {
	if code, err = auth.NewToken(a.rand); err != nil {
		return "", err
	}
	return code, t.ReplaceOneTimeLink(ctx, auth.HashToken(code), account, expires)
}

// oneTimeLinkURL returns the URL of the page where the owner of a one-time link sets the password.
// serviceURL is the URL of the service, and code the code of the link.
func oneTimeLinkURL(serviceURL, code string) string {
	return strings.TrimSuffix(serviceURL, "/") + passwordPath + "?code=" + url.QueryEscape(code)
}

// inviteOwner invites the owner of an account to set a password. If the service sends emails, it
// queues an email of kind mailKind with a one-time link. Otherwise the returned invitation has the
// link.
func (a *Accounts) inviteOwner(ctx context.Context, t *store.Tx, account *store.Account, mailKind string) (*api.Invitation, error) {
	out := &api.Invitation{AccountKey: account.Key, Email: account.Email}
	sends, errMail := a.anyProcessSendsMail(ctx, t)
	base, errURL := serviceURL(ctx, t)
	if err := errors.Join(errMail, errURL); err != nil {
		return nil, err
	}
	if sends {
		// A queued email with an earlier link would, when it is sent, invalidate the link of this
		// invitation.
		if err := t.DeleteQueuedMail(ctx, account.Key, linkMails...); err != nil {
			return nil, err
		}
		return out, a.queueMail(ctx, t, account, mailKind, a.now())
	}
	expires := a.now().Add(oneTimeLinkLifetime)
	code, err := a.replaceOneTimeLink(ctx, t, account.Key, expires)
	out.Link = oneTimeLinkURL(cmp.Or(CallerFromContext(ctx).BaseURL, base), code)
	out.ExpiresOn = api.FormatTime(expires)
	return out, err
}
