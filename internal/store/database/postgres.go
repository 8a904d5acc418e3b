package database

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"foretell/internal/store/pgurl"
	"foretell/internal/store/process"
	"foretell/internal/store/schema"
)

const (
	// maxWriters is the maximum number of write connections to PostgreSQL.
	maxWriters = 4
	// renewalTimeout is the time limit of the renewal of a lease. It is so short that a renewal on a
	// broken connection can be repeated before the lease ends.
	renewalTimeout = 5 * time.Second
	// maxIdleTime is how long an idle connection to PostgreSQL stays open.
	maxIdleTime = time.Minute
	// timeout is the time limit of a transaction on PostgreSQL.
	timeout = 15 * time.Second
	// migrationLockTimeout is how long a migration waits for the lock of a table. All statements on
	// the table wait meanwhile. A reader such as a backup may hold its lock for hours, so the
	// migration gives up, and tries again after migrationRetryDelay.
	migrationLockTimeout = 2 * time.Second
	migrationRetryDelay  = 4 * time.Second
)

// openPostgres opens the database with this URL, and migrates it to the given version of the
// schema. onDelay is the argument of [OpenWithNotice].
func openPostgres(ctx context.Context, location string, version int64, onDelay func(error)) (*DB, error) {
	config, err := pgurl.Parse(location)
	if err != nil {
		return nil, err
	}
	readOnly := config.Copy()
	readOnly.AfterConnect = setReadOnly
	d := &DB{
		dialect: postgresDialect, timeout: timeout, listenConfig: readOnly,
		write: newPostgresPool(config, maxWriters), read: newPostgresPool(readOnly, maxReaders), renewals: newPostgresPool(config, 1),
	}
	fail := func(err error) (*DB, error) {
		return nil, errors.Join(fmt.Errorf("%s: %w", pgurl.Redact(location), translateConnectError(err)), d.Close())
	}
	if d.Migration, err = d.migratePostgres(ctx, config, version, onDelay); err != nil {
		return fail(err)
	}
	row, err := process.NewHeartbeatRow(ctx, newPostgresPool(config, 1).DB)
	if err != nil {
		return fail(err)
	}
	d.Processes = row
	return d, nil
}

// setReadOnly makes all transactions of a new connection read only. A parameter in the startup message
// would do the same, but PgBouncer refuses it, and target_session_attrs=read-write would refuse
// the connection.
func setReadOnly(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx, "SET default_transaction_read_only = on").Close()
}

// dialErrorPrefix matches the beginning of a message of the driver, up to "dial tcp ". The rest of
// the message repeats the address: "host:5432 (10.0.0.1): dial error: dial tcp 10.0.0.1:5432:
// connect: connection refused".
var dialErrorPrefix = regexp.MustCompile(`^\S+ \([^)]*\): dial error: dial tcp `)

// translateConnectError is like TranslateError, for connection errors of PostgreSQL. It
// keeps only the last line of the message, because the driver writes one line for each address
// that it tried.
func translateConnectError(err error) error {
	if !isDisconnected(err) {
		return TranslateError(err)
	}
	text := err.Error()
	last := errors.New(dialErrorPrefix.ReplaceAllString(strings.TrimSpace(text[strings.LastIndex(text, "\n")+1:]), ""))
	known := ErrUnavailable
	if errors.As(err, new(*pgconn.ConnectError)) && !isNetworkError(err) {
		known = ErrConnectionRejected
	}
	var refused *pgconn.PgError // the error that a running server sent
	if errors.As(err, &refused) {
		known = errorFromSQLState(refused.Code)
	}
	if known == nil || errors.Is(known, ErrForbidden) { // ErrForbidden is for a missing right on a table, not for the right to connect
		return last
	}
	return fmt.Errorf("%w: %w", known, last)
}

func newPostgresPool(config *pgx.ConnConfig, connections int) *pool {
	p := newPool(stdlib.OpenDB(*config), connections)
	p.SetConnMaxIdleTime(maxIdleTime)
	return p
}

// setLockTimeout limits how long the statements of a new connection wait for locks.
func setLockTimeout(ctx context.Context, conn *pgconn.PgConn) error {
	return conn.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d", migrationLockTimeout.Milliseconds())).Close()
}

// migratePostgres migrates the database to a version while it holds a lock. If several processes
// start together, the first process migrates and the other processes wait. onDelay is the argument
// of [OpenWithNotice].
func (d *DB) migratePostgres(ctx context.Context, config *pgx.ConnConfig, version int64, onDelay func(error)) (m schema.Migration, err error) {
	const lock = "hashtextextended(current_schema() || ' migrations', 0)"
	conn, err := d.read.Conn(ctx)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock("+lock+")"); err != nil {
		return m, err
	}
	impatient := config.Copy()
	impatient.AfterConnect = setLockTimeout
	migrations := newPostgresPool(impatient, maxWriters)
	defer func() { err = errors.Join(err, migrations.Close()) }()
	m, err = schema.Postgres.Migrate(ctx, migrations.DB, version)
	// A migration may also be the victim of a deadlock with a transaction of a running process.
	for from := m.From; (isLockTimeout(err) || isConflict(err)) && ctx.Err() == nil; m.From = from { // an attempt may have applied some migrations
		onDelay(err)
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(migrationRetryDelay):
			m, err = schema.Postgres.Migrate(ctx, migrations.DB, version)
		}
	}
	_, unlocked := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock("+lock+")")
	return m, errors.Join(err, unlocked)
}
