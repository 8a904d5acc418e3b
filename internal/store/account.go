package store

import (
	"context"
	"errors"
	"time"
)

// Account is a user who may log in.
type Account struct {
	Key, Email string
	// PasswordHash is a PHC string; empty if nobody can log in to the account.
	PasswordHash string `json:"-"`
	// Disabled accounts keep their data, but their tokens are invalid.
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

// InsertAccount adds an account. It fails with ErrExists if the e-mail is in use.
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
	rows, err := t.tx.QueryContext(ctx, "SELECT "+accountColumns+" FROM account ORDER BY email")
	if err != nil {
		return nil, err
	}
	return scanAll(rows, scanAccount)
}

// UpdateAccount writes Password and Disabled, and ends the account's sessions.
// The running jobs of a disabled account stop at their next heartbeat and wait
// in the queue.
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

// DeleteAccount deletes the account with all its rows, and returns the blobs
// that are no longer referenced.
func (t *Tx) DeleteAccount(ctx context.Context, key string) ([]string, error) {
	blobs, err := t.listCascadeBlobs(ctx, "account", key)
	if err != nil {
		return nil, err
	}
	return blobs, t.execRequired(ctx, ErrNotFound, "DELETE FROM account WHERE key = ?", key)
}

// InsertToken adds a session. Sessions that expired before now are deleted.
func (t *Tx) InsertToken(ctx context.Context, account, hash string, now, expires time.Time) error {
	if err := t.exec(ctx, "DELETE FROM token WHERE expires <= ?", toMicros(now)); err != nil {
		return err
	}
	return t.exec(ctx, "INSERT INTO token (hash, account, expires) VALUES (?, ?, ?)", hash, account, toMicros(expires))
}

// GetAccountByToken returns the account of a session that is valid at now.
func (t *Tx) GetAccountByToken(ctx context.Context, hash string, now time.Time) (*Account, error) {
	a, err := scanAccount(t.tx.QueryRowContext(ctx, `SELECT a.key, a.email, a.password, a.disabled, a.created
		FROM token t JOIN account a ON a.key = t.account
		WHERE t.hash = ? AND t.expires > ? AND a.disabled = 0`, hash, toMicros(now)))
	return a, translateError(err)
}

// GetOrInsertSecret stores value under name unless a value exists, and returns the
// stored one: every process gets the same.
func (s *Store) GetOrInsertSecret(ctx context.Context, name, value string) (kept string, err error) {
	err = s.Read(ctx, func(t *Tx) error {
		return t.tx.QueryRowContext(ctx, "SELECT value FROM secret WHERE name = ?", name).Scan(&kept)
	})
	if !errors.Is(err, ErrNotFound) {
		return kept, err
	}
	err = s.Write(ctx, func(t *Tx) error {
		if err := t.exec(ctx, "INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, value); err != nil {
			return err
		}
		return t.tx.QueryRowContext(ctx, "SELECT value FROM secret WHERE name = ?", name).Scan(&kept)
	})
	return kept, err
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
