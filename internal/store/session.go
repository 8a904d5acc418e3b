package store

import (
	"context"
	"time"
)

// Session is a session of an account. It begins with a log-in, which returns the token.
type Session struct {
	// Hash is the hash of the token, in hex. It identifies the session.
	Hash    string `json:"-"`
	Account string
	// Address is the address of the client that logged in, and Client is its User-Agent.
	// For a session of an earlier version, both are empty and Created is zero.
	Address, Client string
	// Created and Expires are times of this machine's clock. In the database, they are times of
	// the clock that all processes share, so that machines with different clocks agree on which
	// sessions have expired.
	Created, Expires time.Time
}

const sessionColumns = "hash, account, address, client, created, expires"

func (t *Tx) scanSession(row rowScanner) (*Session, error) {
	var s Session
	var created, expires int64
	err := row.Scan(&s.Hash, &s.Account, &s.Address, &s.Client, &created, &expires)
	s.Created, s.Expires = t.fromSharedMicros(created), t.fromSharedMicros(expires)
	return &s, err
}

// InsertSession adds a session.
func (t *Tx) InsertSession(ctx context.Context, s *Session) error {
	return t.exec(ctx, "INSERT INTO token ("+sessionColumns+") VALUES (?, ?, ?, ?, ?, ?)",
		s.Hash, s.Account, s.Address, s.Client, t.toSharedMicros(s.Created), t.toSharedMicros(s.Expires))
}

// DeleteExpiredSessions deletes all sessions that have expired at the time now. A log-in does not
// call it, because concurrent log-ins would then conflict with each other.
func (s *Store) DeleteExpiredSessions(ctx context.Context, now time.Time) error {
	// Read committed is enough: there is one statement, and no session that has expired becomes valid.
	return s.writeReadCommitted(ctx, func(t *Tx) error { return t.exec(ctx, deleteExpiredSessions, t.toSharedMicros(now)) })
}

const deleteExpiredSessions = "DELETE FROM token WHERE expires <= ?"

// ListSessions returns the sessions of an account that are valid at the time now, newest first.
func (t *Tx) ListSessions(ctx context.Context, account string, now time.Time) ([]*Session, error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT "+sessionColumns+" FROM token WHERE account = ? AND expires > ? ORDER BY created DESC, hash",
		account, t.toSharedMicros(now))
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, t.scanSession)
}

// DeleteSession ends a session. It returns ErrNotFound if none exists with this hash.
func (t *Tx) DeleteSession(ctx context.Context, hash string) error {
	return t.execRequired(ctx, ErrNotFound, "DELETE FROM token WHERE hash = ?", hash)
}
