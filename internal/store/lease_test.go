package store

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/store/process"
	"foretell/internal/testenv"
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

// partsOfQueuedRace checks that the parts of a race lose their jobs when the race is queued again. The
// worker of a part could otherwise have too little free memory for the race until the part ends.
func (s suite) partsOfQueuedRace(t *testing.T) {
	s.fill(t)
	race := func(key string) {
		t.Helper()
		write(t, s.Store, func(tx *Tx) error {
			return errors.Join(
				tx.InsertTraining(t.Context(), &Training{Key: key, Account: "ann", Dataset: "d1", Status: api.TrainingRunning}),
				tx.InsertTraining(t.Context(), &Training{Key: key + " run", Account: "ann", Dataset: "d1", Parent: key, Status: api.TrainingRunning}),
				tx.InsertJob(t.Context(), &Job{Key: "job " + key, Account: "ann", Kind: "train", Subject: key, Created: at(0)}),
				tx.InsertJob(t.Context(), &Job{Key: "part " + key, Account: "ann", Kind: "part", Subject: key + " run", Created: at(0)}))
		})
	}
	claim := func(by *Store, kind string) {
		t.Helper()
		if _, err := by.ClaimJob(t.Context(), JobClaim{Kind: kind, Until: at(10)}); err != nil {
			t.Fatal(err)
		}
	}
	race("released")
	claim(s.Store, "train")
	claim(s.Store, "part")
	race("taken over")
	if err := s.ReleaseJob(t.Context(), "job released", at(1)); err != nil {
		t.Fatal(err)
	}
	_, err := s.RenewJob(t.Context(), "part released", at(20))
	wantErr(t, err, ErrLeaseLost)
	write(t, s.Store, func(tx *Tx) error { return tx.DeleteJob(t.Context(), "released") })

	dead := s.open(t)
	claim(dead, "train")
	claim(s.Store, "part")
	if _, err := s.RenewJob(t.Context(), "part taken over", at(20)); err != nil {
		t.Error(err)
	}
	s.kill(t, dead)
	if err := s.EndExpiredLeases(t.Context(), LeaseCheck{Now: at(30), Timeout: process.Timeout}); err != nil {
		t.Fatal(err)
	}
	_, err = s.RenewJob(t.Context(), "part taken over", at(40))
	wantErr(t, err, ErrLeaseLost)
	claim(s.Store, "train")

	race("of a disabled account")
	claim(s.Store, "part")
	for _, disabled := range []bool{true, false} {
		write(t, s.Store, func(tx *Tx) error { return tx.UpdateDisabled(t.Context(), "ann", disabled, at(50)) })
	}
	_, err = s.ClaimJob(t.Context(), JobClaim{Kind: "part", Until: at(60)})
	wantErr(t, err, ErrNotFound)
}

// TestLeaseAfterLongWrite holds the write lock of SQLite until a lease has expired. The process
// that holds the lease is alive but could not renew it, so it must get time for that.
func TestLeaseAfterLongWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rows.db")
	checker, runner := openStore(t, path), openStore(t, path)
	s := suite{Store: checker, open: func(t *testing.T) *Store { t.Helper(); return openStore(t, path) }}
	j := s.leaseJob(t, runner)
	check := func(second int) {
		t.Helper()
		if err := checker.EndExpiredLeases(t.Context(), LeaseCheck{Now: at(second), Timeout: process.Timeout}); err != nil {
			t.Error(err)
		}
	}
	renewed := make(chan error)
	var all sync.WaitGroup
	write(t, checker, func(*Tx) error {
		begun := make(chan struct{}, 2)
		go func() {
			begun <- struct{}{}
			_, err := runner.RenewJob(t.Context(), j.Key, at(50))
			renewed <- err
		}()
		check(0)
		check(5)
		all.Go(func() {
			begun <- struct{}{}
			check(10)
		})
		<-begun
		<-begun
		time.Sleep(100 * time.Millisecond) // both wait for the lock
		return nil
	})
	if err := <-renewed; err != nil {
		t.Error(err)
	}
	all.Wait()
}

// TestRenewalDuringBlockedWrites locks a table, so that as many writers of a process wait as it has write
// connections. It must renew its leases nevertheless.
func TestRenewalDuringBlockedWrites(t *testing.T) {
	t.Parallel()
	address := testenv.Postgres(t)
	runner, locker := openStore(t, address), openStore(t, address)
	s := suite{Store: runner, open: func(t *testing.T) *Store { t.Helper(); return openStore(t, address) }}
	j := s.leaseJob(t, runner)
	var all sync.WaitGroup
	write(t, locker, func(tx *Tx) error {
		if err := tx.exec(t.Context(), "LOCK TABLE training IN SHARE MODE"); err != nil {
			return err
		}
		began := make(chan struct{})
		for range 4 {
			all.Go(func() {
				begin := sync.OnceFunc(func() { began <- struct{}{} })
				write(t, runner, func(tx *Tx) error {
					begin()
					return tx.exec(t.Context(), "UPDATE training SET curve = '[]' WHERE key = 't1'")
				})
			})
		}
		for range 4 {
			<-began
		}
		ctx, done := context.WithTimeout(t.Context(), 4*time.Second)
		defer done()
		if _, err := runner.RenewJob(ctx, j.Key, at(50)); err != nil {
			t.Error(err)
		}
		return nil
	})
	all.Wait()
}
