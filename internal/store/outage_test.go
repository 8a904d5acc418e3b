package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"foretell/internal/testenv"
)

// TestOutage checks that operations soon return ErrUnavailable during an outage, and succeed after
// it.
func TestOutage(t *testing.T) {
	relay, address := testenv.StartRelay(t, testenv.Postgres(t))
	s := openStore(t, address)
	dialect := *s.dialect
	dialect.timeout = 300 * time.Millisecond
	impatient := *s // the same store, which does not wait long for a server that does not respond
	impatient.dialect = &dialect
	used := s
	touch := func() error {
		return used.Write(t.Context(), func(tx *Tx) error { return tx.UpsertWorker(t.Context(), &Worker{Process: "w"}) })
	}
	look := func() error {
		return used.Read(t.Context(), func(tx *Tx) error { _, err := tx.ListWorkers(t.Context()); return err })
	}
	for _, mode := range []testenv.RelayMode{testenv.Refusing, testenv.Hanging} {
		relay.SetMode(testenv.Forwarding)
		for name, op := range map[string]func() error{"a write": touch, "a read": look, "a ping": func() error { return used.Ping(t.Context()) }} {
			if err := op(); err != nil {
				t.Errorf("%s before the outage: %v", name, err)
			}
		}
		relay.SetMode(mode)
		used = &impatient
		for name, op := range map[string]func() error{"a write": touch, "a read": look, "a ping": func() error { return used.Ping(t.Context()) }} {
			began := time.Now()
			wantErr(t, op(), ErrUnavailable)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("%s took %s to fail", name, took)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		err := used.Read(ended, func(tx *Tx) error { _, err := tx.ListWorkers(ended); return err })
		wantErr(t, err, context.Canceled)
		used = s
	}
	relay.SetMode(testenv.Forwarding)
	for _, op := range []func() error{touch, look} {
		if err := op(); err != nil {
			t.Errorf("after the outage: %v", err)
		}
	}
}

// TestCommitUnknown checks that an error says whether the transaction may have been committed.
func TestCommitUnknown(t *testing.T) {
	for _, mode := range []testenv.RelayMode{testenv.Refusing, testenv.Hanging} {
		relay, address := testenv.StartRelay(t, testenv.Postgres(t))
		s := openStore(t, address)
		dialect := *s.dialect
		dialect.timeout = time.Second
		impatient := *s
		impatient.dialect = &dialect
		write := func() error {
			return impatient.Write(t.Context(), func(tx *Tx) error {
				err := tx.UpsertWorker(t.Context(), &Worker{Process: "w"})
				relay.SetMode(mode)
				return err
			})
		}
		wantErr(t, write(), ErrCommitUnknown)
		if err := write(); !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrCommitUnknown) {
			t.Errorf("before the commit: %v", err)
		}
		relay.SetMode(testenv.Forwarding)
	}
}

// TestNoTakeoverAfterOutage checks that, after an outage, a process takes no job from another
// process: the outage may have prevented the heartbeats of that process.
func TestNoTakeoverAfterOutage(t *testing.T) {
	address := testenv.Postgres(t)
	s, other := openStore(t, address), openStore(t, address)
	j := suite{s, nil}.leaseJob(t, other)
	p := stopHeartbeats(t, s)
	renew := func(second int) {
		t.Helper()
		p.mu.Lock()
		p.others.observed = time.Now().Add(-time.Duration(second) * time.Second) // the last heartbeat of p
		p.mu.Unlock()
		if err := p.renewAndDeleteDead(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stopHeartbeats(t, other)
	free := func(second int) (claimable bool) {
		t.Helper()
		err := s.EndExpiredLeases(t.Context(), LeaseCheck{Now: at(second), Timeout: processTimeout})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(second + 10)})
		return err == nil
	}
	renew(1)
	if free(0) {
		t.Fatal("the job of a live process was claimed")
	}
	renew(3600)
	if !s.IsProcessAlive(other.ProcessName()) || free(3600) {
		t.Error("the other process counts as dead after an hour's outage")
	}
	if _, err := other.RenewJob(t.Context(), j.Key, at(50)); err != nil {
		t.Error(err)
	}
	for range 3 {
		renew(4)
	}
	if s.IsProcessAlive(other.ProcessName()) {
		t.Error("a process without a heartbeat since the outage counts as alive")
	}
	if !free(3601) {
		t.Error("its job cannot be claimed")
	}
}

// leaseJob queues a job, leases it for process and returns it.
func (s suite) leaseJob(t *testing.T, process *Store) *Job {
	t.Helper()
	s.fill(t)
	write(t, s.Store, func(tx *Tx) error {
		return tx.InsertJob(t.Context(), &Job{Key: "1", Account: "ann", Kind: "kind", Subject: "1", Created: at(0)})
	})
	j, err := process.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(10)})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// stopHeartbeats ends the periodic heartbeats of a process on PostgreSQL.
func stopHeartbeats(t *testing.T, s *Store) *processRow {
	t.Helper()
	p := s.processes.(*processRow)
	p.stop()
	<-p.done
	return p
}

// TestServerClockIsSet checks that setting the clock of the server neither ends the leases of
// live processes nor prolongs those of dead ones. The test changes all stored times instead of
// the clock, with the same effect.
func TestServerClockIsSet(t *testing.T) {
	address := testenv.Postgres(t)
	s, other := openStore(t, address), openStore(t, address)
	j := suite{s, nil}.leaseJob(t, other)
	observer := stopHeartbeats(t, s)
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		write(t, s, func(tx *Tx) error {
			return errors.Join(tx.exec(t.Context(), "UPDATE process SET until = until - ?", jump.Microseconds()),
				tx.exec(t.Context(), "UPDATE job SET until = until - ?", jump.Microseconds()))
		})
		if err := observer.renewAndDeleteDead(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !s.IsProcessAlive(other.ProcessName()) {
			t.Errorf("after a jump of %s a live process counts as dead", jump)
		}
		err := s.EndExpiredLeases(t.Context(), LeaseCheck{Now: time.Now(), Timeout: processTimeout})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.RenewJob(t.Context(), j.Key, time.Now().Add(processTimeout)); err != nil {
			t.Errorf("after a jump of %s: %v", jump, err)
		}
	}
	stopHeartbeats(t, other)
	for range 4 { // the row of other says that it lives for an hour
		observer.mu.Lock()
		observer.others.observed = observer.others.observed.Add(-4 * time.Second)
		observer.mu.Unlock()
		if err := observer.renewAndDeleteDead(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s.IsProcessAlive(other.ProcessName()) {
		t.Error("a dead process counts as alive because the clock was set back")
	}
}

// TestSharedTime checks that deadlines from machines with different clocks are compared by the
// clock of the server.
func TestSharedTime(t *testing.T) {
	s := openStore(t, testenv.Postgres(t))
	p := stopHeartbeats(t, s)
	if off := time.Until(s.ToSharedTime(time.Now())).Abs(); off > time.Minute {
		t.Errorf("the server's clock differs by %s", off)
	}
	p.mu.Lock()
	p.serverTime = p.serverTime.Add(time.Hour) // this machine's clock is an hour behind
	p.mu.Unlock()
	if off := (time.Until(s.ToSharedTime(time.Now())) - time.Hour).Abs(); off > time.Minute {
		t.Errorf("the shared time differs by %s", off)
	}
}
