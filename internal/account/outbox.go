package account

import (
	"context"
	"errors"
	"time"

	"foretell/internal/auth"
	"foretell/internal/store"
)

// Mailer sends plain-text emails. Send returns nil when a mail server has accepted the email.
type Mailer interface {
	Send(ctx context.Context, to, subject, text string) error
}

// The kinds of emails.
const (
	mailApproved  = "approved"  // a link for the first password
	mailNewLink   = "new-link"  // another link for an account that has no password
	mailReset     = "reset"     // a link for a new password after an administrator removed the old one
	mailForgotten = "forgotten" // a link for a new password after someone asked for one
	mailRequests  = "requests"  // to an administrator: the list of pending requests for access
)

// linkMails are the kinds of emails with a one-time link, which is created when the email is sent. It
// replaces the earlier links of the account.
var linkMails = []string{mailApproved, mailNewLink, mailReset, mailForgotten}

const (
	// mailPollInterval is the interval at which a process looks for emails to send.
	mailPollInterval = 2 * time.Second
	// mailSendTimeout is the time limit for sending an email. After that, another process may send
	// the email.
	mailSendTimeout = 5 * time.Minute
	// stopTimeout is the time limit for making an unsent email due again when the process stops. If
	// the time does not suffice, the email is due again after mailSendTimeout.
	stopTimeout = 2 * time.Second
	// An email that the mail server did not accept is sent again after minMailRetryDelay. The delay
	// doubles after each attempt, up to maxMailRetryDelay. An email older than maxMailAge is dropped.
	minMailRetryDelay = 10 * time.Second
	maxMailRetryDelay = time.Hour
	maxMailAge        = 7 * 24 * time.Hour
)

// queueMail queues an email of the given kind to an account, to be sent at the time due or later. t
// must be the transaction that makes the change that the email reports.
func (a *Accounts) queueMail(ctx context.Context, t *store.Tx, account *store.Account, kind string, due time.Time) error {
	key, err := auth.NewUUID(a.rand)
	if err != nil {
		return err
	}
	return t.UpsertMail(ctx, &store.Mail{Key: key, Account: account.Key, Kind: kind, Due: due, Created: a.now()})
}

// SendMails sends the queued emails until ctx is done. It returns at once if this
// process has no Mailer. Several processes may call it at the same time.
func (a *Accounts) SendMails(ctx context.Context) {
	if a.options.Mailer == nil {
		return
	}
	ticker := time.NewTicker(mailPollInterval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		sent, err := a.sendNextMail(ctx)
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "cannot send the queued emails; trying again", "error", err)
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

// sendNextMail sends the email with the earliest due time, and returns true. If the mail server
// does not accept the email, it schedules the next attempt. It returns false if no email is due, or
// if ctx has ended.
func (a *Accounts) sendNextMail(ctx context.Context) (sent bool, err error) {
	var mail *store.Mail
	var account *store.Account
	var content *mailContent
	now, due := a.now(), false
	err = a.store.ReadOneStatement(ctx, func(t *store.Tx) (err error) {
		due, err = t.HasDueMail(ctx, now)
		return err
	})
	if err != nil || !due {
		return false, err
	}
	err = a.store.Write(ctx, func(t *store.Tx) (err error) {
		if mail, err = t.ClaimMail(ctx, now, now.Add(mailSendTimeout)); err != nil {
			return err
		}
		if account, err = t.GetAccountByKey(ctx, mail.Account); err != nil {
			return err
		}
		content, err = a.composeMail(ctx, t, mail.Kind, account)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if content == nil {
		return true, a.store.Write(ctx, func(t *store.Tx) error { return t.DeleteMail(ctx, mail.Key) })
	}
	failure := a.options.Mailer.Send(ctx, account.Email, content.subject, content.text)
	switch {
	case failure == nil:
		a.sentMails.Add(1)
	case ctx.Err() != nil: // the process stops, which says nothing about the mail server
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer done()
		return false, a.store.Write(ctx, func(t *store.Tx) error { return t.UpdateMailDue(ctx, mail.Key, now) })
	default:
		a.refusedMails.Add(1)
		a.log.WarnContext(ctx, "an email was not accepted", "account", account.Email, "attempt", mail.Attempts, "error", failure)
	}
	return true, a.deleteOrRetryMail(context.WithoutCancel(ctx), mail, account, failure)
}

// The results of an attempt to send an email.
const (
	mailSent   = "sent"   // a mail server has accepted the email
	mailFailed = "failed" // the email is sent again later, unless it is too old
)

// MailCounts returns how many times this process has attempted to send an email, by result. It
// returns nil if this process sends no emails.
func (a *Accounts) MailCounts() map[string]int64 {
	if !a.sendsMail() {
		return nil
	}
	return map[string]int64{mailSent: a.sentMails.Load(), mailFailed: a.refusedMails.Load()}
}

// deleteOrRetryMail deletes an email after an attempt to send it, or schedules the next attempt.
// sendErr is the error of the attempt. The email is deleted if sendErr is nil or the email is too
// old.
func (a *Accounts) deleteOrRetryMail(ctx context.Context, mail *store.Mail, account *store.Account, sendErr error) error {
	return a.store.Write(ctx, func(t *store.Tx) error {
		outcome := outcomeDone
		if sendErr != nil {
			if a.now().Sub(mail.Created) < maxMailAge {
				delay := min(maxMailRetryDelay, minMailRetryDelay<<min(mail.Attempts-1, 20))
				return t.UpdateMailDue(ctx, mail.Key, a.now().Add(delay))
			}
			outcome = outcomeRefused
		}
		if err := t.DeleteMail(ctx, mail.Key); err != nil {
			return err
		}
		return a.insertAuditEvent(ctx, t, auditEvent{actor: serviceActor, action: "mail." + mail.Kind, object: account.Email, outcome: outcome})
	})
}
