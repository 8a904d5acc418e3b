package store

import (
	"testing"
	"time"

	"foretell/internal/store/process"
	"foretell/internal/testenv"
)

// hourAhead is the registration of a process on a machine whose clock is an hour ahead.
type hourAhead struct{ process.Registry }

// ClockOffset returns the offset of the other registration less one hour.
func (h hourAhead) ClockOffset() time.Duration { return h.Registry.ClockOffset() - time.Hour }

// TestSessionsOnMachinesWithDifferentClocks checks a machine whose clock is an hour ahead. It must
// not end the sessions that other machines have opened, and the other machines must see the right
// duration of its sessions.
func TestSessionsOnMachinesWithDifferentClocks(t *testing.T) {
	address := testenv.Postgres(t)
	right, fast := openStore(t, address), openStore(t, address)
	suite{right, nil}.fill(t)
	fast.db.Processes = hourAhead{fast.db.Processes}
	now := time.Now()
	ahead := now.Add(time.Hour)
	insert := func(s *Store, hash string, now time.Time) {
		write(t, s, func(tx *Tx) error {
			return tx.InsertSession(t.Context(), &Session{Hash: hash, Account: "ann", Created: now, Expires: now.Add(30 * time.Minute)})
		})
	}
	insert(right, "right", now)
	insert(fast, "fast", ahead)
	if err := fast.DeleteExpiredSessions(t.Context(), ahead); err != nil {
		t.Error(err)
	}
	for _, machine := range []struct {
		name string
		s    *Store
		now  time.Time
	}{{"right", right, now}, {"fast", fast, ahead}} {
		for _, hash := range []string{"right", "fast"} {
			read(t, machine.s, func(tx *Tx) error {
				if _, err := tx.GetAccountByToken(t.Context(), hash, machine.now.Add(29*time.Minute)); err != nil {
					t.Errorf("on the machine %q the session %q has ended after 29 minutes: %v", machine.name, hash, err)
				}
				_, err := tx.GetAccountByToken(t.Context(), hash, machine.now.Add(31*time.Minute))
				wantErr(t, err, ErrNotFound)
				return nil
			})
		}
		read(t, machine.s, func(tx *Tx) error {
			sessions, err := tx.ListSessions(t.Context(), "ann", machine.now)
			if len(sessions) != 2 {
				t.Errorf("on the machine %q there are %d sessions", machine.name, len(sessions))
			}
			for _, s := range sessions {
				if off := s.Created.Sub(machine.now).Abs(); off > time.Minute {
					t.Errorf("on the machine %q the session %q began at %s, now is %s", machine.name, s.Hash, s.Created, machine.now)
				}
			}
			return err
		})
	}
}

// TestJobsOnMachinesWithDifferentClocks queues a job on a machine whose clock is an hour ahead. The
// other machines must see the right time since when it waits.
func TestJobsOnMachinesWithDifferentClocks(t *testing.T) {
	address := testenv.Postgres(t)
	right, fast := openStore(t, address), openStore(t, address)
	suite{right, nil}.fill(t)
	fast.db.Processes = hourAhead{fast.db.Processes}
	now := time.Now()
	ahead := now.Add(time.Hour)
	write(t, fast, func(tx *Tx) error {
		return tx.InsertJob(t.Context(), &Job{Key: "job-1", Account: "ann", Kind: "train", Subject: "ann-1", Created: ahead})
	})
	check := func(when string) {
		t.Helper()
		for _, machine := range []struct {
			name string
			s    *Store
			now  time.Time
		}{{"right", right, now}, {"fast", fast, ahead}} {
			read(t, machine.s, func(tx *Tx) error {
				counts, err := tx.CountJobs(t.Context())
				if err != nil || len(counts) != 1 || counts[0].Oldest.Sub(machine.now).Abs() > time.Minute {
					t.Errorf("%s, on the machine %q: %v, counts %+v, now is %s", when, machine.name, err, counts, machine.now)
				}
				jobs, _, err := tx.ListJobs(t.Context(), "", Page{Limit: 10})
				if err != nil || len(jobs) != 1 || jobs[0].Created.Sub(machine.now).Abs() > time.Minute {
					t.Errorf("%s, on the machine %q: %v, jobs %+v, now is %s", when, machine.name, err, jobs, machine.now)
				}
				return nil
			})
		}
	}
	check("queued")
	j, err := fast.ClaimJob(t.Context(), JobClaim{Kind: "train", Now: ahead, Until: ahead.Add(time.Minute)})
	if err != nil || j.QueuedAt.Sub(ahead).Abs() > time.Minute {
		t.Fatalf("claimed %+v: %v", j, err)
	}
	if err := fast.ReleaseJob(t.Context(), j.Key, ahead); err != nil {
		t.Fatal(err)
	}
	check("released")
	write(t, fast, func(tx *Tx) error { return tx.ReleaseAllJobs(t.Context(), ahead) })
	check("restored")
}
