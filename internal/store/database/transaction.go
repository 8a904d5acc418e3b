package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// statementRunner is implemented by *sql.Tx and, for a single statement, by *sql.DB.
type statementRunner interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Tx is a transaction, or a single statement outside of one. It accepts queries with the
// placeholder ?. Its methods ignore the context that is passed to them, and use the field ctx,
// which has the time limit of the transaction.
type Tx struct {
	// ClockOffset is the result of [process.Registry].ClockOffset at the start of the transaction.
	ClockOffset time.Duration

	runner statementRunner
	// ctx is the context of the caller with the time limit of the transaction.
	ctx         context.Context
	dialect     *txDialect
	afterCommit []func(error)
}

// AfterCommit makes [DB.Write] call fn after it has committed the transaction. The argument
// of fn is nil or, if it is unknown whether the transaction was committed, an error that wraps
// ErrCommitUnknown. If the transaction is rolled back, fn is not called.
func (t *Tx) AfterCommit(fn func(error)) { t.afterCommit = append(t.afterCommit, fn) }

// QueryRowContext is like [sql.Tx.QueryRowContext], for a query with the placeholder ?.
func (t *Tx) QueryRowContext(_ context.Context, query string, args ...any) *sql.Row {
	return t.runner.QueryRowContext(t.ctx, t.dialect.rebind(query), t.dialect.convertArgsInPlace(args)...)
}

// QueryContext is like [sql.Tx.QueryContext], for a query with the placeholder ?.
func (t *Tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.runner.QueryContext(t.ctx, t.dialect.rebind(query), t.dialect.convertArgsInPlace(args)...)
}

// ExecContext is like [sql.Tx.ExecContext], for a statement with the placeholder ?.
func (t *Tx) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	return t.runner.ExecContext(t.ctx, t.dialect.rebind(query), t.dialect.convertArgsInPlace(args)...)
}

// maxConflicts is the maximum number of times that a transaction is repeated after conflicts with
// concurrent transactions. The random delays before the repetitions increase, and add up to at most
// about one second.
const maxConflicts = 20

// WithTimeLimit returns a copy of d with another time limit of transactions. If d has no time
// limit, the copy has none either. Close either d or the copy, but not both.
func (d *DB) WithTimeLimit(limit time.Duration) *DB {
	limited := *d
	if d.timeout > 0 {
		limited.timeout = limit
	}
	return &limited
}

// Write runs fn in a transaction and commits it. If fn returns an error, Write rolls the
// transaction back. After a conflict with a concurrent transaction, it calls fn again. Therefore fn
// must not rely on results of an earlier call.
func (d *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	return d.runWithRetries(ctx, d.dialect.writeOptions, fn)
}

// WriteReadCommitted is like Write, but with the isolation level read committed: each statement of
// fn sees what other transactions have committed before the statement. With SQLite, where only one
// transaction at a time writes, there is no difference.
func (d *DB) WriteReadCommitted(ctx context.Context, fn func(*Tx) error) error {
	return d.runWithRetries(ctx, d.dialect.readCommittedOptions, fn)
}

// WriteWithoutRetry is like Write, but calls fn only once, even after a conflict.
func (d *DB) WriteWithoutRetry(ctx context.Context, fn func(*Tx) error) error {
	return d.runTx(ctx, d.write, d.dialect.writeOptions, fn)
}

// runWithRetries runs a transaction, and runs it again after each conflict with other
// transactions.
func (d *DB) runWithRetries(ctx context.Context, opts *sql.TxOptions, fn func(*Tx) error) error {
	for n := 1; ; n++ {
		err := d.runTx(ctx, d.write, opts, fn)
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

// Read runs fn in a read-only transaction on a snapshot of the database.
func (d *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	return d.runTx(ctx, d.read, d.dialect.readOptions, fn)
}

// ReadOneStatement is like Read, but fn must execute a single statement. With PostgreSQL, this
// takes one round trip to the server instead of three.
func (d *DB) ReadOneStatement(ctx context.Context, fn func(*Tx) error) error {
	limited, done := d.limitTime(ctx)
	defer done()
	if err := d.read.acquire(limited); err != nil {
		return d.translateTxError(ctx, limited, err)
	}
	defer d.read.release()
	return d.translateTxError(ctx, limited, fn(d.newTx(limited, d.read)))
}

// limitTime returns ctx with the time limit of a transaction, if there is one.
func (d *DB) limitTime(ctx context.Context) (limited context.Context, cancel context.CancelFunc) {
	if d.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d.timeout)
}

// newTx returns a transaction whose statements use ctx and run on runner.
func (d *DB) newTx(ctx context.Context, runner statementRunner) *Tx {
	return &Tx{ClockOffset: d.Processes.ClockOffset(), runner: runner, ctx: ctx, dialect: d.dialect}
}

func (d *DB) runTx(ctx context.Context, p *pool, opts *sql.TxOptions, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, done := d.limitTime(ctx)
	defer done()
	caller, whole, beginCommit := ctx, limited, func() bool { return true }
	writesOnServer := d.timeout > 0 && !opts.ReadOnly
	if writesOnServer {
		caller = context.WithoutCancel(ctx)
		whole, beginCommit, done = d.protectCommit(limited)
		defer done()
	}
	if err := p.acquire(limited); err != nil {
		return d.translateTxError(ctx, limited, err)
	}
	release := sync.OnceFunc(p.release)
	defer release()
	tx, err := p.BeginTx(whole, opts)
	if err != nil {
		return d.translateTxError(ctx, limited, err)
	}
	t := d.newTx(limited, tx)
	if err = fn(t); err == nil && !beginCommit() {
		err = limited.Err()
	}
	if err != nil {
		return errors.Join(d.translateTxError(ctx, limited, err), ignoreTxDone(tx.Rollback()))
	}
	commit := tx.Commit()
	err = d.translateTxError(caller, whole, commit)
	if writesOnServer && errors.Is(err, ErrUnavailable) && !isConflict(commit) {
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

// protectCommit returns a context for a transaction that writes on a server. The context ends when
// limited ends, but not after a call of beginCommit: if a commit were interrupted, it would be
// unknown whether it succeeded. beginCommit returns false if limited has already ended.
func (d *DB) protectCommit(limited context.Context) (whole context.Context, beginCommit func() bool, cancel context.CancelFunc) {
	whole, cancel = d.limitTime(context.WithoutCancel(limited))
	return whole, context.AfterFunc(limited, cancel), cancel
}

// ignoreTxDone returns nil if err means that the transaction had already been rolled back, because
// its context or its connection has ended. Otherwise it returns err.
func ignoreTxDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) || isDisconnected(err) {
		return nil
	}
	return err
}
