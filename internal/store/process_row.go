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
	// processBeat is the interval of a process's heartbeat on PostgreSQL, and
	// processLease how long the process is considered alive without one.
	processBeat  = time.Second
	processLease = 10 * time.Second
	// beatTimeout limits a heartbeat.
	beatTimeout = 5 * time.Second
)

// serverTime is PostgreSQL's clock in microseconds.
const serverTime = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"

// processRow is a row that shows processes on other machines that this one is
// running, as long as it is renewed. The clock that the processes share is the
// server's.
type processRow struct {
	db   *sql.DB
	self string
	stop context.CancelFunc
	done chan struct{}

	mu sync.Mutex
	// server was the time of the server when this machine's clock said beat.
	server, beat time.Time
	// since is the first heartbeat after the last gap of processLease.
	since time.Time
	// others are the processes that were alive at the last heartbeat.
	others map[string]bool
}

// registerProcess inserts the row of this process and renews it until release. It
// takes over db, and closes it after an error too.
func registerProcess(ctx context.Context, db *sql.DB) (*processRow, error) {
	p := &processRow{db: db, self: strings.ToLower(rand.Text()), done: make(chan struct{})}
	if err := p.renew(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	// Rows of dead processes need not be found: a process without a row is dead.
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

// renew extends the life of this process, and reads the clock of the server and
// which other processes are alive.
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
	others := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		others[name] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() || beat.Sub(p.beat) > processLease {
		p.since = beat
	}
	p.server, p.beat, p.others = fromMicros(now), beat, others
	return nil
}

func (p *processRow) name() string { return p.self }

// isAlive asks the database about a process that was not seen at the last
// heartbeat: it may have started since.
func (p *processRow) isAlive(name string) bool {
	p.mu.Lock()
	known := p.others[name]
	p.mu.Unlock()
	if known || name == p.self || !p.settled() {
		return true
	}
	ctx, done := context.WithTimeout(context.Background(), beatTimeout)
	defer done()
	var alive bool
	err := p.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM process WHERE name = $1 AND until >= "+serverTime+")", name).Scan(&alive)
	return alive || err != nil
}

// offset counts the time since the last heartbeat by the monotonic clock, which
// continues if the time of this machine is set.
func (p *processRow) offset() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now() //nolint:forbidigo // compared with the server's clock
	return p.server.Add(now.Sub(p.beat)).Sub(now.Round(0))
}

// settled is false until heartbeats have succeeded for processLease without a gap
// of that length: the other processes have then had the time to renew their rows
// and leases.
func (p *processRow) settled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now() //nolint:forbidigo // an interval
	return now.Sub(p.beat) < processLease && now.Sub(p.since) >= processLease
}

func (p *processRow) release() error {
	p.stop()
	<-p.done
	ctx, done := context.WithTimeout(context.Background(), beatTimeout)
	defer done()
	_, _ = p.db.ExecContext(ctx, "DELETE FROM process WHERE name = $1", p.self) // else it expires
	return p.db.Close()
}
