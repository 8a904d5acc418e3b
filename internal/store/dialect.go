package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
)

// dialect is how the two databases differ where one SQL text cannot serve both.
type dialect struct {
	goose goose.Dialect
	// migrations has the files of the database.
	migrations fs.FS
	// write and read are the options of transactions.
	write, read *sql.TxOptions
	// statement is write for a single statement, which needs no isolation from
	// others.
	statement *sql.TxOptions
	// timeout is the time limit of a transaction. 0 means no limit.
	timeout time.Duration
	// numbered is set if placeholders are $1, $2 … instead of ?.
	numbered bool
	// strictText is set if a text must be valid UTF-8 without NUL.
	strictText bool
	// lockClaims is a statement that lets one transaction at a time claim a job of a
	// kind, and skipLocked the end of a query that passes over jobs that other
	// transactions are changing. SQLite has one writer and needs neither.
	lockClaims, skipLocked string
}

//go:embed migrations/*.sql migrations/postgres/*.sql
var migrations embed.FS

var sqliteDialect = &dialect{goose: goose.DialectSQLite3, migrations: subFolder("migrations")}

// serializable transactions have the effect of running one after the other, as
// those of SQLite do. One that cannot have it fails, and is run again.
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
}

func subFolder(name string) fs.FS {
	sub, err := fs.Sub(migrations, name)
	if err != nil {
		panic(err) // the name is a constant of this package
	}
	return sub
}

// lastSQLiteOnly is the last migration that only SQLite has: its files contain
// what PostgreSQL cannot run, and PostgreSQL starts at the schema they lead to.
const lastSQLiteOnly = "00004"

// postgresMigrations are PostgreSQL's own migrations, and those that it shares
// with SQLite: the later ones that it has no file of its own for.
type postgresMigrations struct{ own, shared fs.FS }

// Open opens the file of that name.
func (m postgresMigrations) Open(name string) (fs.File, error) {
	f, err := m.own.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return m.shared.Open(name)
	}
	return f, err
}

// ReadDir returns the files.
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
	return files, err
}

// limit returns a context for a transaction, which ends at its time limit.
func (d *dialect) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d.timeout)
}

// rebind returns a query with the placeholders of the database.
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

// args returns the arguments of a query as the database accepts them. A text
// that PostgreSQL cannot store gets replacement characters; as a key it is that
// of no row.
func (d *dialect) args(args []any) []any {
	if !d.strictText {
		return args
	}
	for i, arg := range args {
		switch s := arg.(type) {
		case string:
			args[i] = validText(s)
		case *string:
			if s != nil {
				args[i] = validText(*s)
			}
		}
	}
	return args
}

func validText(s string) string {
	const replacement = "\uFFFD"
	return strings.ReplaceAll(strings.ToValidUTF8(s, replacement), "\x00", replacement)
}

// conflicts reports whether a transaction failed because it could not be
// serialized with a concurrent one, or to end a deadlock: it can be run again.
func conflicts(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

// statements is a transaction or, for a single statement, a pool of connections.
type statements interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// dialectTx is a transaction that takes queries with the placeholder ?. Its
// statements run under the context of the transaction, which has its time limit
// and ends with that of its caller.
type dialectTx struct {
	statements
	ctx     context.Context
	dialect *dialect
}

// QueryRowContext is that of [sql.Tx] for a query with the placeholder ?.
func (t dialectTx) QueryRowContext(_ context.Context, query string, args ...any) *sql.Row {
	return t.statements.QueryRowContext(t.ctx, t.dialect.rebind(query), t.dialect.args(args)...)
}

// QueryContext is that of [sql.Tx] for a query with the placeholder ?.
func (t dialectTx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.statements.QueryContext(t.ctx, t.dialect.rebind(query), t.dialect.args(args)...)
}

// ExecContext is that of [sql.Tx] for a statement with the placeholder ?.
func (t dialectTx) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	return t.statements.ExecContext(t.ctx, t.dialect.rebind(query), t.dialect.args(args)...)
}
