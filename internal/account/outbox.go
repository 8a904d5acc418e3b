package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// Mailer sends a mail of plain text. It returns nil once a server has accepted it.
type Mailer interface {
	Send(ctx context.Context, to, subject, text string) error
}

// The kinds of mails.
const (
	mailApproved = "approved" // the first password
	mailReset    = "reset"    // a new password
)

const (
	// mailPoll is how often a process looks for mails to send.
	mailPoll = 2 * time.Second
	// mailLease is the time that a process has to send a mail. After that, another process
	// tries it.
	mailLease = 5 * time.Minute
	// A mail that was not accepted is tried again after minMailDelay. The delay doubles
	// after each attempt, up to maxMailDelay, until the mail is older than maxMailAge.
	minMailDelay = 10 * time.Second
	maxMailDelay = time.Hour
	maxMailAge   = 7 * 24 * time.Hour
)

// queueMail queues a mail to an account. t must be the transaction of the change for
// which the mail is sent.
func (a *Accounts) queueMail(ctx context.Context, t *store.Tx, account *store.Account, kind string) error {
	key, err := auth.NewKey(a.rand)
	if err != nil {
		return err
	}
	return t.InsertMail(ctx, &store.Mail{Key: key, Account: account.Key, Kind: kind, Due: a.now(), Created: a.now()})
}

// SendMails sends the queued mails until ctx is done. It returns at once if this
// process has no Mailer. Several processes may call it at the same time.
func (a *Accounts) SendMails(ctx context.Context) {
	if a.options.Mailer == nil {
		return
	}
	ticker := time.NewTicker(mailPoll)
	defer ticker.Stop()
	for ctx.Err() == nil {
		sent, err := a.sendNext(ctx)
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "sending mails", "error", err)
		}
		if sent {
			continue
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// sendNext sends the mail that has been due for the longest time. It returns false if
// no mail is due.
func (a *Accounts) sendNext(ctx context.Context) (bool, error) {
	var mail *store.Mail
	var account *store.Account
	var code string
	now := a.now()
	err := a.store.Write(ctx, func(t *store.Tx) (err error) {
		if mail, err = t.ClaimMail(ctx, now, now.Add(mailLease)); err != nil {
			return err
		}
		if account, err = t.GetAccountByKey(ctx, mail.Account); err != nil || account.Disabled {
			return err
		}
		// This link replaces the link of an earlier attempt, which may have been delivered
		// although it seemed to fail.
		code, err = a.insertLink(ctx, t, account.Key, now.Add(linkLifetime))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if account.Disabled {
		return true, a.store.Write(ctx, func(t *store.Tx) error { return t.DeleteMail(ctx, mail.Key) })
	}
	subject, text := a.mailText(mail.Kind, account, linkURL(a.options.PublicURL, code), now.Add(linkLifetime))
	failure := a.options.Mailer.Send(ctx, account.Email, subject, text)
	if failure != nil {
		a.log.WarnContext(ctx, "a mail was not accepted", "account", account.Email, "attempt", mail.Attempts, "error", failure)
	}
	return true, a.finishMail(context.WithoutCancel(ctx), mail, account, failure)
}

// finishMail removes a mail that was sent or is too old. Otherwise it schedules the
// next attempt. failure is the error of this attempt.
func (a *Accounts) finishMail(ctx context.Context, mail *store.Mail, account *store.Account, failure error) error {
	return a.store.Write(ctx, func(t *store.Tx) error {
		outcome := done
		if failure != nil {
			if a.now().Sub(mail.Created) < maxMailAge {
				delay := min(maxMailDelay, minMailDelay<<min(mail.Attempts-1, 20))
				return t.UpdateMailDue(ctx, mail.Key, a.now().Add(delay))
			}
			outcome = refused
		}
		if err := t.DeleteMail(ctx, mail.Key); err != nil {
			return err
		}
		return a.insertEvent(ctx, t, event{actor: serviceActor, action: "mail." + mail.Kind, object: account.Email, outcome: outcome})
	})
}

// mailText returns the subject and the text of a mail.
func (a *Accounts) mailText(kind string, account *store.Account, link string, expires time.Time) (subject, text string) {
	subject = "Your Foretell account"
	intro := "your account " + account.Email + " is ready."
	if kind == mailReset {
		subject = "Set a new Foretell password"
		intro = "the password of your account " + account.Email + " was removed by an administrator."
	}
	return subject, fmt.Sprintf(`Hello,

%s Set a password with this link, which works once
and until %s:

%s

Then log in:

foretell login %s --username %s

The API is at %[4]s/api, its description at %[4]s/openapi.json.
`, intro, api.FormatTime(expires), link, a.options.PublicURL, account.Email)
}
