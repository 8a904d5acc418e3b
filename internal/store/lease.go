package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"foretell/internal/store/process"
)

// leaseChecks holds the leases that the last call of [Store.EndExpiredLeases] observed.
type leaseChecks struct {
	mu         sync.Mutex
	checked    time.Time                // the time of that call
	heartbeats process.HeartbeatTracker // tracks the leases, by key of the job
}

// LeaseCheck holds the parameters of [Store.EndExpiredLeases].
type LeaseCheck struct {
	// Now is the time of the check. Only differences between checks are used, so Now should
	// have a monotonic clock reading.
	Now time.Time
	// Timeout is how long a lease lasts without [Store.RenewJob].
	Timeout time.Duration
	// Running are the keys of the jobs that this process runs. Their leases do not end.
	Running []string
	// OnEnded is called for each lease that this call has ended, with the key of the job and
	// the process that had the lease. It may be nil.
	OnEnded func(job, process string)
}

// leaseCheckInterval is the minimum time between two checks of all leases. EndExpiredLeases checks
// earlier if a process may have died.
const leaseCheckInterval = process.MaxObservationGap

// EndExpiredLeases ends the leases of dead processes, and leases that were not renewed for
// c.Timeout. It must be called regularly, because it measures the timeout from call to call. If the
// last check is less than leaseCheckInterval ago, it checks again only if a process may have died.
func (s *Store) EndExpiredLeases(ctx context.Context, c LeaseCheck) error {
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	since := c.Now.Sub(s.leases.checked)
	if !s.db.Processes.AnyMayHaveDied() && since >= 0 && since < leaseCheckInterval {
		return nil
	}
	leases, err := s.listLeases(ctx)
	if err != nil {
		return err
	}
	values := make(map[string]int64, len(leases))
	for _, l := range leases {
		values[l.key] = l.until
	}
	s.leases.heartbeats.Observe(c.Now, values)
	s.leases.checked = c.Now
	waited := s.IsOnServer() // no wait is necessary with PostgreSQL, where a writer locks only the rows and tables that it writes
	for _, l := range leases {
		expired := s.leases.heartbeats.SinceChange(l.key) >= c.Timeout && !slices.Contains(c.Running, l.key)
		alive := s.IsProcessAlive(l.owner)
		if !expired && alive {
			continue
		}
		if alive && !waited {
			if err := s.waitForRenewals(ctx); err != nil {
				return err
			}
			waited = true
		}
		switch err := s.endLease(ctx, l, c.Now); {
		case errors.Is(err, ErrNotFound): // it was renewed, or another process has ended it
		case err != nil:
			return err
		case c.OnEnded != nil:
			c.OnEnded(l.key, l.owner)
		}
	}
	return nil
}

// lease is the lease of a job: the key of the job, the name of the process that holds the lease,
// and until when it lasts, in Unix microseconds.
type lease struct {
	key, owner string
	until      int64
}

const leasesSQL = "SELECT key, owner, until FROM job WHERE owner <> ''"

// listLeases returns the leases of all processes.
func (s *Store) listLeases(ctx context.Context) (leases []lease, err error) {
	err = s.ReadOneStatement(ctx, func(t *Tx) error {
		rows, err := t.tx.QueryContext(ctx, leasesSQL)
		if err != nil {
			return err
		}
		defer rows.Close()
		leases = nil
		for rows.Next() {
			var l lease
			if err := rows.Scan(&l.key, &l.owner, &l.until); err != nil {
				return err
			}
			leases = append(leases, l)
		}
		return rows.Err()
	})
	return leases, err
}

// renewalWait is how long waitForRenewals waits for live processes to renew their leases.
var renewalWait = 2 * time.Second

// waitForRenewals lets live processes renew their leases after another process has held the write
// lock of SQLite for long. It waits until it gets this lock itself, and then for renewalWait.
func (s *Store) waitForRenewals(ctx context.Context) error {
	if err := s.writeReadCommitted(ctx, func(*Tx) error { return nil }); err != nil { // it has no statements
		return err
	}
	select {
	case <-time.After(renewalWait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endLease ends a lease. The job is then queued again, and begins to wait at the time now. If the
// job is a race, endLease also deletes the jobs of its algorithms that other workers train. It
// returns ErrNotFound if the lease was renewed or has ended since listLeases read it.
func (s *Store) endLease(ctx context.Context, l lease, now time.Time) error {
	// Read committed is enough: the first statement locks the row of the job until the end of the
	// transaction, and the others do nothing unless this row is queued.
	return s.writeReadCommitted(ctx, func(t *Tx) error {
		if err := t.execRequired(ctx, ErrNotFound, "UPDATE job SET owner = '', begun = ? WHERE key = ? AND owner = ? AND until = ?", t.toSharedMicros(now), l.key, l.owner, l.until); err != nil {
			return err
		}
		if err := t.deletePartJobsOfQueuedRace(ctx, l.key); err != nil {
			return err
		}
		return t.notifyJobs(ctx, "")
	})
}
