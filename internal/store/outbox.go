package store

import (
	"context"
	"time"
)

// Mail is a mail to send to an account.
type Mail struct {
	Key, Account, Kind string
	// Attempts is how often it was tried, and Due when to try it next.
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

// InsertMail queues a mail and drops unsent ones of the same kind to the account.
func (t *Tx) InsertMail(ctx context.Context, m *Mail) error {
	if err := t.exec(ctx, "DELETE FROM outbox WHERE account = ? AND kind = ?", m.Account, m.Kind); err != nil {
		return err
	}
	return translateError(t.exec(ctx, "INSERT INTO outbox ("+mailColumns+") VALUES (?, ?, ?, ?, ?, ?)",
		m.Key, m.Account, m.Kind, m.Attempts, toMicros(m.Due), toMicros(m.Created)))
}

// ClaimMail returns the mail that is due longest at now and counts an attempt. It
// is due again at retry, unless the caller deletes it. It returns ErrNotFound if
// no mail is due.
func (t *Tx) ClaimMail(ctx context.Context, now, retry time.Time) (*Mail, error) {
	m, err := scanMail(t.tx.QueryRowContext(ctx, "SELECT "+mailColumns+" FROM outbox WHERE due <= ? ORDER BY due, key LIMIT 1", toMicros(now)))
	if err != nil {
		return nil, translateError(err)
	}
	err = t.execRequired(ctx, ErrNotFound, "UPDATE outbox SET attempts = attempts + 1, due = ? WHERE key = ? AND due = ?",
		toMicros(retry), m.Key, toMicros(m.Due))
	m.Attempts, m.Due = m.Attempts+1, retry
	return m, err
}

// UpdateMailDue changes when a mail is tried next.
func (t *Tx) UpdateMailDue(ctx context.Context, key string, due time.Time) error {
	return t.exec(ctx, "UPDATE outbox SET due = ? WHERE key = ?", toMicros(due), key)
}

// DeleteMail removes a mail that was sent or given up.
func (t *Tx) DeleteMail(ctx context.Context, key string) error {
	return t.exec(ctx, "DELETE FROM outbox WHERE key = ?", key)
}
