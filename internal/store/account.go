package store

import (
	"context"
	"errors"
	"time"
)

// Account is a user who may log in.
type Account struct {
	Key, Email string
	// PasswordHash is a PHC string. If it is empty, nobody can log in.
	PasswordHash string `json:"-"`
	// Disabled ends all sessions and prevents new ones. The data is kept.
	Disabled bool
	Created  time.Time
}

const accountColumns = "key, email, password, disabled, created"

func scanAccount(row rowScanner) (*Account, error) {
	var a Account
	var created int64
	err := row.Scan(&a.Key, &a.Email, &a.PasswordHash, &a.Disabled, &created)
	a.Created = fromMicros(created)
	return &a, err
}

// InsertAccount adds an account. It returns ErrExists if the e-mail is in use.
func (t *Tx) InsertAccount(ctx context.Context, a *Account) error {
	return translateError(t.exec(ctx, "INSERT INTO account ("+accountColumns+") VALUES (?, ?, ?, ?, ?)",
		a.Key, a.Email, a.PasswordHash, boolToInt(a.Disabled), toMicros(a.Created)))
}

// GetAccount returns the account with an e-mail address.
func (t *Tx) GetAccount(ctx context.Context, email string) (*Account, error) {
	a, err := scanAccount(t.tx.QueryRowContext(ctx, "SELECT "+accountColumns+" FROM account WHERE email = ?", email))
	return a, translateError(err)
}

// ListAccounts returns all accounts, sorted by e-mail.
func (t *Tx) ListAccounts(ctx context.Context) ([]*Account, error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT "+accountColumns+" FROM account ORDER BY email COLLATE \"binary\"")
	if err != nil {
		return nil, err
	}
	return scanAll(rows, scanAccount)
}

// UpdateAccount writes PasswordHash and Disabled, and ends the account's
// sessions. The running jobs of a disabled account stop at their next heartbeat
// and wait in the queue.
func (t *Tx) UpdateAccount(ctx context.Context, a *Account) error {
	err := t.execRequired(ctx, ErrNotFound, "UPDATE account SET password = ?, disabled = ? WHERE key = ?",
		a.PasswordHash, boolToInt(a.Disabled), a.Key)
	if err != nil {
		return err
	}
	if a.Disabled {
		err := t.exec(ctx, "UPDATE job SET owner = '', attempt = attempt - 1 WHERE account = ? AND owner <> ''", a.Key)
		if err != nil {
			return err
		}
	}
	return t.exec(ctx, "DELETE FROM token WHERE account = ?", a.Key)
}

// DeleteAccount deletes the account with all its rows, and returns the keys of
// the blobs that are no longer referenced.
func (t *Tx) DeleteAccount(ctx context.Context, key string) (blobKeys []string, err error) {
	blobKeys, err = t.listCascadeBlobs(ctx, "account", key)
	if err != nil {
		return nil, err
	}
	return blobKeys, t.execRequired(ctx, ErrNotFound, "DELETE FROM account WHERE key = ?", key)
}

// InsertToken adds a session. It deletes the sessions that have expired at now.
func (t *Tx) InsertToken(ctx context.Context, account, hash string, now, expires time.Time) error {
	if err := t.exec(ctx, "DELETE FROM token WHERE expires <= ?", toMicros(now)); err != nil {
		return err
	}
	return t.exec(ctx, "INSERT INTO token (hash, account, expires) VALUES (?, ?, ?)", hash, account, toMicros(expires))
}

// GetAccountByToken returns the account of the session with this token hash. It
// returns ErrNotFound if the session has expired at now or the account is
// disabled.
func (t *Tx) GetAccountByToken(ctx context.Context, hash string, now time.Time) (*Account, error) {
	a, err := scanAccount(t.tx.QueryRowContext(ctx, `SELECT a.key, a.email, a.password, a.disabled, a.created
		FROM token t JOIN account a ON a.key = t.account
		WHERE t.hash = ? AND t.expires > ? AND a.disabled = 0`, hash, toMicros(now)))
	return a, translateError(err)
}

// GetOrInsertSecret returns the secret of this name. If there is none, it first
// stores value as the secret. All processes get the same one.
func (s *Store) GetOrInsertSecret(ctx context.Context, name, value string) (stored string, err error) {
	err = s.Read(ctx, func(t *Tx) error {
		return t.tx.QueryRowContext(ctx, "SELECT value FROM secret WHERE name = ?", name).Scan(&stored)
	})
	if !errors.Is(err, ErrNotFound) {
		return stored, err
	}
	err = s.Write(ctx, func(t *Tx) error {
		if err := t.exec(ctx, "INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, value); err != nil {
			return err
		}
		return t.tx.QueryRowContext(ctx, "SELECT value FROM secret WHERE name = ?", name).Scan(&stored)
	})
	return stored, err
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
