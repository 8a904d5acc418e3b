package store

import (
	"context"
	"time"
)

// ListedJob is a job in the list of the jobs of all accounts.
type ListedJob struct {
	JobState
	// Key is the key of the job, and Email the email of its account.
	Key, Email string
	Attempt    int
	// Memory is the estimated peak memory in bytes, or 0 if the job needs little.
	Memory int64
	// Begun is when the current attempt of a leased job began. It is zero if a process of an
	// earlier version leased the job. For a queued job, Begun is when the job was queued again, or
	// zero if it was queued only once.
	Begun time.Time
	// AccountDisabled reports whether the account is disabled, so that no process may run the job.
	AccountDisabled bool
}

// ListJobs returns a page of the jobs of all accounts, and the number of jobs on all
// pages. Leased jobs come before queued jobs, and older jobs before newer ones. If email
// is not empty, only the jobs of the account with this email are listed.
func (t *Tx) ListJobs(ctx context.Context, email string, page Page) (jobs []*ListedJob, total int64, err error) {
	list := listQuery{
		columns: "j.subject, j.account, j.kind, j.process, j.owner, j.created, j.key, a.email, j.attempt, j.memory, j.begun, a.disabled",
		from:    "job j JOIN account a ON a.key = j.account", order: "CASE WHEN j.owner = '' THEN 1 ELSE 0 END, j.created, j.key",
	}
	if email != "" {
		list.addCondition("a.email = ?", email)
	}
	return listPage(ctx, t, list, page, func(row rowScanner) (*ListedJob, error) {
		var j ListedJob
		var created, begun int64
		err := row.Scan(&j.Subject, &j.Account, &j.Kind, &j.Process, &j.Owner, &created, &j.Key, &j.Email, &j.Attempt, &j.Memory, &begun, &j.AccountDisabled)
		j.Created, j.Begun = t.fromSharedMicros(created), t.fromSharedMicros(begun)
		return &j, err
	})
}

// JobQueue holds the number of queued and leased jobs of an account.
type JobQueue struct {
	Email           string
	Queued, Running int64
	// Oldest is when the queued job that has waited longest began to wait. It is zero if no job is
	// queued, or if the account is disabled.
	Oldest time.Time
	// Disabled reports whether the account is disabled, so that no process may run the queued jobs.
	Disabled bool
}

// ListJobQueues returns the number of jobs of each account that has any, in descending order of
// Queued.
func (t *Tx) ListJobQueues(ctx context.Context) ([]*JobQueue, error) {
	rows, err := t.tx.QueryContext(ctx, `SELECT a.email, sum(CASE WHEN j.owner = '' THEN 1 ELSE 0 END) AS queued,
		sum(CASE WHEN j.owner = '' THEN 0 ELSE 1 END), coalesce(min(CASE WHEN j.owner = '' AND a.disabled = 0 THEN `+queuedAtSQL+` END), 0), a.disabled
		FROM job j JOIN account a ON a.key = j.account GROUP BY a.email, a.disabled ORDER BY queued DESC, a.email`)
	if err != nil {
		return nil, err
	}
	return scanAllAndClose(rows, func(row rowScanner) (*JobQueue, error) {
		var q JobQueue
		var oldest int64
		err := row.Scan(&q.Email, &q.Queued, &q.Running, &oldest, &q.Disabled)
		q.Oldest = t.fromSharedMicros(oldest)
		return &q, err
	})
}

// CountRunningJobs returns the number of leased jobs of each process, by name of the process.
func (t *Tx) CountRunningJobs(ctx context.Context) (byProcess map[string]int64, err error) {
	rows, err := t.tx.QueryContext(ctx, "SELECT owner, count(*) FROM job WHERE owner <> '' GROUP BY owner")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	counts := map[string]int64{}
	for rows.Next() {
		var owner string
		var n int64
		if err := rows.Scan(&owner, &n); err != nil {
			return nil, err
		}
		counts[owner] = n
	}
	return counts, rows.Err()
}
