package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// renewals measures how long ago each of several stored values last changed. The values are
// heartbeats: each living process changes its value regularly. A value is compared only with its
// earlier value, and time is that of the monotonic clock of this process. Therefore wrong clocks of
// other machines, or clocks that are set, have no effect. The zero value is ready to use.
type renewals struct {
	values   map[string]renewal
	observed time.Time // time of the last observation
}

type renewal struct {
	value     int64
	unchanged time.Duration
}

// maxObservationGap is the most that the time between two observations adds to renewal.unchanged. A
// longer time means that this process or the database was suspended. The other processes may have
// been suspended, too, and must have time to renew their values before this process considers them
// dead.
const maxObservationGap = 5 * time.Second

// observe stores the current values. For each value that equals its last observation, observe adds
// the time since then, but at most maxObservationGap, to the unchanged time. The parameter now
// should have a monotonic clock reading.
func (r *renewals) observe(now time.Time, values map[string]int64) {
	gap := min(max(now.Sub(r.observed), 0), maxObservationGap)
	compared := make(map[string]renewal, len(values))
	for key, value := range values {
		compared[key] = renewal{value: value}
		if before, ok := r.values[key]; ok && before.value == value {
			compared[key] = renewal{value, before.unchanged + gap}
		}
	}
	r.values, r.observed = compared, now
}

// leaseChecks has the observations of the calls of [Store.EndExpiredLeases].
type leaseChecks struct {
	mu       sync.Mutex
	renewals renewals // of the leases, by key of the job
}

// LeaseCheck has the parameters of [Store.EndExpiredLeases].
type LeaseCheck struct {
	// Now is the time of the check. Only differences between checks are used, so Now should
	// have a monotonic clock reading.
	Now time.Time
	// Timeout is how long a lease lasts without [Store.RenewJob].
	Timeout time.Duration
	// Running are the keys of the jobs that this process runs. Their leases do not end.
	Running []string
	// OnEnded is called for each job whose lease this call has ended, with the process that had the
	// lease. It may be nil.
	OnEnded func(job, process string)
}

// leaseInterval is the minimum time between two checks of all leases. EndExpiredLeases checks
// earlier if a process may have died.
const leaseInterval = maxObservationGap

// EndExpiredLeases ends the leases of dead processes, and leases that were not renewed for
// c.Timeout. The timeout is measured between calls of EndExpiredLeases, so it must be called
// regularly. It returns immediately if nothing can have changed since the last call.
func (s *Store) EndExpiredLeases(ctx context.Context, c LeaseCheck) error {
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	since := c.Now.Sub(s.leases.renewals.observed)
	if !s.processes.anyMayHaveDied() && since >= 0 && since < leaseInterval {
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
	s.leases.renewals.observe(c.Now, values)
	for _, l := range leases {
		expired := s.leases.renewals.values[l.key].unchanged >= c.Timeout && !slices.Contains(c.Running, l.key)
		if !expired && s.IsProcessAlive(l.owner) {
			continue
		}
		switch err := s.endLease(ctx, l); {
		case errors.Is(err, ErrNotFound): // it was renewed, or another process has ended it
		case err != nil:
			return err
		case c.OnEnded != nil:
			c.OnEnded(l.key, l.owner)
		}
	}
	return nil
}

// lease is the lease of a job.
type lease struct {
	key, owner string
	until      int64
}

// listLeases returns the leases of all processes.
func (s *Store) listLeases(ctx context.Context) (leases []lease, err error) {
	err = s.ReadStatement(ctx, func(t *Tx) error {
		rows, err := t.tx.QueryContext(ctx, "SELECT key, owner, until FROM job WHERE owner <> ''")
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

// endLease ends a lease. It returns ErrNotFound if the lease was renewed or has ended since
// listLeases read it.
func (s *Store) endLease(ctx context.Context, l lease) error {
	return s.writeStatement(ctx, func(t *Tx) error {
		if err := t.execRequired(ctx, ErrNotFound, "UPDATE job SET owner = '' WHERE key = ? AND owner = ? AND until = ?", l.key, l.owner, l.until); err != nil {
			return err
		}
		return t.notifyJobs(ctx, "")
	})
}
