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
	// write and read are the options of write and read transactions.
	write, read *sql.TxOptions
	// statement is the options of a write transaction with a single statement. It needs less
	// isolation than write.
	statement *sql.TxOptions
	// timeout is the time limit of a transaction. 0 means no limit.
	timeout time.Duration
	// numbered reports whether placeholders are $1, $2 … instead of ?.
	numbered bool
	// strictText reports whether a text must be valid UTF-8 without NUL.
	strictText bool
	// lockClaims is a statement that prevents other transactions from claiming a job of the
	// same kind until this transaction ends. skipLocked is the end of a query. With it, the
	// query skips jobs that other transactions are changing. Both are empty for SQLite, where
	// only one transaction at a time writes.
	lockClaims, skipLocked string
	// aliveUntil is an SQL expression for a row w of the table worker. It is the time when the
	// worker is considered dead unless it sends another heartbeat, or 0 with SQLite, where workers
	// send none.
	aliveUntil string
	// mayBeAlive is an SQL condition on a row w of the table worker. It is false if the worker is
	// dead because its process has no row.
	mayBeAlive string
	// byteOrder is the SQL after a text column that makes comparisons of its texts use the order of
	// their bytes.
	byteOrder string
	// notifyJobs is a statement that notifies other processes of a queued job when the transaction
	// is committed. Its argument is the kind of the job. SQLite has no such statement, see
	// [Store.WatchJobs].
	notifyJobs string
}

//go:embed migrations/*.sql migrations/postgres/*.sql
var migrations embed.FS

var sqliteDialect = &dialect{goose: goose.DialectSQLite3, migrations: subFolder("migrations"), aliveUntil: "0", mayBeAlive: "true", byteOrder: " COLLATE BINARY"}

// postgresDialect uses serializable transactions: their effect is the same as if they had run one
// after the other, as with SQLite. If two concurrent transactions conflict, one of them fails and
// is run again.
var postgresDialect = &dialect{
	goose:      goose.DialectPostgres,
	migrations: postgresMigrations{own: subFolder("migrations/postgres"), shared: subFolder("migrations")},
	write:      &sql.TxOptions{Isolation: sql.LevelSerializable},
	read:       &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	statement:  &sql.TxOptions{Isolation: sql.LevelReadCommitted},
	timeout:    15 * time.Second,
	numbered:   true,
	strictText: true,
	lockClaims: "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' claims ' || ?, 0))",
	skipLocked: " FOR UPDATE OF j SKIP LOCKED",
	aliveUntil: "coalesce((SELECT p.until FROM process p WHERE p.name = w.process), 0)",
	mayBeAlive: "EXISTS (SELECT 1 FROM process p WHERE p.name = w.process)",
	byteOrder:  ` COLLATE "C"`,
	notifyJobs: "SELECT pg_notify(" + jobChannel + ", ?)",
}

func subFolder(name string) fs.FS {
	sub, err := fs.Sub(migrations, name)
	if err != nil {
		panic(err) // the name is a constant of this package
	}
	return sub
}

// lastSQLiteOnly is the number of the last migration that is only for SQLite. The first migration
// for PostgreSQL creates the schema that SQLite has after the migration lastSQLiteOnly.
const lastSQLiteOnly = "00004"

// postgresMigrations is a file system with the migrations for PostgreSQL: all files of its
// field own, and the files of its field shared that are newer than lastSQLiteOnly. If both
// have a file of the same name, the one in own is used.
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
		if !f.IsDir() && f.Name()[:len(lastSQLiteOnly)] > lastSQLiteOnly && missing != nil {
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
	if !d.numbered || !strings.Contains(query, "?") {
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
// accepts. It replaces characters that PostgreSQL cannot store by U+FFFD. Therefore a key with such
// a character matches no row.
func (d *dialect) convertArgsInPlace(args []any) []any {
	if !d.strictText {
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
