package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// dataVersionInterval is the interval at which WatchJobs looks for changes of an SQLite
	// database.
	dataVersionInterval = 500 * time.Millisecond
	// pingInterval is the interval at which WatchJobs checks its connection to PostgreSQL, and
	// pingTimeout is the time limit of a check.
	pingInterval = 30 * time.Second
	pingTimeout  = 5 * time.Second
)

// jobChannel is an SQL expression for the name of the PostgreSQL channel on which processes are
// notified of jobs. Each schema has its own channel. Its name contains a hash instead of the name
// of the schema, because the names of channels are limited to 63 bytes.
const jobChannel = "'foretell_jobs_' || md5(current_schema())"

// notifyJobs notifies all processes that it may be possible to claim a job of this kind. An
// empty kind means any kind. The notification is sent when the transaction is committed.
func (t *Tx) notifyJobs(ctx context.Context, kind string) error {
	if t.tx.dialect.notifyJobsSQL == "" {
		return nil
	}
	return t.exec(ctx, t.tx.dialect.notifyJobsSQL, kind)
}

// WatchJobs calls changed when it may have become possible to claim jobs, because of this or
// another process. The argument kind is the kind of these jobs, or empty if it is unknown.
// WatchJobs may miss a change, and may call changed without one. It returns when ctx is done or an
// error occurs.
func (s *Store) WatchJobs(ctx context.Context, changed func(kind string)) error {
	watch := s.watchDataVersion
	if s.IsOnServer() {
		watch = s.watchNotifications
	}
	if err := watch(ctx, changed); ctx.Err() == nil {
		return err
	}
	return nil
}

// watchNotifications implements WatchJobs for PostgreSQL. It opens a connection for the
// notifications.
func (s *Store) watchNotifications(ctx context.Context, changed func(kind string)) (err error) {
	conn, err := pgx.ConnectConfig(ctx, s.listenConfig.Copy())
	if err != nil {
		return translateConnectError(err)
	}
	defer func() {
		closing, done := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
		defer done()
		_ = conn.Close(closing) // an error is harmless, because nothing was written
	}()
	var channel string
	if err := conn.QueryRow(ctx, "SELECT "+jobChannel).Scan(&channel); err != nil {
		return translateConnectError(err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return translateConnectError(err)
	}
	changed("") // jobs may have been queued before the process listened
	for {
		kind, err := awaitNotification(ctx, conn)
		switch {
		case err == nil:
			changed(kind)
		case ctx.Err() != nil:
			return nil
		case !errors.Is(err, context.DeadlineExceeded):
			return translateConnectError(err)
		default:
			if err := ping(ctx, conn); err != nil {
				return translateConnectError(err)
			}
		}
	}
}

// awaitNotification returns the payload of the next notification. If there is none within
// pingInterval, it returns context.DeadlineExceeded.
func awaitNotification(ctx context.Context, conn *pgx.Conn) (payload string, err error) {
	ctx, done := context.WithTimeout(ctx, pingInterval)
	defer done()
	n, err := conn.WaitForNotification(ctx)
	if err != nil {
		return "", err
	}
	return n.Payload, nil
}

func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, done := context.WithTimeout(ctx, pingTimeout)
	defer done()
	return conn.Ping(ctx)
}

// watchDataVersion implements WatchJobs for SQLite. It polls PRAGMA data_version, a number that
// changes when any other connection, in this process or another, has changed the database.
func (s *Store) watchDataVersion(ctx context.Context, changed func(kind string)) (err error) {
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	tick := time.NewTicker(dataVersionInterval)
	defer tick.Stop()
	for known := int64(0); ; {
		var version int64
		if err := conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
			return err
		}
		if version != known {
			known = version
			changed("")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
