package database

import (
	"context"
	"errors"
	"testing"
	"time"

	"foretell/internal/testenv"
)

// TestOutage checks that operations soon return ErrUnavailable during an outage, and succeed after
// it.
func TestOutage(t *testing.T) {
	relay, address := testenv.StartRelay(t, testenv.Postgres(t))
	db := openDB(t, address)
	impatient := db.WithTimeLimit(300 * time.Millisecond) // does not wait long for a server that does not respond
	used := db
	ops := map[string]func() error{
		"a write": func() error { return touch(t.Context(), used) },
		"a read": func() error {
			return used.Read(t.Context(), func(tx *Tx) error { return look(t.Context(), tx) })
		},
		"a statement": func() error {
			return used.ReadOneStatement(t.Context(), func(tx *Tx) error { return look(t.Context(), tx) })
		},
	}
	if err := touch(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []testenv.RelayMode{testenv.Refusing, testenv.Hanging} {
		relay.SetMode(testenv.Forwarding)
		for name, op := range ops {
			if err := op(); err != nil {
				t.Errorf("%s before the outage: %v", name, err)
			}
		}
		relay.SetMode(mode)
		used = impatient
		for name, op := range ops {
			began := time.Now()
			wantErr(t, op(), ErrUnavailable)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("%s took %s to fail", name, took)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		err := used.Read(ended, func(tx *Tx) error { return look(ended, tx) })
		wantErr(t, err, context.Canceled)
		used = db
	}
	relay.SetMode(testenv.Forwarding)
	for name, op := range ops {
		if err := op(); err != nil {
			t.Errorf("%s after the outage: %v", name, err)
		}
	}
}

// TestCallerEndsDuringOutage checks that no operation on a server that hangs takes longer than its caller
// allows, also if it must first wait for a BEGIN.
func TestCallerEndsDuringOutage(t *testing.T) {
	relay, address := testenv.StartRelay(t, testenv.Postgres(t))
	db := openDB(t, address)
	if err := touch(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	relay.SetMode(testenv.Hanging)
	for name, op := range map[string]func(context.Context) error{
		"a write": func(ctx context.Context) error { return touch(ctx, db) },
		"a read": func(ctx context.Context) error {
			return db.Read(ctx, func(tx *Tx) error { return look(ctx, tx) })
		},
	} {
		limited, done := context.WithTimeout(t.Context(), time.Second)
		defer done()
		stopped, stop := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, stop)
		for _, ctx := range []context.Context{limited, stopped} {
			began := time.Now()
			wantErr(t, op(ctx), ctx.Err())
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s took %s", name, took)
			}
		}
	}
	relay.SetMode(testenv.Forwarding)
	if err := touch(t.Context(), db); err != nil {
		t.Error(err)
	}
}

// TestCommitUnknown checks that an error says whether the transaction may have been committed.
func TestCommitUnknown(t *testing.T) {
	for _, mode := range []testenv.RelayMode{testenv.Refusing, testenv.Hanging} {
		relay, address := testenv.StartRelay(t, testenv.Postgres(t))
		db := openDB(t, address).WithTimeLimit(time.Second)
		write := func() error {
			return db.Write(t.Context(), func(tx *Tx) error {
				_, err := tx.ExecContext(t.Context(), "DELETE FROM setting")
				relay.SetMode(mode)
				return err
			})
		}
		wantErr(t, write(), ErrCommitUnknown)
		if err := write(); !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrCommitUnknown) {
			t.Errorf("before the commit: %v", err)
		}
		relay.SetMode(testenv.Forwarding)
	}
}
