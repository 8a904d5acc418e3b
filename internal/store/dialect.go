package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
)

// dialect holds what differs between SQLite and PostgreSQL where they cannot use the same
// SQL text.
type dialect struct {
	goose goose.Dialect
	// migrations has the migration files for the database.
	migrations fs.FS
	// writeOptions and readOptions are the options of write and read transactions.
	writeOptions, readOptions *sql.TxOptions
	// statementOptions are the options of a write transaction with a single statement, which
	// needs less isolation than other write transactions.
	statementOptions *sql.TxOptions
	// timeout is the time limit of a transaction. 0 means no limit.
	timeout time.Duration
	// numberedPlaceholders reports whether placeholders are $1, $2 … instead of ?.
	numberedPlaceholders bool
	// requiresValidUTF8 reports whether a text must be valid UTF-8 without NUL.
	requiresValidUTF8 bool
	// lockClaimsSQL is a statement that prevents other transactions from claiming a job of the
	// same kind until this transaction ends. skipLockedSQL is the end of a query of rows with
	// the alias j. It makes the query skip rows that other transactions are changing. Both are
	// empty for SQLite, where only one transaction at a time writes.
	lockClaimsSQL, skipLockedSQL string
	// aliveUntilSQL is an SQL expression for a row w of the table worker: the time at which the
	// worker is considered dead if it sends no further heartbeat. With SQLite, where workers
	// send no heartbeats, it is 0.
	aliveUntilSQL string
	// mayBeAliveSQL is an SQL condition on a row w of the table worker. It is false if the process
	// of the worker has no row, and therefore is dead.
	mayBeAliveSQL string
	// byteOrderCollation is the SQL after a text column that makes the database compare its
	// texts byte by byte.
	byteOrderCollation string
	// notifyJobsSQL is a statement that notifies other processes of a queued job when the
	// transaction is committed. Its argument is the kind of the job. It is empty for SQLite,
	// which has no such statement; see [Store.WatchJobs].
	notifyJobsSQL string
}

//go:embed migrations/*.sql migrations/postgres/*.sql
var migrations embed.FS

var sqliteDialect = &dialect{goose: goose.DialectSQLite3, migrations: subFolder("migrations"), aliveUntilSQL: "0", mayBeAliveSQL: "true", byteOrderCollation: " COLLATE BINARY"}

// postgresDialect uses serializable transactions: their effect is the same as if they had run one
// after the other, as with SQLite. If two concurrent transactions conflict, one of them fails and
// is run again.
var postgresDialect = &dialect{
	goose:                goose.DialectPostgres,
	migrations:           postgresMigrations{own: subFolder("migrations/postgres"), shared: subFolder("migrations")},
	writeOptions:         &sql.TxOptions{Isolation: sql.LevelSerializable},
	readOptions:          &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	statementOptions:     &sql.TxOptions{Isolation: sql.LevelReadCommitted},
	timeout:              15 * time.Second,
	numberedPlaceholders: true,
	requiresValidUTF8:    true,
	lockClaimsSQL:        "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' claims ' || ?, 0))",
	skipLockedSQL:        " FOR UPDATE OF j SKIP LOCKED",
	aliveUntilSQL:        "coalesce((SELECT p.until FROM process p WHERE p.name = w.process), 0)",
	mayBeAliveSQL:        "EXISTS (SELECT 1 FROM process p WHERE p.name = w.process)",
	byteOrderCollation:   ` COLLATE "C"`,
	notifyJobsSQL:        "SELECT pg_notify(" + jobChannel + ", ?)",
}

func subFolder(name string) fs.FS {
	sub, err := fs.Sub(migrations, name)
	if err != nil {
		panic(err) // the name is a constant of this package
	}
	return sub
}

// lastSQLiteOnlyMigration is the number of the last migration that is only for SQLite. The
// first migration for PostgreSQL creates the schema that SQLite has after the migration
// lastSQLiteOnlyMigration.
const lastSQLiteOnlyMigration = "00004"

// postgresMigrations is a file system with the migrations for PostgreSQL. These are all files
// in own, and the files in shared that are newer than lastSQLiteOnlyMigration. If both have a
// file of the same name, the file in own is used.
type postgresMigrations struct{ own, shared fs.FS }

// Open opens a migration file.
func (m postgresMigrations) Open(name string) (fs.File, error) {
	f, err := m.own.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return m.shared.Open(name)
	}
	return f, err
}

// ReadDir returns the migration files, sorted by name.
func (m postgresMigrations) ReadDir(name string) ([]fs.DirEntry, error) {
	files, err := fs.ReadDir(m.own, name)
	if err != nil {
		return nil, err
	}
	shared, err := fs.ReadDir(m.shared, name)
	for _, f := range shared {
		_, missing := fs.Stat(m.own, f.Name())
		if !f.IsDir() && f.Name()[:len(lastSQLiteOnlyMigration)] > lastSQLiteOnlyMigration && missing != nil {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return files, err
}

// withTimeLimit returns ctx with the time limit of a transaction, if there is one.
func (d *dialect) withTimeLimit(ctx context.Context) (limited context.Context, cancel context.CancelFunc) {
	if d.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d.timeout)
}

// rebind replaces each placeholder ? in a query by the placeholder of the database.
func (d *dialect) rebind(query string) string {
	if !d.numberedPlaceholders || !strings.Contains(query, "?") {
		return query
	}
	var b strings.Builder
	n, quoted := 0, false
	for _, c := range query {
		switch {
		case c == '\'':
			quoted = !quoted
		case c == '?' && !quoted:
			n++
			b.WriteString("$" + strconv.Itoa(n))
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// convertArgsInPlace converts the arguments of a query, in place, to values that the database
// accepts, and returns args. For PostgreSQL, it replaces invalid UTF-8 and NUL by U+FFFD.
// Therefore a key with such characters matches no row.
func (d *dialect) convertArgsInPlace(args []any) []any {
	if !d.requiresValidUTF8 {
		return args
	}
	for i, arg := range args {
		switch s := arg.(type) {
		case string:
			args[i] = toValidText(s)
		case *string:
			if s != nil {
				args[i] = toValidText(*s)
			}
		}
	}
	return args
}

func toValidText(s string) string {
	const replacement = "\uFFFD"
	return strings.ReplaceAll(strings.ToValidUTF8(s, replacement), "\x00", replacement)
}

// isConflict reports whether a transaction failed because of a conflict or deadlock with a
// concurrent transaction. Such a transaction can be run again.
func isConflict(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

// statementRunner is implemented by *sql.Tx and, for a single statement, by *sql.DB.
type statementRunner interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// dialectTx is a transaction that accepts queries with the placeholder ?. Its methods ignore the
// context that is passed to them and use ctx, which also has the time limit of the transaction.
type dialectTx struct {
	statementRunner
	ctx     context.Context
	dialect *dialect
}

// QueryRowContext is [sql.Tx.QueryRowContext] for a query with the placeholder ?.
func (t dialectTx) QueryRowContext(_ context.Context, query string, args ...any) *sql.Row {
	return t.statementRunner.QueryRowContext(t.ctx, t.dialect.rebind(query), t.dialect.convertArgsInPlace(args)...)
}

// QueryContext is [sql.Tx.QueryContext] for a query with the placeholder ?.
func (t dialectTx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.statementRunner.QueryContext(t.ctx, t.dialect.rebind(query), t.dialect.convertArgsInPlace(args)...)
}

// ExecContext is [sql.Tx.ExecContext] for a statement with the placeholder ?.
func (t dialectTx) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	return t.statementRunner.ExecContext(t.ctx, t.dialect.rebind(query), t.dialect.convertArgsInPlace(args)...)
}
