package store

import (
	"context"
	"database/sql"
	"time"
)

// ReplaceLink adds a one-time link of an account and deletes earlier ones. If account is
// empty, the link creates the first administrator.
func (t *Tx) ReplaceLink(ctx context.Context, hash, account string, expires time.Time) error {
	owner := sql.NullString{String: account, Valid: account != ""}
	condition, args := "account IS NULL", []any{}
	if owner.Valid {
		condition, args = "account = ?", []any{account}
	}
	if err := t.exec(ctx, "DELETE FROM one_time_link WHERE "+condition, args...); err != nil {
		return err
	}
	return translateError(t.exec(ctx, "INSERT INTO one_time_link (hash, account, expires) VALUES (?, ?, ?)", hash, owner, toMicros(expires)))
}

// GetLinkAccount returns the account of the one-time link with this hash. It returns "" if the link
// creates the first administrator. It returns ErrNotFound if there is no such link or
// the link has expired at now.
func (t *Tx) GetLinkAccount(ctx context.Context, hash string, now time.Time) (account string, err error) {
	var owner sql.NullString
	err = t.tx.QueryRowContext(ctx, "SELECT account FROM one_time_link WHERE hash = ? AND expires > ?", hash, toMicros(now)).Scan(&owner)
	return owner.String, translateError(err)
}

// DeleteLink deletes a one-time link when it is used. It returns ErrNotFound if another request has
// already used the link.
func (t *Tx) DeleteLink(ctx context.Context, hash string) error {
	return t.execRequired(ctx, ErrNotFound, "DELETE FROM one_time_link WHERE hash = ?", hash)
}
