package database

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"foretell/internal/store/pgurl"
	"foretell/internal/store/process"
	"foretell/internal/store/schema"
)

// maxReaders is the maximum number of connections of one process for read transactions.
const maxReaders = 8

// DB is an open database. It is safe for concurrent use, and several processes may open the same
// database.
type DB struct {
	// Processes is the registration of this process. [DB.Close] releases it, unless it is nil.
	Processes process.Registry
	// Migration holds the versions of the schema before and after Open.
	Migration schema.Migration

	write, read *pool
	// renewals is the pool of [DB.ForRenewals]. It is nil for SQLite.
	renewals *pool
	dialect  *txDialect
	// timeout is the time limit of a transaction. 0 means no limit.
	timeout time.Duration
	// listenConfig is the configuration of the connection for notifications. It is nil for
	// SQLite.
	listenConfig *pgx.ConnConfig
}

// Open opens a database and migrates it to the given version of the schema, which may be
// [schema.Newest] or [schema.Unchanged]. location is the path of an SQLite file or the URL of a
// PostgreSQL database; see [pgurl.Is]. Open creates a missing file and its folder. A PostgreSQL
// database must exist. The caller must call Close.
func Open(ctx context.Context, location string, version int64) (*DB, error) {
	return OpenWithNotice(ctx, location, version, func(error) {})
}

// OpenWithNotice is like [Open]. It calls onDelay each time the migration of a PostgreSQL database
// must wait for a transaction of another process. The argument is the error of the attempt.
func OpenWithNotice(ctx context.Context, location string, version int64, onDelay func(error)) (*DB, error) {
	if pgurl.Is(location) {
		return openPostgres(ctx, location, version, onDelay)
	}
	return openSQLite(ctx, location, version)
}

// closeTimeout is how long [DB.Close] waits for a server that does not respond.
const closeTimeout = 2 * time.Second

// Close closes the database. Other processes then consider this process dead. If the server of the
// database does not respond, Close returns ErrUnavailable, and the connections end with the process.
func (d *DB) Close() error {
	if !d.IsOnServer() {
		return d.close()
	}
	closed := make(chan error, 1)
	go func() { closed <- d.close() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(closeTimeout):
		return ErrUnavailable
	}
}

func (d *DB) close() error {
	var errs []error
	for _, p := range []*pool{d.read, d.write, d.renewals} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	if d.Processes != nil {
		errs = append(errs, d.Processes.Release())
	}
	return errors.Join(errs...)
}

// ForRenewals returns a copy of d for the renewal of leases. With PostgreSQL, the copy writes on a
// connection of its own, because a renewal must not wait behind other writers. Its transactions
// have the time limit renewalTimeout. With SQLite, ForRenewals returns d. Close either d or the
// copy, but not both.
func (d *DB) ForRenewals() *DB {
	if d.renewals == nil {
		return d
	}
	copied := *d
	copied.write, copied.timeout = d.renewals, renewalTimeout
	return &copied
}

// IsOnServer reports whether the database is on a PostgreSQL server, which processes on several
// machines may share.
func (d *DB) IsOnServer() bool { return d.dialect == postgresDialect }
