package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"foretell/internal/store/database"
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

func (t *Tx) scanJob(row rowScanner) (*Job, error) {
	var j Job
	var created, queuedAt int64
	err := row.Scan(&j.Key, &j.Account, &j.Kind, &j.Subject, &j.Attempt, &j.Memory, &created, &queuedAt)
	j.Created, j.QueuedAt = t.fromSharedMicros(created), t.fromSharedMicros(queuedAt)
	return &j, err
}

// InsertJob queues a job. It must be in the same transaction as the change of state for
// which the job is needed.
func (t *Tx) InsertJob(ctx context.Context, j *Job) error {
	err := t.exec(ctx, "INSERT INTO job (key, account, kind, subject, process, memory, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
		j.Key, j.Account, j.Kind, j.Subject, j.Process, j.Memory, t.toSharedMicros(j.Created))
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
			t.toSharedMicros(queuedAt), key, s.ProcessName())
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
// transaction that writes while the job is running must call it. With PostgreSQL, the lease may
// still end before the transaction is committed, so its changes must not harm the next attempt.
// FinishJob, in contrast, locks the row of the job.
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

func (t *Tx) scanJobState(row rowScanner) (*JobState, error) {
	var j JobState
	var created int64
	err := row.Scan(&j.Subject, &j.Account, &j.Kind, &j.Process, &j.Owner, &created)
	j.Created = t.fromSharedMicros(created)
	return &j, err
}

// GetJobState returns the state of the job on a dataset, training job or prediction. subject is the
// key of this resource. It returns ErrNotFound if there is no job.
func (t *Tx) GetJobState(ctx context.Context, subject string) (*JobState, error) {
	j, err := t.scanJobState(t.tx.QueryRowContext(ctx, "SELECT "+jobStateColumns+" FROM job WHERE subject = ?", subject))
	return j, database.TranslateError(err)
}

// ListJobStates returns the states of the jobs on datasets, training jobs or predictions of an
// account. subjects are the keys of these resources.
func (t *Tx) ListJobStates(ctx context.Context, account string, subjects []string) ([]*JobState, error) {
	args := make([]any, len(subjects), len(subjects)+1)
	for i, subject := range subjects {
		args[i] = subject
	}
	rows, err := t.tx.QueryContext(ctx, jobStatesSQL(len(subjects)), append(args, account)...)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, t.scanJobState)
}

// jobStatesSQL returns the SQL query of [Tx.ListJobStates] for n subjects.
func jobStatesSQL(n int) string {
	return "SELECT " + jobStateColumns + " FROM job WHERE subject IN " + placeholderList(n) + " AND account = ?"
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

// queuedBeforeSQL is the SQL query of the number of jobs of an account that were queued before a
// time, and of the number of leased jobs. waitingAccountsSQL is the end of an SQL query of the
// number of queued jobs of each account. With SQLite, both read only the index job_next for the queued jobs.
const (
	queuedBeforeSQL = `SELECT (SELECT count(*) FROM job WHERE kind = ? AND owner = '' AND account = ? AND created < ?),
		(SELECT count(CASE WHEN kind = ? THEN 1 END) FROM job WHERE owner <> '')`
	waitingAccountsSQL = "SELECT account, count(*) AS n FROM job WHERE kind = ? AND owner = '' GROUP BY account"
)

// CountJobsBefore returns the number of jobs of j's kind that are leased or will be claimed before
// j, in the order of [Store.ClaimJob].
func (t *Tx) CountJobsBefore(ctx context.Context, j *JobState) (int, error) {
	var older, running int
	row := t.tx.QueryRowContext(ctx, queuedBeforeSQL, j.Kind, j.Account, t.toSharedMicros(j.Created), j.Kind)
	if err := row.Scan(&older, &running); err != nil {
		return 0, err
	}
	// older is the number of queued jobs of j's account that are claimed before j. Accounts take
	// turns. Therefore at most this many jobs of each other account are claimed before j, plus one
	// if the turn of that account is before the turn of j's account.
	var others int
	row = t.tx.QueryRowContext(ctx, `SELECT coalesce(sum(CASE WHEN q.n < q.turns THEN q.n ELSE q.turns END), 0) FROM (
		SELECT w.n, ? + (CASE WHEN a.served < me.served THEN 1 ELSE 0 END) AS turns
		FROM (`+waitingAccountsSQL+`) AS w JOIN account a ON a.key = w.account JOIN account me ON me.key = ? WHERE a.disabled = 0 AND a.key <> me.key) AS q`,
		older, j.Kind, j.Account)
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
		c.Oldest = t.fromSharedMicros(oldest)
		return &c, err
	})
}
