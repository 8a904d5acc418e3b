package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"foretell/internal/store/database"
	"foretell/internal/store/schema"
)

// Job is a queued or leased job. Subject is the key of the dataset, training job or prediction that
// the job works on.
type Job struct {
	Key, Account, Kind, Subject string
	// Process is the process that runs the job unless a worker claims it first: the process that
	// queued the job, or one that adopted it later. It is empty for a job of a service, where every
	// process may run it.
	Process string
	// Attempt is the number of claims of the job, including the current claim. Claims that ended
	// with ReleaseJob do not count.
	Attempt int
	// Memory is the estimated peak memory of the job in bytes. It is 0 if the job needs
	// little memory.
	Memory  int64
	Created time.Time
	// QueuedAt is when the job began to wait in the queue, before it was claimed. InsertJob ignores
	// it.
	QueuedAt time.Time
}

const jobColumns = "j.key, j.account, j.kind, j.subject, j.attempt, j.memory, j.created, " + queuedAtSQL

func scanJob(row rowScanner) (*Job, error) {
	var j Job
	var created, queuedAt int64
	err := row.Scan(&j.Key, &j.Account, &j.Kind, &j.Subject, &j.Attempt, &j.Memory, &created, &queuedAt)
	j.Created, j.QueuedAt = fromMicros(created), fromMicros(queuedAt)
	return &j, err
}

// InsertJob queues a job. It must be in the same transaction as the change of state for
// which the job is needed.
func (t *Tx) InsertJob(ctx context.Context, j *Job) error {
	err := t.exec(ctx, "INSERT INTO job (key, account, kind, subject, process, memory, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
		j.Key, j.Account, j.Kind, j.Subject, j.Process, j.Memory, toMicros(j.Created))
	if err != nil {
		return database.TranslateError(err)
	}
	return t.notifyJobs(ctx, j.Kind)
}

// jobChannel is an SQL expression for the name of the PostgreSQL channel on which processes are
// notified of jobs. Each schema has its own channel. Its name contains a hash instead of the name
// of the schema, because the names of channels are limited to 63 bytes.
const jobChannel = "'foretell_jobs_' || md5(current_schema())"

// notifyJobs notifies all processes that they may now be able to claim a job of this kind. An empty
// kind means any kind. The notification is sent when the transaction is committed.
func (t *Tx) notifyJobs(ctx context.Context, kind string) error {
	if t.dialect.notifyJobsSQL == "" {
		return nil
	}
	return t.exec(ctx, t.dialect.notifyJobsSQL, kind)
}

// WatchJobs calls changed when processes may have become able to claim jobs. The argument kind is
// the kind of these jobs, or empty if it is unknown. WatchJobs may miss a change, and may call
// changed without one. It returns when ctx is done or an error occurs.
func (s *Store) WatchJobs(ctx context.Context, changed func(kind string)) error {
	return s.db.Watch(ctx, jobChannel, changed)
}

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

// sqlCondition returns the SQL condition of the jobs that can be claimed, and its
// arguments. The jobs of disabled accounts cannot be claimed.
func (c *JobClaim) sqlCondition() (where string, args []any) {
	query := `j.kind = ? AND j.owner = ''
		AND NOT EXISTS (SELECT 1 FROM account x WHERE x.key = j.account AND x.disabled = 1)`
	args = []any{c.Kind}
	if c.Subjects != nil {
		query += " AND j.subject IN (''" + strings.Repeat(", ?", len(c.Subjects)) + ")"
		for _, subject := range c.Subjects {
			args = append(args, subject)
		}
	}
	for _, key := range c.Running {
		query += " AND j.key <> ?"
		args = append(args, key)
	}
	if c.MaxMemory > 0 {
		query += " AND j.memory <= ?"
		args = append(args, c.MaxMemory)
	}
	for _, account := range c.ExcludeAccounts {
		query += " AND j.account <> ?"
		args = append(args, account)
	}
	return query, args
}

// nextTurnSQL is an SQL expression for the new value of account.served when a process claims a job
// of an account. The account with the lowest value is next. The new value is greater than the value
// of every account with jobs, so that the jobs of all other accounts come first. The argument of
// the placeholder is the key of the account. The value is a counter and not a time, because turns
// must not depend on clocks.
const nextTurnSQL = `(SELECT max(served) + 1 FROM (SELECT served FROM account WHERE key = ?
	UNION ALL SELECT b.served FROM (SELECT DISTINCT account FROM job) q CROSS JOIN account b WHERE b.key = q.account) AS turns)`

// ClaimJob leases the next matching job to this process and returns it. Accounts take turns: the
// next job is the oldest job of the account whose last claim is longest ago. ClaimJob returns
// ErrNotFound if no job matches, or if the next job needs more than c.FreeMemory. It returns
// ErrNewerSchema if a newer version of this program has upgraded the database, because this version
// might misinterpret the job.
func (s *Store) ClaimJob(ctx context.Context, c JobClaim) (*Job, error) {
	where, args := c.sqlCondition()
	query := "SELECT " + jobColumns + " FROM job j JOIN account a ON a.key = j.account WHERE " + where + " ORDER BY a.served, j.created, j.key LIMIT 1"
	var j *Job
	next := func(t *Tx, locking string) (err error) {
		j, err = scanJob(t.tx.QueryRowContext(ctx, query+locking, args...))
		if err == nil && c.MaxMemory > 0 && j.Memory > c.FreeMemory {
			return ErrNotFound
		}
		return err
	}
	// This query does not take the write lock, so that idle workers do not delay writers.
	if err := s.ReadOneStatement(ctx, func(t *Tx) error { return next(t, "") }); err != nil {
		return nil, err
	}
	// Only one claim of a kind of job runs at a time, so that accounts take turns. Therefore read
	// committed is enough: the first statement waits for the earlier claim, and the next one locks
	// the row of the job.
	err := s.writeReadCommitted(ctx, func(t *Tx) error {
		if s.dialect.lockClaimsSQL != "" {
			if err := t.exec(ctx, s.dialect.lockClaimsSQL, c.Kind); err != nil {
				return err
			}
		}
		if err := next(t, s.dialect.skipLockedSQL); err != nil {
			return err
		}
		if err := t.checkSchema(ctx, s.db.Migration); err != nil {
			return err
		}
		j.Attempt++
		// The account may have been disabled or deleted since the query.
		err := t.execRequired(ctx, ErrNotFound, "UPDATE account SET served = "+nextTurnSQL+" WHERE key = ? AND disabled = 0", j.Account, j.Account)
		if err != nil {
			return err
		}
		return t.exec(ctx, "UPDATE job SET owner = ?, until = ?, attempt = ?, begun = ? WHERE key = ?",
			s.ProcessName(), t.toSharedMicros(c.Until), j.Attempt, toMicros(c.Now), j.Key)
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

// RenewJob extends the lease of this process on a job, and reports whether the job should be
// cancelled. It returns ErrLeaseLost if this process does not hold the lease or the job was
// deleted. The stored end of the lease always changes, even if the clock was set back:
// [Store.EndExpiredLeases] only checks whether it has changed.
func (s *Store) RenewJob(ctx context.Context, key string, until time.Time) (cancelled bool, err error) {
	// Read committed is enough: there is one statement, which reads only the row that it changes.
	err = s.db.ForRenewals().WriteReadCommitted(ctx, s.withTx(func(t *Tx) error {
		end := t.toSharedMicros(until)
		row := t.tx.QueryRowContext(ctx, "UPDATE job SET until = CASE WHEN until < ? THEN ? ELSE until + 1 END WHERE key = ? AND owner = ? RETURNING cancelled",
			end, end, key, s.ProcessName())
		return row.Scan(&cancelled)
	}))
	if errors.Is(err, ErrNotFound) {
		err = ErrLeaseLost
	}
	return cancelled, err
}

// ReleaseJob ends the lease of this process and queues the job again. The claim does not count as
// an attempt. queuedAt is when the job began to wait. If the job is a race, ReleaseJob also deletes
// the jobs of its algorithms that other workers train.
func (s *Store) ReleaseJob(ctx context.Context, key string, queuedAt time.Time) error {
	// Read committed is enough: the first statement locks the row of the job until the end of the
	// transaction, and the others do nothing unless this row is queued.
	return s.writeReadCommitted(ctx, func(t *Tx) error {
		err := t.exec(ctx, "UPDATE job SET owner = '', attempt = attempt - 1, begun = ? WHERE key = ? AND owner = ?",
			toMicros(queuedAt), key, s.ProcessName())
		if err != nil {
			return err
		}
		if err := t.deletePartJobsOfQueuedRace(ctx, key); err != nil {
			return err
		}
		return t.notifyJobs(ctx, "")
	})
}

// FinishJob deletes a job that the given process has leased. It returns ErrLeaseLost if that
// process does not hold the lease. It must be called in the transaction that writes the result of
// the job, so that no result is written without the lease.
func (t *Tx) FinishJob(ctx context.Context, key, process string) error {
	return t.execRequired(ctx, ErrLeaseLost, "DELETE FROM job WHERE key = ? AND owner = ?", key, process)
}

// CheckLease returns ErrLeaseLost unless the given process holds the lease of a job. Every
// transaction that writes while the job is running must call it.
func (t *Tx) CheckLease(ctx context.Context, key, process string) error {
	var one int
	err := t.tx.QueryRowContext(ctx, "SELECT 1 FROM job WHERE key = ? AND owner = ?", key, process).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrLeaseLost
	}
	return err
}

// DeleteJob deletes the job on a dataset, training job or prediction, even if the job is leased.
// subject is the key of this resource.
func (t *Tx) DeleteJob(ctx context.Context, subject string) error {
	return t.exec(ctx, "DELETE FROM job WHERE subject = ?", subject)
}

// DeleteQueuedJob deletes the job on a dataset, training job or prediction unless the job is
// leased. It reports whether it deleted one. subject is the key of this resource.
func (t *Tx) DeleteQueuedJob(ctx context.Context, subject string) (deleted bool, err error) {
	err = t.execRequired(ctx, ErrNotFound, "DELETE FROM job WHERE subject = ? AND owner = ''", subject)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// JobState is the state of a queued or leased job.
type JobState struct {
	Subject, Account, Kind string
	// Process is the process that runs the job unless a worker claims it first, or empty; see
	// [Job].
	Process string
	// Owner is the process that holds the lease. It is empty if the job is not leased.
	Owner   string
	Created time.Time
}

const jobStateColumns = "subject, account, kind, process, owner, created"

func scanJobState(row rowScanner) (*JobState, error) {
	var j JobState
	var created int64
	err := row.Scan(&j.Subject, &j.Account, &j.Kind, &j.Process, &j.Owner, &created)
	j.Created = fromMicros(created)
	return &j, err
}

// GetJobState returns the state of the job on a dataset, training job or prediction. subject is the
// key of this resource. It returns ErrNotFound if there is no job.
func (t *Tx) GetJobState(ctx context.Context, subject string) (*JobState, error) {
	j, err := scanJobState(t.tx.QueryRowContext(ctx, "SELECT "+jobStateColumns+" FROM job WHERE subject = ?", subject))
	return j, database.TranslateError(err)
}

// ListJobStates returns the states of all jobs of an account.
func (t *Tx) ListJobStates(ctx context.Context, account string) ([]*JobState, error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT "+jobStateColumns+" FROM job WHERE account = ?", account)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, scanJobState)
}

// AdoptJobAndClearDeadline sets the Process of a job to the given process, which may then run the
// job; see [Job]. subject is the key of the dataset, race or prediction of the job. If it is a race,
// the race no longer has a deadline, because a client of the earlier process set it. If there is no
// job on the subject, only the deadline changes.
func (t *Tx) AdoptJobAndClearDeadline(ctx context.Context, subject, process string) error {
	if err := t.exec(ctx, "UPDATE training SET deadline = 0 WHERE key = ?", subject); err != nil {
		return err
	}
	if err := t.exec(ctx, "UPDATE job SET process = ? WHERE subject = ?", process, subject); err != nil {
		return err
	}
	return t.notifyJobs(ctx, "")
}

// CountJobsBefore returns the number of jobs of j's kind that are leased or will be claimed before
// j, in the order of [Store.ClaimJob].
func (t *Tx) CountJobsBefore(ctx context.Context, j *JobState) (int, error) {
	var older, running int
	row := t.tx.QueryRowContext(ctx, `SELECT coalesce(sum(CASE WHEN owner = '' AND account = ? AND created < ? THEN 1 ELSE 0 END), 0),
		coalesce(sum(CASE WHEN owner <> '' THEN 1 ELSE 0 END), 0) FROM job WHERE kind = ?`, j.Account, toMicros(j.Created), j.Kind)
	if err := row.Scan(&older, &running); err != nil {
		return 0, err
	}
	// older is the number of queued jobs of j's account that are claimed before j. Accounts take
	// turns. Therefore at most this many jobs of each other account are claimed before j, plus one
	// if the turn of that account is before the turn of j's account.
	var others int
	row = t.tx.QueryRowContext(ctx, `SELECT coalesce(sum(CASE WHEN n < turns THEN n ELSE turns END), 0) FROM (
		SELECT count(*) AS n, ? + (CASE WHEN a.served < me.served THEN 1 ELSE 0 END) AS turns
		FROM job j JOIN account a ON a.key = j.account JOIN account me ON me.key = ?
		WHERE j.kind = ? AND j.owner = '' AND a.disabled = 0 AND j.account <> me.key GROUP BY j.account, a.served, me.served) AS waiting`,
		older, j.Account, j.Kind)
	err := row.Scan(&others)
	return older + running + others, err
}

// JobCount is the number of queued and leased jobs of a kind.
type JobCount struct {
	Kind string
	// Queued does not count the jobs of disabled accounts, which no process may run.
	Queued, Running int64
	// Oldest is when the job that has waited longest began to wait. It is zero if Queued is 0.
	Oldest time.Time
}

// queuedAtSQL is an SQL expression for the time when a queued job j began to wait. For a queued
// job, the column begun is when the job was last queued again, or 0 if it was queued only once. For
// a leased job, it is when the attempt began.
const queuedAtSQL = "CASE WHEN j.begun > 0 THEN j.begun ELSE j.created END"

// CountJobs counts the jobs of all processes by kind.
func (t *Tx) CountJobs(ctx context.Context) ([]*JobCount, error) {
	rows, err := t.tx.QueryContext(ctx, `SELECT j.kind, sum(CASE WHEN j.owner = '' AND a.disabled = 0 THEN 1 ELSE 0 END),
		sum(CASE WHEN j.owner = '' THEN 0 ELSE 1 END),
		coalesce(min(CASE WHEN j.owner = '' AND a.disabled = 0 THEN `+queuedAtSQL+` END), 0)
		FROM job j JOIN account a ON a.key = j.account GROUP BY j.kind`)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, func(row rowScanner) (*JobCount, error) {
		var c JobCount
		var oldest int64
		err := row.Scan(&c.Kind, &c.Queued, &c.Running, &oldest)
		c.Oldest = fromMicros(oldest)
		return &c, err
	})
}
