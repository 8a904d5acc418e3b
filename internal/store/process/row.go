package process

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"time"
)

const (
	// Timeout is how long a process on PostgreSQL is considered alive after a heartbeat.
	Timeout = 10 * time.Second
	// heartbeatInterval is the interval of the heartbeats of a process.
	heartbeatInterval = time.Second
	// heartbeatQueryTimeout is the time limit of a heartbeat.
	heartbeatQueryTimeout = 5 * time.Second
)

// serverTimeSQL is an SQL expression for the time of the PostgreSQL server in Unix
// microseconds.
const serverTimeSQL = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"

// HeartbeatRow is a database row that shows other processes, on any machine, that this process is
// running. The process renews the row with heartbeats. The clock of the PostgreSQL server is
// the clock that all processes share.
type HeartbeatRow struct {
	db   *sql.DB
	self string
	stop context.CancelFunc
	done chan struct{}

	mu sync.Mutex
	// serverTime and localTime are the time of the last heartbeat of this process, on the clock
	// of the PostgreSQL server and on the clock of this machine.
	serverTime, localTime time.Time
	// others holds the heartbeats of the other processes, by name.
	others HeartbeatTracker
	// died is true if another process has died since the last call of AnyMayHaveDied.
	died bool
}

// NewHeartbeatRow inserts the row of this process and renews it until Release is called, which
// also closes db. If NewHeartbeatRow returns an error, it has closed db itself.
func NewHeartbeatRow(ctx context.Context, db *sql.DB) (*HeartbeatRow, error) {
	p := &HeartbeatRow{db: db, self: strings.ToLower(rand.Text()), done: make(chan struct{})}
	if err := p.renewAndDeleteDead(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	p.stop = stop
	go func() {
		defer close(p.done)
		tick := time.NewTicker(heartbeatInterval)
		defer tick.Stop()
		for {
			select {
			case <-background.Done():
				return
			case <-tick.C:
				_ = p.renewAndDeleteDead(background) // after an error, the next heartbeat handles the longer interval
			}
		}
	}()
	return p, nil
}

// heartbeatSQL is an SQL statement that renews the row of the process $1 for $2 microseconds. It
// always changes the value of the row, even if the clock of the server was set back. It returns the
// rows of the other processes, each with the time of the server. If there are none, it returns one
// row with the time and an empty name.
const heartbeatSQL = `WITH beat AS (INSERT INTO process (name, until) VALUES ($1, ` + serverTimeSQL + ` + $2)
	ON CONFLICT (name) DO UPDATE SET until = greatest(excluded.until, process.until + 1) RETURNING name)
	SELECT ` + serverTimeSQL + `, coalesce(other.name, ''), coalesce(other.until, 0) FROM beat LEFT JOIN process other ON other.name <> beat.name`

// renewAndDeleteDead sends a heartbeat, records the heartbeats of the other processes, and deletes
// the rows of dead processes.
func (p *HeartbeatRow) renewAndDeleteDead(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, heartbeatQueryTimeout)
	defer done()
	rows, err := p.db.QueryContext(ctx, heartbeatSQL, p.self, Timeout.Microseconds())
	if err != nil {
		return err
	}
	defer rows.Close()
	var server int64
	others := map[string]int64{}
	for rows.Next() {
		var name string
		var until int64
		if err := rows.Scan(&server, &name, &until); err != nil {
			return err
		}
		others[name] = until
	}
	if err := rows.Err(); err != nil {
		return err
	}
	delete(others, "") // the row without a name; see heartbeatSQL
	return p.deleteDead(ctx, p.observe(time.UnixMicro(server).UTC(), others))
}

// observe records the result of a heartbeat: the time of the server and the rows of the other
// processes. It returns the rows of dead processes, by name.
func (p *HeartbeatRow) observe(server time.Time, others map[string]int64) (dead map[string]int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serverTime, p.localTime = server, time.Now() //nolint:forbidigo // compared with the server's clock
	for name := range p.others.values {
		if _, ok := others[name]; !ok {
			p.died = true
		}
	}
	p.others.Observe(p.localTime, others)
	dead = map[string]int64{}
	for name, r := range p.others.values {
		if r.sinceChange >= Timeout {
			p.died = true
			dead[name] = r.value
		}
	}
	return dead
}

// deleteDead deletes the rows of dead processes, except rows that were renewed since they were
// read.
func (p *HeartbeatRow) deleteDead(ctx context.Context, dead map[string]int64) error {
	for name, until := range dead {
		if _, err := p.db.ExecContext(ctx, "DELETE FROM process WHERE name = $1 AND until = $2", name, until); err != nil {
			return err
		}
	}
	return nil
}

// Name returns the name of this process.
func (p *HeartbeatRow) Name() string { return p.self }

// IsAlive reports whether the named process is running. A process is dead if it has no row, or if
// its row has not changed for Timeout while this process was watching. Therefore every process with
// a row is considered alive during the first Timeout after the start of this process.
func (p *HeartbeatRow) IsAlive(name string) bool {
	p.mu.Lock()
	other, known := p.others.values[name]
	p.mu.Unlock()
	if known || name == p.self {
		return name == p.self || other.sinceChange < Timeout
	}
	// The process may have started since the last heartbeat.
	ctx, done := context.WithTimeout(context.Background(), heartbeatQueryTimeout)
	defer done()
	var alive bool
	err := p.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM process WHERE name = $1)", name).Scan(&alive)
	return alive || err != nil
}

// AnyMayHaveDied reports whether, since the last call, the row of another process disappeared or
// was not renewed for Timeout.
func (p *HeartbeatRow) AnyMayHaveDied() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	died := p.died
	p.died = false
	return died
}

// ClockOffset returns the time of the server minus the time of this machine. It is correct even if
// the clock of this machine was set since the last heartbeat.
func (p *HeartbeatRow) ClockOffset() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now() //nolint:forbidigo // compared with the server's clock
	return p.serverTime.Add(now.Sub(p.localTime)).Sub(now.Round(0))
}

// Release stops the heartbeats, deletes the row and closes the database of the row. Other processes
// then consider this process dead.
func (p *HeartbeatRow) Release() error {
	p.stop()
	<-p.done
	ctx, done := context.WithTimeout(context.Background(), heartbeatQueryTimeout)
	defer done()
	_, _ = p.db.ExecContext(ctx, "DELETE FROM process WHERE name = $1", p.self) // otherwise the row expires
	return p.db.Close()
}
