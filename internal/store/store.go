package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/span"
)

// maxReaders is the maximum number of read connections.
const maxReaders = 8

// Store is an open database. It is safe for concurrent use, and several
// processes may open the same database.
type Store struct {
	write, read *connectionPool
	dialect     *dialect
	processes   processRegistry
	migration   Migration
	leases      *leaseChecks
	// listenConfig is the configuration of the connection for notifications. It is nil for
	// SQLite.
	listenConfig *pgx.ConnConfig
}

// processRegistry registers this process, and reports which of the processes that share the
// database are alive.
type processRegistry interface {
	// name returns the name of this process.
	name() string
	// isAlive reports whether the named process is running. It returns true if this is
	// unknown.
	isAlive(process string) bool
	// clockOffset returns the time of the clock that all processes share minus the time of the
	// clock of this machine.
	clockOffset() time.Duration
	// anyMayHaveDied reports whether a process may have died since the last call of anyMayHaveDied.
	anyMayHaveDied() bool
	// release unregisters this process. Other processes then consider it dead.
	release() error
}

// Open opens a database and migrates it to the newest schema. location is the path of an SQLite
// file or the URL of a PostgreSQL database; see [IsURL]. Open creates a missing file and its
// folder. A PostgreSQL database must exist. The caller must call Close.
func Open(ctx context.Context, location string) (*Store, error) {
	return OpenVersion(ctx, location, newestSchema)
}

// OpenVersion is like [Open], but migrates the database only to the given version of the
// schema. A later call of [Open] migrates it further. OpenVersion returns ErrNewerSchema if the
// program does not know the version, or if the schema of the database is newer.
func OpenVersion(ctx context.Context, location string, version int64) (*Store, error) {
	if IsURL(location) {
		return openPostgres(ctx, location, version)
	}
	return openSQLite(ctx, location, version)
}

// OpenUnchanged is like [Open], but does not migrate the database. If the schema is that of an
// earlier version, only [Store.ReadSnapshot] is sure to work. OpenUnchanged returns
// ErrOldSchema if the schema is missing or too old for a snapshot.
func OpenUnchanged(ctx context.Context, location string) (*Store, error) {
	return OpenVersion(ctx, location, unchangedSchema)
}

// HasNewestSchema reports whether the database has the newest schema that the program knows.
func (s *Store) HasNewestSchema() bool { return s.migration.To == s.migration.newest }

// Migration returns the versions of the schema before and after Open.
func (s *Store) Migration() Migration { return s.migration }

// Close closes the database. Other processes then consider this process dead and take over its
// jobs.
func (s *Store) Close() error {
	var errs []error
	for _, p := range []*connectionPool{s.read, s.write} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	if s.processes != nil {
		errs = append(errs, s.processes.release())
	}
	return errors.Join(errs...)
}

// Ping checks that the database can be read.
func (s *Store) Ping(ctx context.Context) error {
	return s.ReadStatement(ctx, func(t *Tx) error {
		var one int
		return t.tx.QueryRowContext(ctx, "SELECT 1").Scan(&one)
	})
}

// ProcessName returns the name of this process. It is unique among the processes that
// share the database.
func (s *Store) ProcessName() string { return s.processes.name() }

// IsOnServer reports whether the database is on a PostgreSQL server, which processes on several
// machines may share.
func (s *Store) IsOnServer() bool { return s.dialect == postgresDialect }

// ToSharedTime converts a time of this machine's clock to the clock that all processes share. This
// is the clock of the PostgreSQL server or, with SQLite, of this machine.
func (s *Store) ToSharedTime(t time.Time) time.Time { return t.Add(s.processes.clockOffset()) }

// IsProcessAlive reports whether the process with this [Store.ProcessName] is running. It
// returns true if this is unknown.
func (s *Store) IsProcessAlive(process string) bool { return s.processes.isAlive(process) }

// Tx is a transaction. A function must not use its Tx after it has returned. If a method of Tx
// returns an error of the database, such as ErrExists, the function must return this error.
type Tx struct {
	tx dialectTx
	// clockOffset is the result of processRegistry.clockOffset at the start of the transaction.
	clockOffset time.Duration
	afterCommit []func(error)
}

// AfterCommit makes [Store.Write] call fn after it has committed the transaction. The argument
// of fn is nil or, if it is unknown whether the transaction was committed, an error that wraps
// ErrCommitUnknown. If the transaction is rolled back, fn is not called.
func (t *Tx) AfterCommit(fn func(error)) { t.afterCommit = append(t.afterCommit, fn) }

// maxConflicts is the number of times that a transaction is repeated after conflicts with
// concurrent transactions. The random delays between the attempts increase, and add up to at
// most about one second.
const maxConflicts = 20

// Write runs fn in a transaction and commits it. If fn returns an error, Write rolls the
// transaction back. After a conflict with a concurrent transaction it calls fn again, so each call
// of fn must set all its results anew. The statements of fn must use ctx.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) (err error) {
	ctx, own := span.Start(ctx, "store write", trace.SpanKindClient)
	defer func() { span.End(own, err) }()
	return s.runWithRetries(ctx, s.dialect.writeOptions, fn)
}

// writeStatement is like Write, for a function that needs less isolation. Such a function
// executes a single statement, or each of its statements changes one row and does not depend on
// the others.
func (s *Store) writeStatement(ctx context.Context, fn func(*Tx) error) error {
	return s.runWithRetries(ctx, s.dialect.statementOptions, fn)
}

// runWithRetries runs a transaction, and runs it again after each conflict with other
// transactions.
func (s *Store) runWithRetries(ctx context.Context, opts *sql.TxOptions, fn func(*Tx) error) error {
	for n := 1; ; n++ {
		err := s.runTx(ctx, s.write, opts, fn)
		if !isConflict(err) || n > maxConflicts {
			return err
		}
		delay := time.NewTimer(rand.N(time.Duration(n) * 5 * time.Millisecond)) //nolint:forbidigo // needs no seed
		select {
		case <-ctx.Done():
			delay.Stop()
			return err
		case <-delay.C:
		}
	}
}

// Read runs fn in a read-only transaction on a snapshot of the database. The
// statements of fn must use ctx.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) (err error) {
	ctx, own := span.Start(ctx, "store read", trace.SpanKindClient)
	defer func() { span.End(own, ignoreNotFound(err)) }()
	return s.runTx(ctx, s.read, s.dialect.readOptions, fn)
}

// ReadStatement is like Read, for a function that executes a single statement. With PostgreSQL,
// it takes one round trip to the server instead of three.
func (s *Store) ReadStatement(ctx context.Context, fn func(*Tx) error) (err error) {
	ctx, own := span.Start(ctx, "store read", trace.SpanKindClient)
	defer func() { span.End(own, ignoreNotFound(err)) }()
	limited, done := s.dialect.withTimeLimit(ctx)
	defer done()
	if err := s.read.acquire(limited); err != nil {
		return s.translateTxError(ctx, limited, err)
	}
	defer s.read.release()
	return s.translateTxError(ctx, limited, fn(&Tx{tx: dialectTx{s.read, limited, s.dialect}, clockOffset: s.processes.clockOffset()}))
}

// ignoreNotFound returns nil for ErrNotFound, which a trace should not show as a failure.
func ignoreNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func (s *Store) runTx(ctx context.Context, p *connectionPool, opts *sql.TxOptions, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, done := s.dialect.withTimeLimit(ctx)
	defer done()
	// A commit on a server must not be interrupted when ctx ends: nobody would know whether it
	// succeeded.
	whole, wholeLimited := ctx, limited
	if s.dialect.timeout > 0 {
		whole = context.WithoutCancel(ctx)
		var done context.CancelFunc
		wholeLimited, done = s.dialect.withTimeLimit(whole)
		defer done()
	}
	if err := p.acquire(limited); err != nil {
		return s.translateTxError(ctx, limited, err)
	}
	release := sync.OnceFunc(p.release)
	defer release()
	tx, err := p.BeginTx(wholeLimited, opts)
	if err != nil {
		return s.translateTxError(ctx, wholeLimited, err)
	}
	t := &Tx{tx: dialectTx{tx, limited, s.dialect}, clockOffset: s.processes.clockOffset()}
	if err = fn(t); err != nil {
		return errors.Join(s.translateTxError(ctx, limited, err), ignoreTxDone(tx.Rollback()))
	}
	commit := tx.Commit()
	err = s.translateTxError(whole, wholeLimited, commit)
	if errors.Is(err, ErrUnavailable) && s.dialect.timeout > 0 && !isConflict(commit) {
		err = fmt.Errorf("%w: %w", ErrCommitUnknown, err)
	}
	if err == nil || errors.Is(err, ErrCommitUnknown) {
		release() // the functions may take long, for example to write to a log
		for _, fn := range t.afterCommit {
			fn(err)
		}
	}
	return err
}

// ignoreTxDone returns nil if err means that the transaction had already been rolled
// back, by the end of its context or of its connection. Otherwise it returns err.
func ignoreTxDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) || isDisconnected(err) {
		return nil
	}
	return err
}
