package database

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"foretell/internal/store/schema"
	"foretell/internal/testenv"
)

// openDB opens a database for the duration of the test.
func openDB(t *testing.T, location string) *DB {
	t.Helper()
	db, err := Open(t.Context(), location, schema.Newest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// exec runs a statement in a transaction.
func exec(t *testing.T, db *DB, statement string) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *Tx) error {
		_, err := tx.ExecContext(t.Context(), statement)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// touch writes a row.
func touch(ctx context.Context, db *DB) error {
	return db.Write(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", "name", "value")
		return err
	})
}

// look reads the row of touch.
func look(ctx context.Context, tx *Tx) error {
	var value string
	return tx.QueryRowContext(ctx, "SELECT value FROM setting WHERE name = ?", "name").Scan(&value)
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("error %v, want %v", got, want)
	}
}

func TestOpenBySecondProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.db")
	first, err := Open(t.Context(), path, schema.Newest)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Open(t.Context(), path, schema.Newest)
	if err != nil {
		t.Fatal(err)
	}
	if !second.Processes.IsAlive(first.Processes.Name()) || !first.Processes.IsAlive(second.Processes.Name()) || first.Processes.IsAlive("nobody") || first.Processes.IsAlive("../entry") {
		t.Error("the processes do not see who lives")
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Join(filepath.Dir(path), "processes")); len(left) > 0 || err != nil {
		t.Errorf("%v are left, %v", left, err)
	}
	t.Run("a newer schema is refused", func(t *testing.T) {
		db, err := Open(t.Context(), path, schema.Newest)
		if err != nil {
			t.Fatal(err)
		}
		exec(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), path, schema.Newest)
		wantErr(t, err, schema.ErrNewer)
	})
}

func TestConcurrentOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.db")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			db, err := Open(t.Context(), path, schema.Newest)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestPostgresConcurrentOpen checks that one of several processes that start at the same time
// migrates the database.
func TestPostgresConcurrentOpen(t *testing.T) {
	address := testenv.Postgres(t)
	var migrated atomic.Int64
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			db, err := Open(t.Context(), address, schema.Newest)
			if err != nil {
				t.Error(err)
				return
			}
			if m := db.Migration; m.From == 0 {
				migrated.Add(1)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := migrated.Load(); n != 1 {
		t.Errorf("%d processes migrated", n)
	}
	t.Run("a newer schema is refused", func(t *testing.T) {
		exec(t, openDB(t, address), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)")
		_, err := Open(t.Context(), address, schema.Newest)
		wantErr(t, err, schema.ErrNewer)
	})
}

// TestPasswordIsNotShown checks that no error of Open contains the password of the database.
func TestPasswordIsNotShown(t *testing.T) {
	for _, location := range []string{
		"postgresql://ann:s3cret#@127.0.0.1:1/rows",
		"postgres://ann:s3cret@127.0.0.1:1/rows",
		"postgres://ann:s3cret@127.0.0.1:1/rows?sslmode=s3cret",
		"postgres://ann:s3cret@127.0.0.1:1/rows?sslrootcert=/nowhere/s3cret",
		"postgres://ann:s3cret@127.0.0.1:1/rows?connect_timeout=s3cret%20abc",
	} {
		_, err := Open(t.Context(), location, schema.Newest)
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", location, err)
		}
	}
}
