package account

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

const (
	// linkLifetime is how long a one-time link is valid.
	linkLifetime = 24 * time.Hour
	// PasswordPath is the path of the page that a one-time link opens. The query parameter
	// `code` has the code of the link.
	PasswordPath = "/password"
)

// The names of the settings that all processes on a store share.
const (
	settingURL  = "service-url"
	settingMail = "mail" // "on" or "off"
	// settingQuota is the quota of new accounts, as JSON. It is empty if none exists.
	settingQuota = "default-quota"
)

// defaultURL is the beginning of links if no service has called StoreServiceSettings yet.
const defaultURL = "http://127.0.0.1:8080"

// StoreServiceSettings stores settings that commands on the data folder need to create users: the
// URL of this service, whether this process sends mails, and the quota of new accounts.
func (a *Accounts) StoreServiceSettings(ctx context.Context, serviceURL string) error {
	quota, err := json.Marshal(a.options.DefaultQuota)
	if err != nil {
		return err
	}
	return a.toProblem(a.store.Write(ctx, func(t *store.Tx) error {
		mail := map[bool]string{true: "on", false: "off"}[a.sendsMail()]
		return errors.Join(t.SetSetting(ctx, settingURL, strings.TrimSuffix(serviceURL, "/")), t.SetSetting(ctx, settingMail, mail),
			t.SetSetting(ctx, settingQuota, string(quota)))
	}))
}

// defaultQuota returns the quota of new accounts, as announced by the service that was started
// last.
func defaultQuota(ctx context.Context, t *store.Tx) (store.Quota, error) {
	var quota api.Quota
	text, err := t.GetSetting(ctx, settingQuota)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &quota)
	}
	return store.Quota(quota), err
}

// sendsMail reports whether this process sends mails.
func (a *Accounts) sendsMail() bool { return a.options.Mailer != nil }

// anyProcessSendsMail reports whether this process, or the service that was started last, sends
// mails.
func (a *Accounts) anyProcessSendsMail(ctx context.Context, t *store.Tx) (bool, error) {
	if a.sendsMail() {
		return true, nil
	}
	mail, err := t.GetSetting(ctx, settingMail)
	return mail == "on", err
}

// Link is a one-time link to set a password.
type Link struct {
	// Email is the e-mail of the account. It is empty if the link creates the first
	// administrator.
	Email string
	// First reports whether the link creates the first administrator.
	First bool

	account string // key
	hash    string // of the code, which identifies the link
}

// GetLink returns the one-time link with this code, which remains valid. If the code is unknown,
// was used or has expired, it returns a *api.Problem with CodeForbidden.
func (a *Accounts) GetLink(ctx context.Context, code string) (*Link, error) {
	var link Link
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		link.hash, err = findHash(code, func(hash string) (err error) {
			link.account, err = t.GetLinkAccount(ctx, hash, a.now())
			return err
		})
		if err != nil {
			return err
		}
		if link.account == "" {
			link.First = true
			return nil
		}
		account, err := t.GetAccountByKey(ctx, link.account)
		link.Email = account.Email
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, invalidLinkProblem().WithCause(err)
	}
	return &link, a.toProblem(err)
}

func invalidLinkProblem() *api.Problem {
	return api.NewProblem(api.CodeForbidden, "the one-time link is invalid, was used or has expired: ask an administrator for a new one. If there is no administrator yet, restart the service, which then prints a link")
}

// NewFirstAdministratorLink returns the URL of a one-time link that creates the first administrator, and
// invalidates earlier links of this kind. It returns "" if there is an administrator.
func (a *Accounts) NewFirstAdministratorLink(ctx context.Context, serviceURL string) (link string, err error) {
	err = a.store.Write(ctx, func(t *store.Tx) error {
		link = ""
		if exists, err := hasAdministrator(ctx, t); err != nil || exists {
			return err
		}
		code, err := a.replaceLink(ctx, t, "", a.now().Add(linkLifetime))
		link = linkURL(serviceURL, code)
		return err
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
	n, err := t.CountEnabledAccounts(ctx, api.RoleAdministrator)
	return n > 0, err
}

// replaceLink creates a one-time link for an account and returns the code of the link. The link
// expires at the given time.
func (a *Accounts) replaceLink(ctx context.Context, t *store.Tx, account string, expires time.Time) (code string, err error) {
	if code, err = auth.NewToken(a.rand); err != nil {
		return "", err
	}
	return code, t.ReplaceLink(ctx, auth.HashToken(code), account, expires)
}

// linkURL returns the URL of a one-time link.
func linkURL(serviceURL, code string) string {
	return strings.TrimSuffix(serviceURL, "/") + PasswordPath + "?code=" + url.QueryEscape(code)
}

// invite invites the owner of an account to set a password. If the service sends mails, invite
// queues a mail of kind mailKind with a one-time link. Otherwise the returned invitation has the
// link.
func (a *Accounts) invite(ctx context.Context, t *store.Tx, account *store.Account, mailKind string) (*api.Invitation, error) {
	out := &api.Invitation{AccountKey: account.Key, Email: account.Email}
	sends, errMail := a.anyProcessSendsMail(ctx, t)
	serviceURL, errURL := t.GetSetting(ctx, settingURL)
	if err := errors.Join(errMail, errURL); err != nil {
		return nil, err
	}
	if sends {
		return out, a.queueMail(ctx, t, account, mailKind, a.now())
	}
	expires := a.now().Add(linkLifetime)
	code, err := a.replaceLink(ctx, t, account.Key, expires)
	out.Link = linkURL(cmp.Or(CallerFromContext(ctx).BaseURL, serviceURL, defaultURL), code)
	out.ExpiresOn = api.FormatTime(expires)
	return out, err
}
