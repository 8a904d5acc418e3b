package database

import (
	"context"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"foretell/internal/machine"
)

// The errors that callers handle. Test with errors.Is.
var (
	ErrNotFound = errors.New("no such row")
	ErrExists   = errors.New("the row already exists")
	ErrDiskFull = errors.New("the disk of the database is full")
	ErrCorrupt  = errors.New("the database is damaged")
	// ErrUnavailable is returned if the database cannot be reached or does not respond. With
	// SQLite, it is also returned if another process holds the lock of the database for longer than
	// busyTimeout. With PostgreSQL, it is also returned if the server cancels a statement because of its
	// own time limits or a command of its administrator. The transaction was not committed, unless the
	// error also wraps ErrCommitUnknown.
	ErrUnavailable = errors.New("the database does not respond")
	// ErrConnectionRejected is returned by Open if the server responds, but no connection is possible with the
	// parameters of the URL. For example, sslmode=require fails if the server has no TLS. It wraps
	// ErrUnavailable, because the cause may be temporary, such as a standby that is not yet the primary
	// server.
	ErrConnectionRejected error = unavailableError("no connection with these parameters")
	// ErrReadOnly is returned if the server refuses statements that write, for example because it
	// is a standby that is not promoted. It wraps ErrUnavailable.
	ErrReadOnly error = unavailableError("the server is a standby, or does not allow writes")
	// ErrForbidden is returned if the user of the database lacks a right, for example on a table.
	ErrForbidden = errors.New("the user of the database lacks a right")
	// ErrCommitUnknown is returned if the database did not respond to a commit: the transaction may
	// have been committed. It wraps ErrUnavailable.
	ErrCommitUnknown = fmt.Errorf("%w to a commit", ErrUnavailable)
)

// TranslateError wraps an error of the driver in the matching error of this package. If
// none matches, it returns err unchanged.
func TranslateError(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	var lite *sqlite.Error
	var pg *pgconn.PgError
	var known error
	switch {
	case errors.As(err, &lite):
		known = errorFromSQLiteCode(lite.Code())
	case errors.As(err, &pg):
		known = errorFromSQLState(pg.Code)
	}
	if known == nil || errors.Is(err, known) {
		return err
	}
	return fmt.Errorf("%w: %w", known, err)
}

// errorFromSQLiteCode returns the error of this package for a result code of SQLite, or nil if
// none exists.
func errorFromSQLiteCode(code int) error {
	switch code {
	case lib.SQLITE_CONSTRAINT_UNIQUE, lib.SQLITE_CONSTRAINT_PRIMARYKEY:
		return ErrExists
	case lib.SQLITE_CONSTRAINT_FOREIGNKEY:
		return ErrNotFound
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return ErrCorrupt
	case lib.SQLITE_FULL, lib.SQLITE_IOERR_SHMSIZE: // SQLITE_IOERR_SHMSIZE: no space for the index of the write-ahead log
		return ErrDiskFull
	case lib.SQLITE_IOERR_WRITE:
		if machine.FileSizeLimit() > 0 { // SQLite does not keep the error EFBIG
			return ErrDiskFull
		}
	}
	switch code & 0xff { // the primary code of codes such as SQLITE_BUSY_TIMEOUT
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return ErrUnavailable
	}
	return nil
}

// errorFromSQLState returns the error of this package for an SQLSTATE of PostgreSQL, or nil
// if none exists.
func errorFromSQLState(code string) error {
	switch code {
	case "23505": // unique_violation
		return ErrExists
	case "23503": // foreign_key_violation
		return ErrNotFound
	case "XX001", "XX002": // data_corrupted, index_corrupted
		return ErrCorrupt
	case "53100": // disk_full
		return ErrDiskFull
	case "40001", "40P01", // serialization_failure, deadlock_detected, even after maxConflicts repetitions
		"57P01", "57P02", "57P03", // admin_shutdown, crash_shutdown, cannot_connect_now
		"57014", "55P03", // query_canceled by statement_timeout or an administrator, lock_not_available
		"25P03", "25P04", "57P05", // idle_in_transaction_session_timeout, transaction_timeout, idle_session_timeout
		"53200", "53300": // out_of_memory, too_many_connections
		return ErrUnavailable
	case "25006": // read_only_sql_transaction
		return ErrReadOnly
	case "42501": // insufficient_privilege
		return ErrForbidden
	}
	if strings.HasPrefix(code, "08") { // connection exceptions
		return ErrUnavailable
	}
	return nil
}

// unavailableError is an error that wraps ErrUnavailable, but whose message is only its own text.
type unavailableError string

func (e unavailableError) Error() string { return string(e) }
func (unavailableError) Unwrap() error   { return ErrUnavailable }

// isNetworkError reports whether err, a connection error, means that the server cannot be reached
// or does not respond. Other connection errors occur although the server responds: it may not
// support TLS, or have a certificate that is not trusted.
func isNetworkError(err error) bool {
	var alert tls.AlertError
	var network net.Error
	return !errors.As(err, &alert) && errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// isDisconnected reports whether an error of the PostgreSQL driver means that a
// connection cannot be opened or has broken.
func isDisconnected(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connect) || errors.As(err, &network) {
		return true
	}
	for _, e := range []error{pgconn.ErrConnClosed, driver.ErrBadConn, sql.ErrConnDone, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// translateTxError is like TranslateError, for the error of a transaction. caller is the context of
// the caller. ctx is derived from caller and has the time limit of the transaction. If one of them
// has ended, the driver may return an unrelated error, so translateTxError checks both contexts
// first.
func (d *DB) translateTxError(caller, ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case caller.Err() != nil:
		if errors.Is(err, caller.Err()) {
			return err
		}
		return fmt.Errorf("%w: %w", caller.Err(), err)
	case errors.Is(err, ErrUnavailable):
		return err
	case d.timeout > 0 && (ctx.Err() != nil || isDisconnected(err)):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return TranslateError(err)
}
