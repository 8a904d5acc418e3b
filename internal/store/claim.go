package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"foretell/internal/store/database"
	"foretell/internal/store/schema"
)

// JobClaim selects the jobs that a process may claim.
type JobClaim struct {
	Kind string
	// Subjects are the keys of the datasets, training jobs and predictions whose jobs may be
	// claimed. Nil allows any.
	Subjects []string
	// ExcludeAccounts are the keys of accounts whose jobs may not be claimed.
	ExcludeAccounts []string
	// Running are the keys of the jobs that this process runs. They may not be
	// claimed, even if this process has lost their leases.
	Running []string
	// MaxMemory is the memory of this process in bytes. Jobs that need more are skipped. 0 means no
	// limit.
	//
	// FreeMemory is the free part of this memory. If the next job needs more, no job is claimed,
	// not even a smaller job, because smaller jobs could delay the next job forever. FreeMemory is
	// ignored if MaxMemory is 0.
	MaxMemory, FreeMemory int64
	// Now is the time of the claim. The lease ends at Until unless [Store.RenewJob] extends it.
	Now, Until time.Time
}

// sqlCondition returns the SQL condition of the rows of job that can be claimed, and its arguments.
// It does not check the accounts.
func (c *JobClaim) sqlCondition() (where string, args []any) {
	query := "kind = ? AND owner = ''"
	args = []any{c.Kind}
	if c.Subjects != nil {
		query += " AND subject IN " + placeholderList(len(c.Subjects))
		for _, subject := range c.Subjects {
			args = append(args, subject)
		}
	}
	for _, key := range c.Running {
		query += " AND key <> ?"
		args = append(args, key)
	}
	if c.MaxMemory > 0 {
		query += " AND memory <= ?"
		args = append(args, c.MaxMemory)
	}
	return query, args
}

// accountsWithJobs returns the SQL of a recursive query of the accounts that have jobs for which
// the condition holds. It reads one row of an index for each account, and not all jobs, if the
// index has the columns of the condition followed by those of order. The first column of order must be
// job.account. With min instead of LIMIT, PostgreSQL would read all of them until it has statistics.
// The name of the query is waiting, and its column is account, which is NULL in the last row. It has
// the placeholders of the condition twice.
func accountsWithJobs(condition, order string) string {
	return "WITH RECURSIVE waiting (account) AS (SELECT (SELECT job.account FROM job WHERE " + condition + " ORDER BY " + order + " LIMIT 1)" +
		" UNION ALL SELECT (SELECT job.account FROM job WHERE " + condition + " AND job.account > waiting.account ORDER BY " + order + " LIMIT 1)" +
		" FROM waiting WHERE waiting.account IS NOT NULL) "
}

// queuedAccounts is the query of the accounts with queued jobs of a kind. Ordered only by account,
// PostgreSQL would often use the index job_account, and read the queued jobs of all other kinds. Only
// job_next has this order.
var queuedAccounts = accountsWithJobs("kind = ? AND owner = ''", "job.account, job.created")

// sql returns the SQL query of the next job that can be claimed, and its arguments. The jobs of
// disabled accounts cannot be claimed. The query reads few jobs of each account: with the index
// job_next, it finds the oldest job of each account, and then the account whose turn it is.
func (c *JobClaim) sql() (query string, args []any) {
	where, jobArgs := c.sqlCondition()
	query = queuedAccounts + "SELECT " + jobColumns + " FROM waiting CROSS JOIN account a CROSS JOIN job j WHERE a.key = waiting.account AND a.disabled = 0" +
		" AND j.key = (SELECT key FROM job WHERE " + where + " AND account = a.key ORDER BY created, key LIMIT 1)"
	args = append([]any{c.Kind, c.Kind}, jobArgs...)
	for _, account := range c.ExcludeAccounts {
		query += " AND a.key <> ?"
		args = append(args, account)
	}
	return query + " ORDER BY a.served, j.created, j.key LIMIT 1", args
}

// nextTurnSQL is an SQL expression for the new value of account.served when a process claims a job
// of an account. The account with the lowest value is next. The new value is greater than the value
// of every account with jobs, so that the jobs of all other accounts come first. The argument of
// the placeholder is the key of the account. The value is a counter and not a time, because turns
// must not depend on clocks.
var nextTurnSQL = "(" + accountsWithJobs("true", "job.account") + `SELECT max(served) + 1 FROM (SELECT served FROM account WHERE key = ?
	UNION ALL SELECT b.served FROM waiting CROSS JOIN account b WHERE b.key = waiting.account) AS turns)`

// nextJob returns the next job that c selects. It returns ErrNotFound if no job matches, or if the
// job needs more than c.FreeMemory.
func (t *Tx) nextJob(ctx context.Context, c JobClaim) (*Job, error) {
	query, args := c.sql()
	j, err := t.scanJob(t.tx.QueryRowContext(ctx, query, args...))
	if err == nil && c.MaxMemory > 0 && j.Memory > c.FreeMemory {
		err = ErrNotFound
	}
	return j, err
}

// lockNextJob is like nextJob, but locks the row of the job until the end of the transaction. It
// skips jobs that other transactions are changing.
func (t *Tx) lockNextJob(ctx context.Context, c JobClaim) (*Job, error) {
	for {
		next, err := t.nextJob(ctx, c)
		if err != nil || t.dialect.skipLockedSQL == "" {
			return next, err
		}
		where, args := c.sqlCondition()
		query := "SELECT " + jobColumns + " FROM job j WHERE " + where + " AND account = ? ORDER BY j.created, j.key LIMIT 1" + t.dialect.skipLockedSQL
		j, err := t.scanJob(t.tx.QueryRowContext(ctx, query, append(args, next.Account)...))
		switch {
		case err == nil && c.MaxMemory > 0 && j.Memory > c.FreeMemory:
			return nil, ErrNotFound
		case !errors.Is(database.TranslateError(err), ErrNotFound):
			return j, err
		}
		c.ExcludeAccounts = append(slices.Clip(c.ExcludeAccounts), next.Account)
	}
}

// ClaimJob leases the next matching job to this process and returns it. Accounts take turns: the
// next job is the oldest job of the account whose last claim is longest ago. ClaimJob returns
// ErrNotFound if no job matches, or if the next job needs more than c.FreeMemory. It returns
// ErrNewerSchema if a newer version of this program has upgraded the database, because this version
// might misinterpret the job.
func (s *Store) ClaimJob(ctx context.Context, c JobClaim) (*Job, error) {
	// This query does not take the write lock, so that idle workers do not delay writers.
	err := s.ReadOneStatement(ctx, func(t *Tx) error {
		_, err := t.nextJob(ctx, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Only one claim of a kind of job runs at a time, so that accounts take turns. Therefore read
	// committed is enough: the first statement waits for the earlier claim, and lockNextJob locks
	// the row of the job.
	var j *Job
	err = s.writeReadCommitted(ctx, func(t *Tx) (err error) {
		if s.dialect.lockClaimsSQL != "" {
			if err := t.exec(ctx, s.dialect.lockClaimsSQL, c.Kind); err != nil {
				return err
			}
		}
		if j, err = t.lockNextJob(ctx, c); err != nil {
			return err
		}
		if err := t.checkSchema(ctx, s.db.Migration); err != nil {
			return err
		}
		j.Attempt++
		// The account may have been disabled or deleted since the query.
		err = t.execRequired(ctx, ErrNotFound, "UPDATE account SET served = "+nextTurnSQL+" WHERE key = ? AND disabled = 0", j.Account, j.Account)
		if err != nil {
			return err
		}
		return t.exec(ctx, "UPDATE job SET owner = ?, until = ?, attempt = ?, begun = ? WHERE key = ?",
			s.ProcessName(), t.toSharedMicros(c.Until), j.Attempt, t.toSharedMicros(c.Now), j.Key)
	})
	return j, err
}

// checkSchema returns ErrNewerSchema if the database has a newer schema than the program knows.
func (t *Tx) checkSchema(ctx context.Context, migration schema.Migration) error {
	var have int64
	if err := t.tx.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&have); err != nil {
		return err
	}
	return migration.Check(have)
}
