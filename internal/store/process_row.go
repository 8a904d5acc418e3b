package store

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
	// processBeat is the interval of the heartbeats of a process on PostgreSQL.
	// processLease is how long a process is considered alive after a heartbeat.
	processBeat  = time.Second
	processLease = 10 * time.Second
	// beatTimeout is the time limit of a heartbeat.
	beatTimeout = 5 * time.Second
)

// serverTime is an SQL expression: the time of the PostgreSQL server in Unix
// microseconds.
const serverTime = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"

// processRow is a row by which processes on other machines see that this one is
// running. Heartbeats renew it. The clock that all processes share is the clock of the
// PostgreSQL server.
type processRow struct {
	db   *sql.DB
	self string
	stop context.CancelFunc
	done chan struct{}

	mu sync.Mutex
	// server and beat are the time of the last heartbeat, by the server's clock and by the
	// clock of this machine.
	server, beat time.Time
	// connectedSince is the time of the first heartbeat after the last interruption of
	// more than processLease.
	connectedSince time.Time
	// alive has the names of the processes that were alive at the last heartbeat.
	alive map[string]bool
}

// registerProcess inserts the row of this process and renews it until release is
// called. It owns db, and closes it in release or if it returns an error.
func registerProcess(ctx context.Context, db *sql.DB) (*processRow, error) {
	p := &processRow{db: db, self: strings.ToLower(rand.Text()), done: make(chan struct{})}
	if err := p.renew(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	// This only saves space, because a process with an expired row counts as dead anyway.
	if _, err := db.ExecContext(ctx, "DELETE FROM process WHERE until < "+serverTime); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	p.stop = stop
	go func() {
		defer close(p.done)
		tick := time.NewTicker(processBeat)
		defer tick.Stop()
		for {
			select {
			case <-background.Done():
				return
			case <-tick.C:
				_ = p.renew(background) // a gap is noticed by the next one that succeeds
			}
		}
	}()
	return p, nil
}

// renew sends a heartbeat: it renews the row of this process, and reads the time of the
// server and the names of the living processes.
func (p *processRow) renew(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, beatTimeout)
	defer done()
	var now int64
	row := p.db.QueryRowContext(ctx, `INSERT INTO process (name, until) VALUES ($1, `+serverTime+` + $2)
		ON CONFLICT (name) DO UPDATE SET until = excluded.until RETURNING until - $2`, p.self, processLease.Microseconds())
	if err := row.Scan(&now); err != nil {
		return err
	}
	beat := time.Now() //nolint:forbidigo // compared with the server's clock
	rows, err := p.db.QueryContext(ctx, "SELECT name FROM process WHERE until >= $1", now)
	if err != nil {
		return err
	}
	defer rows.Close()
	alive := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		alive[name] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.connectedSince.IsZero() || beat.Sub(p.beat) > processLease {
		p.connectedSince = beat
	}
	p.server, p.beat, p.alive = fromMicros(now), beat, alive
	return nil
}

func (p *processRow) name() string { return p.self }

// isAlive reports whether the named process is running. If the process was not alive at
// the last heartbeat, isAlive asks the database, because it may have started since. It
// returns true while mayTakeLeases returns false.
func (p *processRow) isAlive(name string) bool {
	p.mu.Lock()
	known := p.alive[name]
	p.mu.Unlock()
	if known || name == p.self || !p.mayTakeLeases() {
		return true
	}
	ctx, done := context.WithTimeout(context.Background(), beatTimeout)
	defer done()
	var alive bool
	err := p.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM process WHERE name = $1 AND until >= "+serverTime+")", name).Scan(&alive)
	return alive || err != nil
}

// offset returns the time of the server minus the time of this machine. The time since
// the last heartbeat is monotonic, so that the result is right even if the clock of
// this machine was set.
func (p *processRow) offset() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now() //nolint:forbidigo // compared with the server's clock
	return p.server.Add(now.Sub(p.beat)).Sub(now.Round(0))
}

// mayTakeLeases reports whether heartbeats have succeeded for at least processLease without
// an interruption of this length. By then, other processes that were cut off too have
// had the time to renew their rows and leases.
func (p *processRow) mayTakeLeases() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now() //nolint:forbidigo // an interval
	return now.Sub(p.beat) < processLease && now.Sub(p.connectedSince) >= processLease
}

func (p *processRow) release() error {
	p.stop()
	<-p.done
	ctx, done := context.WithTimeout(context.Background(), beatTimeout)
	defer done()
	_, _ = p.db.ExecContext(ctx, "DELETE FROM process WHERE name = $1", p.self) // else it expires
	return p.db.Close()
}
