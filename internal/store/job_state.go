package store

import (
	"context"
	"time"
)

// JobState is the state of a queued or leased job.
type JobState struct {
	Subject, Account, Kind string
	// Process is the only process that may run the job. If it is empty, any worker may run
	// it.
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

// GetJobState returns the state of the job on a subject. It returns ErrNotFound if
// there is no job.
func (t *Tx) GetJobState(ctx context.Context, subject string) (*JobState, error) {
	j, err := scanJobState(t.tx.QueryRowContext(ctx, "SELECT "+jobStateColumns+" FROM job WHERE subject = ?", subject))
	return j, translateError(err)
}

// ListJobStates returns the states of all jobs of an account.
func (t *Tx) ListJobStates(ctx context.Context, account string) ([]*JobState, error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT "+jobStateColumns+" FROM job WHERE account = ?", account)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, scanJobState)
}

// AdoptJobAndClearDeadline makes the given process the only one that may run the job on a
// dataset, race or prediction. It also clears the deadline of the race, which the client
// of another process requested. If there is no job on the subject,
// AdoptJobAndClearDeadline does nothing.
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
	// turns, so up to the same number of jobs of each other account are claimed before j, and one
	// more if the last claim of that account is longer ago.
	var others int
	row = t.tx.QueryRowContext(ctx, `SELECT coalesce(sum(CASE WHEN n < turns THEN n ELSE turns END), 0) FROM (
		SELECT count(*) AS n, ? + (CASE WHEN a.served < me.served THEN 1 ELSE 0 END) AS turns
		FROM job j JOIN account a ON a.key = j.account JOIN account me ON me.key = ?
		WHERE j.kind = ? AND j.owner = '' AND j.account <> me.key GROUP BY j.account, a.served, me.served) AS waiting`,
		older, j.Account, j.Kind)
	err := row.Scan(&others)
	return older + running + others, err
}
