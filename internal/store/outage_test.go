package store

import (
	"context"
	"testing"
	"time"

	"foretell/internal/testenv"
)

// An outage is ErrUnavailable, soon, and the store works again after it.
func TestOutage(t *testing.T) {
	relay, address := testenv.StartRelay(t, testenv.Postgres(t))
	s := openStore(t, address)
	impatient := *s.dialect
	impatient.timeout = 300 * time.Millisecond
	s.dialect = &impatient
	touch := func() error {
		return s.Write(t.Context(), func(tx *Tx) error { return tx.InsertWorker(t.Context(), &Worker{Process: "w"}) })
	}
	look := func() error {
		return s.Read(t.Context(), func(tx *Tx) error { _, err := tx.ListWorkers(t.Context()); return err })
	}
	for _, mode := range []testenv.RelayMode{testenv.Refusing, testenv.Hanging} {
		relay.Set(testenv.Forwarding)
		for name, op := range map[string]func() error{"a write": touch, "a read": look, "a ping": func() error { return s.Ping(t.Context()) }} {
			if err := op(); err != nil {
				t.Errorf("%s before the outage: %v", name, err)
			}
		}
		relay.Set(mode)
		for name, op := range map[string]func() error{"a write": touch, "a read": look, "a ping": func() error { return s.Ping(t.Context()) }} {
			began := time.Now()
			wantErr(t, op(), ErrUnavailable)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s took %s to fail", name, took)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		err := s.Read(ended, func(tx *Tx) error { _, err := tx.ListWorkers(ended); return err })
		wantErr(t, err, context.Canceled)
	}
	relay.Set(testenv.Forwarding)
	for _, op := range []func() error{touch, look} {
		if err := op(); err != nil {
			t.Errorf("after the outage: %v", err)
		}
	}
}

// After an outage a process takes no job from another, whose heartbeats the
// outage may have kept from arriving.
func TestNoTakeoverAfterOutage(t *testing.T) {
	address := testenv.Postgres(t)
	s, other := openSettled(t, address), openSettled(t, address)
	suite{s, nil}.fill(t)
	write(t, s, func(tx *Tx) error {
		return tx.InsertJob(t.Context(), &Job{Key: "1", Account: "ann", Kind: "kind", Subject: "1", Created: at(0)})
	})
	j, err := other.ClaimJob(t.Context(), JobClaim{Kind: "kind", Now: at(0), Until: at(10)})
	if err != nil {
		t.Fatal(err)
	}
	p := s.processes.(*processRow)
	p.stop()
	<-p.done
	p.mu.Lock()
	p.beat = p.beat.Add(-time.Minute) // the last heartbeat before the outage
	p.mu.Unlock()
	if err := p.renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	late := JobClaim{Kind: "kind", Now: at(60), Until: at(70)}
	_, err = s.ClaimJob(t.Context(), late)
	wantErr(t, err, ErrNotFound)
	if !s.IsAlive("unknown") {
		t.Error("the other process counts as dead")
	}
	if _, err := other.RenewJob(t.Context(), j.Key, at(50)); err != nil {
		t.Error(err)
	}
	p.mu.Lock()
	p.connectedSince = p.connectedSince.Add(-processLease)
	p.mu.Unlock()
	if _, err := s.ClaimJob(t.Context(), late); err != nil {
		t.Errorf("the lease that ran out since: %v", err)
	}
}

// The leases of processes on machines with different clocks are compared by the
// server's.
func TestServerClock(t *testing.T) {
	s := openSettled(t, testenv.Postgres(t))
	p := s.processes.(*processRow)
	p.stop()
	<-p.done
	p.mu.Lock()
	p.server = p.server.Add(time.Hour) // this machine's clock is an hour behind
	p.mu.Unlock()
	suite{s, nil}.fill(t)
	until := at(10)
	write(t, s, func(tx *Tx) error {
		return tx.InsertJob(t.Context(), &Job{Key: "1", Account: "ann", Kind: "kind", Subject: "1", Created: at(0)})
	})
	if _, err := s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Now: at(0), Until: until}); err != nil {
		t.Fatal(err)
	}
	err := s.Read(t.Context(), func(tx *Tx) error {
		var stored int64
		if err := tx.tx.QueryRowContext(t.Context(), "SELECT until FROM job").Scan(&stored); err != nil {
			return err
		}
		if off := fromMicros(stored).Sub(until.Add(time.Hour)).Abs(); off > time.Minute {
			t.Errorf("the lease is stored %s from the server's time", off)
		}
		j, err := tx.GetJobState(t.Context(), "1")
		if off := j.LeaseExpires.Sub(until).Abs(); off > time.Second {
			t.Errorf("the lease is read %s from this machine's time", off)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
