package store

import (
	"cmp"
	"context"
	"time"

	"foretell/internal/api"
	"foretell/internal/store/database"
)

// Account is a user who may log in.
type Account struct {
	Key, Email, Name, Organisation string
	// Role is api.RoleUser or api.RoleAdministrator. Defaults to api.RoleUser.
	Role string
	// PasswordHash is the hash of the password as a PHC string. If it is empty, log-in to the
	// account is impossible.
	PasswordHash string       `json:"-"`
	SecondFactor SecondFactor `json:"-"`
	// Disabled reports whether the account is disabled. A disabled account has no
	// sessions, but keeps its data.
	Disabled bool
	Quota    Quota
	Created  time.Time
}

// SecondFactor is the authenticator app of an account. A secret is 20 random bytes in base32.
type SecondFactor struct {
	// Secret is empty if the account has no authenticator app.
	Secret string
	// Unconfirmed is the Unix time until which a new app can be confirmed, a colon, and the secret of
	// the app. When the service receives a valid code of this app, its secret becomes Secret.
	Unconfirmed string
	// Step is the time step of the last accepted code. Codes of this and earlier steps are refused.
	Step int64
}

// Quota holds the limits of an account. Nil means no limit.
type Quota struct {
	// Datasets limits the number of datasets.
	Datasets *int64
	// Bytes limits the total size of the stored files: uploaded CSV files, models and results.
	Bytes *int64
	// Races limits the number of races that are PENDING or RUNNING.
	Races *int64
}

const accountColumns = "key, email, name, organisation, role, password, totp_secret, totp_unconfirmed, totp_step, disabled, max_datasets, max_bytes, max_races, created"

func scanAccount(row rowScanner) (*Account, error) {
	var a Account
	var created int64
	err := row.Scan(&a.Key, &a.Email, &a.Name, &a.Organisation, &a.Role, &a.PasswordHash,
		&a.SecondFactor.Secret, &a.SecondFactor.Unconfirmed, &a.SecondFactor.Step, &a.Disabled,
		&a.Quota.Datasets, &a.Quota.Bytes, &a.Quota.Races, &created)
	a.Created = fromMicros(created)
	return &a, err
}

// InsertAccount adds an account. It returns ErrExists if the email is in use.
func (t *Tx) InsertAccount(ctx context.Context, a *Account) error {
	return database.TranslateError(t.exec(ctx, "INSERT INTO account ("+accountColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		a.Key, a.Email, a.Name, a.Organisation, cmp.Or(a.Role, api.RoleUser), a.PasswordHash,
		a.SecondFactor.Secret, a.SecondFactor.Unconfirmed, a.SecondFactor.Step, boolToInt(a.Disabled),
		a.Quota.Datasets, a.Quota.Bytes, a.Quota.Races, toMicros(a.Created)))
}

// GetAccount returns the account with this email address, which must be in lower case. It returns
// ErrNotFound if the account does not exist.
func (t *Tx) GetAccount(ctx context.Context, email string) (*Account, error) {
	return t.getAccountWhere(ctx, "email = ?", email)
}

// GetAccountByKey returns the account with this key. It returns ErrNotFound if the account does not exist.
func (t *Tx) GetAccountByKey(ctx context.Context, key string) (*Account, error) {
	return t.getAccountWhere(ctx, "key = ?", key)
}

// GetAccountByToken returns the account of the session whose token has this hash. It returns
// ErrNotFound if the session has expired at the time now, or if the account is disabled.
func (t *Tx) GetAccountByToken(ctx context.Context, hash string, now time.Time) (*Account, error) {
	return t.getAccountWhere(ctx, "disabled = 0 AND key = (SELECT account FROM token WHERE hash = ? AND expires > ?)", hash, t.toSharedMicros(now))
}

// getAccountWhere returns the account for which an SQL condition is true, or ErrNotFound. args
// holds the values of the placeholders.
func (t *Tx) getAccountWhere(ctx context.Context, condition string, args ...any) (*Account, error) {
	a, err := scanAccount(t.tx.QueryRowContext(ctx, "SELECT "+accountColumns+" FROM account WHERE "+condition, args...))
	return a, database.TranslateError(err)
}

// ListAccounts returns a page of the accounts, newest first, and the number of accounts
// on all pages.
func (t *Tx) ListAccounts(ctx context.Context, page Page) (accounts []*Account, total int64, err error) {
	return listPage(ctx, t, listQuery{columns: accountColumns, from: "account", order: "created DESC, key"}, page, scanAccount)
}

// ListAdministrators returns the administrators who can log in, oldest first.
func (t *Tx) ListAdministrators(ctx context.Context) ([]*Account, error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT "+accountColumns+" FROM account WHERE role = ? AND disabled = 0 AND password <> '' ORDER BY created, key",
		api.RoleAdministrator)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, scanAccount)
}

// CountEnabledAccounts returns the number of enabled accounts with a role. The argument except is
// the email of an account that is not counted.
func (t *Tx) CountEnabledAccounts(ctx context.Context, role, except string) (n int64, err error) {
	err = t.tx.QueryRowContext(ctx, "SELECT count(*) FROM account WHERE role = ? AND disabled = 0 AND email <> ?", role, except).Scan(&n)
	return n, err
}

// UpdatePasswordAndEndSessions sets the password hash of an account, and ends its sessions and
// one-time links.
func (t *Tx) UpdatePasswordAndEndSessions(ctx context.Context, key, passwordHash string) error {
	if err := t.execRequired(ctx, ErrNotFound, "UPDATE account SET password = ? WHERE key = ?", passwordHash, key); err != nil {
		return err
	}
	return t.DeleteSessionsAndOneTimeLinks(ctx, key)
}

// UpdateSecondFactor replaces the second factor of an account. The arguments before and after are
// the expected old value and the new value. If another value than before is stored,
// UpdateSecondFactor changes nothing and returns ErrWrongState.
func (t *Tx) UpdateSecondFactor(ctx context.Context, key string, before, after SecondFactor) error {
	return t.execRequired(ctx, ErrWrongState, `UPDATE account SET totp_secret = ?, totp_unconfirmed = ?, totp_step = ?
		WHERE key = ? AND totp_secret = ? AND totp_unconfirmed = ? AND totp_step = ?`,
		after.Secret, after.Unconfirmed, after.Step, key, before.Secret, before.Unconfirmed, before.Step)
}

// UpdateDisabled disables or enables an account. Disabling also deletes the sessions and one-time
// links of the account. Its running jobs stop at their next heartbeat and return to the queue,
// where no process may claim them. When the account is enabled again, its queued jobs begin to wait
// at the time now.
func (t *Tx) UpdateDisabled(ctx context.Context, key string, disabled bool, now time.Time) error {
	if !disabled { // this must run first, because it changes nothing once the account is enabled
		err := t.exec(ctx, `UPDATE job SET begun = ? WHERE account = ? AND owner = ''
			AND EXISTS (SELECT 1 FROM account a WHERE a.key = job.account AND a.disabled = 1)`, t.toSharedMicros(now), key)
		if err != nil {
			return err
		}
	}
	err := t.execRequired(ctx, ErrNotFound, "UPDATE account SET disabled = ? WHERE key = ?", boolToInt(disabled), key)
	if err != nil {
		return err
	}
	if !disabled {
		return t.notifyJobs(ctx, "")
	}
	if err := t.exec(ctx, "UPDATE job SET owner = '', attempt = attempt - 1 WHERE account = ? AND owner <> ''", key); err != nil {
		return err
	}
	// The algorithms of one race may be trained by several workers. Such a race begins again and
	// queues new jobs for its algorithms; see deletePartJobsOfQueuedRace.
	if err := t.exec(ctx, "DELETE FROM job WHERE account = ? AND subject IN (SELECT key FROM training WHERE parent IS NOT NULL)", key); err != nil {
		return err
	}
	return t.DeleteSessionsAndOneTimeLinks(ctx, key)
}

// UpdateRole changes the role of an account.
func (t *Tx) UpdateRole(ctx context.Context, key, role string) error {
	return t.execRequired(ctx, ErrNotFound, "UPDATE account SET role = ? WHERE key = ?", role, key)
}

// UpdateQuota changes the quota of an account.
func (t *Tx) UpdateQuota(ctx context.Context, key string, q Quota) error {
	return t.execRequired(ctx, ErrNotFound, "UPDATE account SET max_datasets = ?, max_bytes = ?, max_races = ? WHERE key = ?",
		q.Datasets, q.Bytes, q.Races, key)
}

// DeleteAccount deletes an account with its datasets, models and all other rows. It returns the
// keys of the blobs that are no longer referenced.
func (t *Tx) DeleteAccount(ctx context.Context, key string) (blobKeys []string, err error) {
	blobKeys, err = t.listCascadeBlobs(ctx, "account", key)
	if err != nil {
		return nil, err
	}
	return blobKeys, t.execRequired(ctx, ErrNotFound, "DELETE FROM account WHERE key = ?", key)
}

// Usage is how much an account uses: the number of its datasets, the total size of its stored files
// in bytes, and the number of its races that are PENDING or RUNNING.
type Usage struct{ Datasets, Bytes, Races int64 }

// GetUsage returns the usage of an account.
func (t *Tx) GetUsage(ctx context.Context, account string) (Usage, error) {
	var u Usage
	err := t.tx.QueryRowContext(ctx, `SELECT
		a.datasets,
		(SELECT coalesce(sum(bytes), 0) FROM dataset WHERE account = a.key)
			+ (SELECT coalesce(sum(bytes), 0) FROM model WHERE account = a.key)
			+ (SELECT coalesce(sum(coalesce(blind_bytes, 0) + coalesce(result_bytes, 0)), 0) FROM prediction WHERE account = a.key),
		(SELECT count(*) FROM training WHERE account = a.key AND parent IS NULL AND `+activeTraining+`)
		FROM account a WHERE a.key = ?`, account).Scan(&u.Datasets, &u.Bytes, &u.Races)
	return u, database.TranslateError(err)
}

// DeleteSessionsAndOneTimeLinks ends the sessions of an account and deletes its one-time links.
func (t *Tx) DeleteSessionsAndOneTimeLinks(ctx context.Context, account string) error {
	if err := t.exec(ctx, "DELETE FROM token WHERE account = ?", account); err != nil {
		return err
	}
	return t.exec(ctx, "DELETE FROM one_time_link WHERE account = ?", account)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
