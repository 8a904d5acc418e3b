package process

import (
	"database/sql"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"foretell/internal/store/schema"
	"foretell/internal/testenv"
)

// newDatabase returns a PostgreSQL database with the table of processes, and a function that starts
// another process on it. The heartbeats of the processes are sent only by calls of
// renewAndDeleteDead.
func newDatabase(t *testing.T) (db *sql.DB, start func() *HeartbeatRow) {
	t.Helper()
	location := testenv.Postgres(t)
	open := func() *sql.DB {
		t.Helper()
		db, err := sql.Open("pgx", location)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	db = open()
	if _, err := schema.Postgres.Migrate(t.Context(), db, schema.Newest); err != nil {
		t.Fatal(err)
	}
	return db, func() *HeartbeatRow {
		t.Helper()
		p, err := NewHeartbeatRow(t.Context(), open())
		if err != nil {
			t.Fatal(err)
		}
		p.stop()
		<-p.done
		return p
	}
}

// renew sends a heartbeat of p.
func renew(t *testing.T, p *HeartbeatRow) {
	t.Helper()
	if err := p.renewAndDeleteDead(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// renewAfter sends a heartbeat of p as if the last one had been some seconds ago.
func renewAfter(t *testing.T, p *HeartbeatRow, seconds int) {
	t.Helper()
	p.mu.Lock()
	p.others.observed = time.Now().Add(-time.Duration(seconds) * time.Second)
	p.mu.Unlock()
	renew(t, p)
}

// TestRow checks that a process sees that another one starts and ends.
func TestRow(t *testing.T) {
	_, start := newDatabase(t)
	p, other := start(), start()
	if !p.IsAlive(other.Name()) || !p.IsAlive(p.Name()) || p.IsAlive("nobody") {
		t.Error("the processes do not see who lives")
	}
	renew(t, p) // it sees the other process
	if !p.IsAlive(other.Name()) || p.AnyMayHaveDied() {
		t.Error("a process counts as dead after a heartbeat")
	}
	if err := other.Release(); err != nil {
		t.Fatal(err)
	}
	renew(t, p)
	if p.IsAlive(other.Name()) || !p.AnyMayHaveDied() || p.AnyMayHaveDied() {
		t.Error("a process that has ended counts as alive, or does not count as dead once")
	}
}

// TestNoTakeoverAfterOutage checks that, after an outage, another process does not count as dead, so
// that none takes over its jobs: the outage may have prevented its heartbeats.
func TestNoTakeoverAfterOutage(t *testing.T) {
	_, start := newDatabase(t)
	p, other := start(), start()
	renewAfter(t, p, 1)
	renewAfter(t, p, 3600)
	if !p.IsAlive(other.Name()) {
		t.Error("the other process counts as dead after an hour's outage")
	}
	for range 3 {
		renewAfter(t, p, 4)
	}
	if p.IsAlive(other.Name()) || !p.AnyMayHaveDied() {
		t.Error("a process without a heartbeat since the outage counts as alive")
	}
}

// TestServerClockIsSet checks that a process neither counts as dead nor stays alive because the clock
// of the server was set. The test changes the stored times instead of the clock, with the same
// effect.
func TestServerClockIsSet(t *testing.T) {
	db, start := newDatabase(t)
	p, other := start(), start()
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		if _, err := db.ExecContext(t.Context(), "UPDATE process SET until = until - $1", jump.Microseconds()); err != nil {
			t.Fatal(err)
		}
		renew(t, p)
		if !p.IsAlive(other.Name()) {
			t.Errorf("after a jump of %s a live process counts as dead", jump)
		}
		renew(t, other)
	}
	renew(t, p)
	for range 3 { // the row of other says that it lives for an hour
		renewAfter(t, p, 4)
	}
	if p.IsAlive(other.Name()) {
		t.Error("a dead process counts as alive because the clock was set back")
	}
}

// TestClockOffset checks that the offset is that of the server's clock.
func TestClockOffset(t *testing.T) {
	_, start := newDatabase(t)
	p := start()
	if off := p.ClockOffset().Abs(); off > time.Minute {
		t.Errorf("the server's clock differs by %s", off)
	}
	p.mu.Lock()
	p.serverTime = p.serverTime.Add(time.Hour) // this machine's clock is an hour behind
	p.mu.Unlock()
	if off := (p.ClockOffset() - time.Hour).Abs(); off > time.Minute {
		t.Errorf("the offset differs by %s", off)
	}
}
