package store

import (
	"context"
	"testing"
	"time"

	"foretell/internal/store/process"
)

// notifications checks that a process is notified of the jobs that another one queues or
// releases.
func (s suite) notifications(t *testing.T) {
	s.fill(t)
	other := s.open(t)
	ctx, stop := context.WithCancel(t.Context())
	changes, ended := make(chan string), make(chan error)
	go func() {
		ended <- s.WatchJobs(ctx, func(kind string) {
			select {
			case changes <- kind:
			case <-ctx.Done():
			}
		})
	}()
	await := func(what, want string) {
		t.Helper()
		select {
		case got := <-changes:
			if s.IsOnServer() && got != want {
				t.Errorf("%s: notified of the kind %q, want %q", what, got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: no notification", what)
		}
	}
	await("at first", "")
	write(t, other, func(tx *Tx) error {
		return tx.InsertJob(t.Context(), &Job{Key: "1", Account: "ann", Kind: "kind", Subject: "1", Created: at(0)})
	})
	await("queued", "kind")
	if _, err := other.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(10)}); err != nil {
		t.Fatal(err)
	}
	if !s.IsOnServer() {
		await("changed", "")
	}
	if err := other.ReleaseJob(t.Context(), "1", at(1)); err != nil {
		t.Fatal(err)
	}
	await("released", "")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// leaseJob queues a job, leases it for the process by and returns it.
func (s suite) leaseJob(t *testing.T, by *Store) *Job {
	t.Helper()
	s.fill(t)
	write(t, s.Store, func(tx *Tx) error {
		return tx.InsertJob(t.Context(), &Job{Key: "1", Account: "ann", Kind: "kind", Subject: "1", Created: at(0)})
	})
	j, err := by.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(10)})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// leasesAfterOutage checks that, after an outage, a process takes no job from another process: the
// outage may have prevented the renewal of its lease.
func (s suite) leasesAfterOutage(t *testing.T) {
	other := s.open(t)
	j := s.leaseJob(t, other)
	free := func(second int) (claimable bool) {
		t.Helper()
		if err := s.EndExpiredLeases(t.Context(), LeaseCheck{Now: at(second), Timeout: process.Timeout}); err != nil {
			t.Fatal(err)
		}
		_, err := s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(second + 10)})
		return err == nil
	}
	if free(0) {
		t.Fatal("the job of a live process was claimed")
	}
	if free(3600) {
		t.Error("the job can be claimed after an hour's outage")
	}
	if _, err := other.RenewJob(t.Context(), j.Key, at(50)); err != nil {
		t.Error(err)
	}
	s.kill(t, other)
	if !free(3605) {
		t.Error("the job of a dead process cannot be claimed")
	}
}

// leasesAfterClockWasSet checks that setting the clock of the server does not end the leases of live
// processes. The test changes the stored times instead of the clock, with the same effect.
func (s suite) leasesAfterClockWasSet(t *testing.T) {
	other := s.open(t)
	j := s.leaseJob(t, other)
	for i, jump := range []time.Duration{time.Hour, -time.Hour} {
		write(t, s.Store, func(tx *Tx) error {
			return tx.exec(t.Context(), "UPDATE job SET until = until - ?", jump.Microseconds())
		})
		if err := s.EndExpiredLeases(t.Context(), LeaseCheck{Now: at(10 * i), Timeout: process.Timeout}); err != nil {
			t.Fatal(err)
		}
		if _, err := other.RenewJob(t.Context(), j.Key, at(10*i+10)); err != nil {
			t.Errorf("after a jump of %s: %v", jump, err)
		}
	}
}
