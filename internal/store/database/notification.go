package database

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// dataVersionInterval is the interval at which Watch looks for changes of an SQLite
	// database.
	dataVersionInterval = 500 * time.Millisecond
	// pingInterval is the interval at which Watch checks its connection to PostgreSQL, and
	// pingTimeout is the time limit of a check.
	pingInterval = 30 * time.Second
	pingTimeout  = 5 * time.Second
)

// Watch calls changed once at the start, and then whenever this or another process may have changed
// the database. It may miss a change, and may call changed without one. It returns when ctx is done
// or an error occurs.
//
// With PostgreSQL, it calls changed with the payload of each notification on a channel. channelSQL
// is an SQL expression for the name of the channel. SQLite has no notifications. There, Watch
// ignores channelSQL and calls changed after any change of the database, with an empty payload.
func (d *DB) Watch(ctx context.Context, channelSQL string, changed func(payload string)) error {
	var err error
	if d.IsOnServer() {
		err = d.watchNotifications(ctx, channelSQL, changed)
	} else {
		err = d.watchDataVersion(ctx, changed)
	}
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// watchNotifications implements Watch for PostgreSQL. It opens a connection for the
// notifications.
func (d *DB) watchNotifications(ctx context.Context, channelSQL string, changed func(payload string)) (err error) {
	conn, err := pgx.ConnectConfig(ctx, d.listenConfig.Copy())
	if err != nil {
		return translateConnectError(err)
	}
	defer func() {
		closing, done := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
		defer done()
		_ = conn.Close(closing) // an error is harmless, because nothing was written
	}()
	var channel string
	if err := conn.QueryRow(ctx, "SELECT "+channelSQL).Scan(&channel); err != nil {
		return translateConnectError(err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return translateConnectError(err)
	}
	changed("") // there may have been changes before the process listened
	for {
		payload, err := awaitNotification(ctx, conn)
		switch {
		case err == nil:
			changed(payload)
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

// watchDataVersion implements Watch for SQLite. It polls PRAGMA data_version, a number that
// changes when any other connection, in this process or another, has changed the database.
func (d *DB) watchDataVersion(ctx context.Context, changed func(payload string)) (err error) {
	conn, err := d.read.Conn(ctx)
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
