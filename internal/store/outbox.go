package store

import (
	"context"
	"time"

	"foretell/internal/store/database"
)

// Mail is a queued email.
type Mail struct {
	Key, Account, Kind string
	// Attempts is the number of attempts to send the email so far. Due is the time of the next
	// attempt.
	Attempts     int64
	Due, Created time.Time
}

const mailColumns = "key, account, kind, attempts, due, created"

func scanMail(row rowScanner) (*Mail, error) {
	var m Mail
	var due, created int64
	err := row.Scan(&m.Key, &m.Account, &m.Kind, &m.Attempts, &due, &created)
	m.Due, m.Created = fromMicros(due), fromMicros(created)
	return &m, err
}

// UpsertMail queues an email to an account. It replaces a queued email of the same kind to the same
// account. If the account does not exist, UpsertMail does nothing.
func (t *Tx) UpsertMail(ctx context.Context, m *Mail) error {
	if err := t.DeleteQueuedMail(ctx, m.Account, m.Kind); err != nil {
		return err
	}
	return database.TranslateError(t.exec(ctx, "INSERT INTO outbox ("+mailColumns+`)
		SELECT CAST(? AS TEXT), key, CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT) FROM account WHERE key = ?`,
		m.Key, m.Kind, m.Attempts, toMicros(m.Due), toMicros(m.Created), m.Account))
}

// DeleteQueuedMail deletes the queued emails of the given kinds to an account.
func (t *Tx) DeleteQueuedMail(ctx context.Context, account string, kinds ...string) error {
	for _, kind := range kinds {
		if err := t.exec(ctx, "DELETE FROM outbox WHERE account = ? AND kind = ?", account, kind); err != nil {
			return err
		}
	}
	return nil
}

// IsMailWaiting reports whether an email of this kind to the account is queued, and no process has
// tried to send it yet.
func (t *Tx) IsMailWaiting(ctx context.Context, account, kind string) (waits bool, err error) {
	err = t.tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM outbox WHERE account = ? AND kind = ? AND attempts = 0)", account, kind).Scan(&waits)
	return waits, err
}

// maxMailSkew is how far the clocks of two machines may differ. If an email was created more than
// maxMailSkew after now, [Tx.ClaimMail] assumes that a clock was set back.
const maxMailSkew = time.Minute

// dueMailSQL is the condition of the emails that are due; see [Tx.ClaimMail]. Its arguments are the
// current time, and the current time plus maxMailSkew.
const dueMailSQL = "(due <= ? OR attempts = 0 AND created > ?)"

// HasDueMail reports whether [Tx.ClaimMail] would return an email. It does not take the write lock,
// so that a process without emails does not delay writers.
func (t *Tx) HasDueMail(ctx context.Context, now time.Time) (due bool, err error) {
	err = t.tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM outbox WHERE "+dueMailSQL+")",
		toMicros(now), toMicros(now.Add(maxMailSkew))).Scan(&due)
	return due, err
}

// ClaimMail returns the email with the earliest Due before now, or ErrNotFound if no email is due.
// It increments Attempts and sets Due to retryAt: another attempt follows unless the caller deletes
// the email. An email without attempts is also due if it was created more than maxMailSkew after
// now. The clock was then set back, and the email would otherwise wait until the clock shows the
// time of its creation again.
func (t *Tx) ClaimMail(ctx context.Context, now, retryAt time.Time) (*Mail, error) {
	m, err := scanMail(t.tx.QueryRowContext(ctx, "SELECT "+mailColumns+" FROM outbox WHERE "+dueMailSQL+" ORDER BY due, key LIMIT 1",
		toMicros(now), toMicros(now.Add(maxMailSkew))))
	if err != nil {
		return nil, database.TranslateError(err)
	}
	err = t.execRequired(ctx, ErrNotFound, "UPDATE outbox SET attempts = attempts + 1, due = ? WHERE key = ? AND due = ?",
		toMicros(retryAt), m.Key, toMicros(m.Due))
	m.Attempts, m.Due = m.Attempts+1, retryAt
	return m, err
}

// UpdateMailDue sets when the next attempt to send an email is due.
func (t *Tx) UpdateMailDue(ctx context.Context, key string, due time.Time) error {
	return t.exec(ctx, "UPDATE outbox SET due = ? WHERE key = ?", toMicros(due), key)
}

// DeleteMail deletes an email that was sent, or that will not be sent any more.
func (t *Tx) DeleteMail(ctx context.Context, key string) error {
	return t.exec(ctx, "DELETE FROM outbox WHERE key = ?", key)
}
