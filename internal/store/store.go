package store

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/trace"

	"foretell/internal/span"
	"foretell/internal/store/database"
	"foretell/internal/store/schema"
)

// Store is an open database. It is safe for concurrent use, and several
// processes may open the same database.
type Store struct {
	db      *database.DB
	dialect *sqlDialect
	leases  *leaseChecks
}

// Open opens a database and migrates it to the newest schema. location is the path of an SQLite
// file or the URL of a PostgreSQL database. Open creates a missing file and its folder. A
// PostgreSQL database must exist. The caller must call Close.
func Open(ctx context.Context, location string) (*Store, error) {
	return OpenVersion(ctx, location, schema.Newest)
}

// OpenVersion is like [Open], but migrates the database only to the given version of the
// schema. A later call of [Open] migrates it further. OpenVersion returns an
// [UnsupportedVersionError] if the program does not know the version, and ErrNewerSchema if the
// schema of the database is newer than that version.
func OpenVersion(ctx context.Context, location string, version int64) (*Store, error) {
	return newStore(database.Open(ctx, location, version))
}

// OpenWithNotice is like [Open]. It calls onDelay each time the migration of a PostgreSQL database
// must wait for a transaction of another process, such as a backup. The argument is the error of the
// attempt. OpenWithNotice tries again until ctx ends.
func OpenWithNotice(ctx context.Context, location string, onDelay func(error)) (*Store, error) {
	return newStore(database.OpenWithNotice(ctx, location, schema.Newest, onDelay))
}

// newStore returns a Store for an open database. If err is not nil, newStore returns err.
func newStore(db *database.DB, err error) (*Store, error) {
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, dialect: sqliteSQL, leases: &leaseChecks{}}
	if db.IsOnServer() {
		s.dialect = postgresSQL
	}
	return s, nil
}

// OpenUnchanged is like [Open], but does not migrate the database. If an earlier version created
// the schema, only [Store.ReadSnapshot] is sure to work. OpenUnchanged returns ErrOldSchema if the
// schema is missing or too old for a snapshot.
func OpenUnchanged(ctx context.Context, location string) (*Store, error) {
	return OpenVersion(ctx, location, schema.Unchanged)
}

// HasNewestSchema reports whether the database has the newest schema that the program knows.
func (s *Store) HasNewestSchema() bool { return s.db.Migration.To == s.db.Migration.Newest }

// Migration returns the versions of the schema before and after Open.
func (s *Store) Migration() schema.Migration { return s.db.Migration }

// Close closes the database. Other processes then consider this process dead and take over its
// jobs.
func (s *Store) Close() error { return s.db.Close() }

// Ping checks that the database can be read.
func (s *Store) Ping(ctx context.Context) error {
	return s.ReadOneStatement(ctx, func(t *Tx) error {
		var one int
		return t.tx.QueryRowContext(ctx, "SELECT 1").Scan(&one)
	})
}

// ProcessName returns the name of this process. It is unique among the processes that
// share the database.
func (s *Store) ProcessName() string { return s.db.Processes.Name() }

// IsOnServer reports whether the database is on a PostgreSQL server, which processes on several
// machines may share.
func (s *Store) IsOnServer() bool { return s.db.IsOnServer() }

// ToSharedTime converts a time of this machine's clock to the clock that all processes share. This
// is the clock of the PostgreSQL server or, with SQLite, of this machine. The times of datasets,
// training jobs, models and predictions are of this clock.
func (s *Store) ToSharedTime(t time.Time) time.Time { return t.Add(s.db.Processes.ClockOffset()) }

// IsProcessAlive reports whether the process with this [Store.ProcessName] is running. It
// returns true if this is unknown.
func (s *Store) IsProcessAlive(process string) bool { return s.db.Processes.IsAlive(process) }

// Tx is a transaction. A function must not use its Tx after it has returned. If a method of Tx
// returns an error of the database, such as ErrExists, the function must return this error. The
// methods ignore the context that is passed to them. All statements use the context that was passed
// to [Store.Write] or [Store.Read], with the time limit of the transaction.
type Tx struct {
	tx      *database.Tx
	dialect *sqlDialect
}

// AfterCommit makes [Store.Write] call fn after it has committed the transaction. The argument
// of fn is nil or, if it is unknown whether the transaction was committed, an error that wraps
// ErrCommitUnknown. If the transaction is rolled back, fn is not called.
func (t *Tx) AfterCommit(fn func(error)) { t.tx.AfterCommit(fn) }

// withTx returns a function that calls fn with a [database.Tx] as a Tx.
func (s *Store) withTx(fn func(*Tx) error) func(*database.Tx) error {
	return func(t *database.Tx) error { return fn(&Tx{t, s.dialect}) }
}

// Write runs fn in a transaction and commits it. If fn returns an error, Write rolls the
// transaction back. After a conflict with a concurrent transaction, it calls fn again. Therefore fn
// must not rely on results of an earlier call.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) (err error) {
	ctx, own := span.Start(ctx, "store write", trace.SpanKindClient)
	defer func() { span.End(own, err) }()
	return s.db.Write(ctx, s.withTx(fn))
}

// writeReadCommitted is like Write, but with the isolation level read committed: each statement of
// fn sees what other transactions have committed before the statement. So the transaction does not
// conflict with transactions that change other rows. Each caller says why this level is enough. With
// SQLite, where only one transaction at a time writes, there is no difference.
func (s *Store) writeReadCommitted(ctx context.Context, fn func(*Tx) error) error {
	return s.db.WriteReadCommitted(ctx, s.withTx(fn))
}

// Read runs fn in a read-only transaction on a snapshot of the database.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) (err error) {
	ctx, own := span.Start(ctx, "store read", trace.SpanKindClient)
	defer func() { span.End(own, ignoreNotFound(err)) }()
	return s.db.Read(ctx, s.withTx(fn))
}

// ReadOneStatement is like Read, but fn must execute a single statement. With PostgreSQL, this
// takes one round trip to the server instead of three.
func (s *Store) ReadOneStatement(ctx context.Context, fn func(*Tx) error) (err error) {
	ctx, own := span.Start(ctx, "store read", trace.SpanKindClient)
	defer func() { span.End(own, ignoreNotFound(err)) }()
	return s.db.ReadOneStatement(ctx, s.withTx(fn))
}

// ignoreNotFound returns nil for ErrNotFound, which a trace should not show as a failure.
func ignoreNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
