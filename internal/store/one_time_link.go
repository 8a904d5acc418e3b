package store

import (
	"context"
	"database/sql"
	"time"

	"foretell/internal/store/database"
)

// ReplaceOneTimeLink adds a one-time link of an account and deletes earlier links of the account.
// hash is the hash of the code in the link.
func (t *Tx) ReplaceOneTimeLink(ctx context.Context, hash, account string, expires time.Time) error {
	if err := t.exec(ctx, "DELETE FROM one_time_link WHERE account = ?", account); err != nil {
		return err
	}
	return t.exec(ctx, "INSERT INTO one_time_link (hash, account, expires) VALUES (?, ?, ?)", hash, account, toMicros(expires))
}

// InsertFirstAdministratorLink adds a one-time link that creates the first administrator. hash is
// the hash of the code in the link. Earlier links of this kind, which other processes may have
// printed, remain valid.
func (t *Tx) InsertFirstAdministratorLink(ctx context.Context, hash string, expires time.Time) error {
	return t.exec(ctx, "INSERT INTO one_time_link (hash, account, expires) VALUES (?, NULL, ?)", hash, toMicros(expires))
}

// DeleteFirstAdministratorLinks deletes the links that create the first administrator.
func (t *Tx) DeleteFirstAdministratorLinks(ctx context.Context) error {
	return t.exec(ctx, "DELETE FROM one_time_link WHERE account IS NULL")
}

// DeleteExpiredFirstAdministratorLinks deletes the links that create the first administrator and
// have expired at the time now.
func (t *Tx) DeleteExpiredFirstAdministratorLinks(ctx context.Context, now time.Time) error {
	return t.exec(ctx, "DELETE FROM one_time_link WHERE account IS NULL AND expires <= ?", toMicros(now))
}

// GetOneTimeLinkAccount returns the account of the one-time link with this hash. It returns ""
// if the link creates the first administrator. It returns ErrNotFound if there is no such link or
// the link has expired at the time now.
func (t *Tx) GetOneTimeLinkAccount(ctx context.Context, hash string, now time.Time) (account string, err error) {
	var owner sql.NullString
	err = t.tx.QueryRowContext(ctx, "SELECT account FROM one_time_link WHERE hash = ? AND expires > ?", hash, toMicros(now)).Scan(&owner)
	return owner.String, database.TranslateError(err)
}

// DeleteOneTimeLink deletes a one-time link when it is used. It returns ErrNotFound if another
// request has already used the link.
func (t *Tx) DeleteOneTimeLink(ctx context.Context, hash string) error {
	return t.execRequired(ctx, ErrNotFound, "DELETE FROM one_time_link WHERE hash = ?", hash)
}
