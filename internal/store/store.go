package store

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"
)

// maxReaders is the maximum number of read connections.
const maxReaders = 8

// Store is an open database. It is safe for concurrent use, and several
// processes may open the same database.
type Store struct {
	write, read *sql.DB
	dialect     *dialect
	processes   registry
	migration   Migration
}

// registry shows which of the processes that share the database are alive.
type registry interface {
	// name returns the name of this process.
	name() string
	// isAlive reports whether the named process is running. It returns true if that
	// is unknown.
	isAlive(process string) bool
	// offset is what must be added to a time of this machine's clock to get the
	// time that all processes share.
	offset() time.Duration
	// settled reports whether this process may take jobs from others whose leases
	// have expired: not after it lost the database, because the others may have
	// lost it too.
	settled() bool
	// release makes this process a dead one.
	release() error
}

// Open opens the database at location, creates it if missing, and migrates it to
// the newest schema. Location is the path of an SQLite file, which is created with
// its folder, or the URL of an existing PostgreSQL database, see [IsURL]. The
// caller must call Close.
func Open(ctx context.Context, location string) (*Store, error) {
	if IsURL(location) {
		return openPostgres(ctx, location)
	}
	return openSQLite(ctx, location)
}

// Migration returns how Open changed the schema.
func (s *Store) Migration() Migration { return s.migration }

// Close closes the database and makes this process a dead one, so that others
// can take over its leases.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
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

// ProcessName returns the name of this process, which is unique among those
// that share the database.
func (s *Store) ProcessName() string { return s.processes.name() }

// IsAlive reports whether the process with this [Store.ProcessName] is running. It
// returns true if that is unknown.
func (s *Store) IsAlive(process string) bool { return s.processes.isAlive(process) }

// Tx is a transaction. It must not be used after the function to which it was
// passed has returned. After an error of the database, such as ErrExists, the
// function must return it.
type Tx struct {
	tx dialectTx
	// offset is as in registry.
	offset time.Duration
}

// maxConflicts is how often a transaction is run again because of concurrent
// ones, each time after a longer delay: a second in all.
const maxConflicts = 20

// Write runs fn in a transaction and commits it, or rolls it back if fn returns
// an error. It calls fn again after a conflict with a concurrent transaction, so
// fn must set all its results each time. The statements of fn must use ctx.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	return s.repeat(ctx, s.dialect.write, fn)
}

// writeStatement is Write for an fn whose single statement needs no isolation
// from other transactions.
func (s *Store) writeStatement(ctx context.Context, fn func(*Tx) error) error {
	return s.repeat(ctx, s.dialect.statement, fn)
}

// repeat runs a transaction until it does not conflict with others.
func (s *Store) repeat(ctx context.Context, opts *sql.TxOptions, fn func(*Tx) error) error {
	for n := 1; ; n++ {
		err := s.transact(ctx, s.write, opts, fn)
		if !conflicts(err) || n > maxConflicts {
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
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) error {
	return s.transact(ctx, s.read, s.dialect.read, fn)
}

// ReadStatement is Read for an fn with a single statement, which PostgreSQL answers
// in one round trip instead of three.
func (s *Store) ReadStatement(ctx context.Context, fn func(*Tx) error) error {
	limited, done := s.dialect.limit(ctx)
	defer done()
	return s.translate(ctx, limited, fn(&Tx{dialectTx{s.read, limited, s.dialect}, s.processes.offset()}))
}

func (s *Store) transact(ctx context.Context, db *sql.DB, opts *sql.TxOptions, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, done := s.dialect.limit(ctx)
	defer done()
	// The end of ctx must not interrupt a commit on its way to a server: its outcome
	// would be unknown.
	whole, wholeLimited := ctx, limited
	if s.dialect.timeout > 0 {
		whole = context.WithoutCancel(ctx)
		var done context.CancelFunc
		wholeLimited, done = s.dialect.limit(whole)
		defer done()
	}
	tx, err := db.BeginTx(wholeLimited, opts)
	if err != nil {
		return s.translate(ctx, wholeLimited, err)
	}
	err = fn(&Tx{dialectTx{tx, limited, s.dialect}, s.processes.offset()})
	if err != nil {
		return errors.Join(s.translate(ctx, limited, err), ignoreTxDone(tx.Rollback()))
	}
	return s.translate(whole, wholeLimited, tx.Commit())
}

// ignoreTxDone returns nil for the errors of a rollback after the end of the
// context or of the connection has already rolled the transaction back.
func ignoreTxDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) || disconnected(err) {
		return nil
	}
	return err
}
