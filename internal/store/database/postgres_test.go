package database

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"foretell/internal/store/pgurl"
	"foretell/internal/store/schema"
	"foretell/internal/testenv"
)

// TestReadPool checks that the connections for reading refuse to write, although they satisfy
// target_session_attrs=read-write. The driver checks that attribute while it connects.
func TestReadPool(t *testing.T) {
	db := openDB(t, testenv.Postgres(t)+"&target_session_attrs=read-write")
	for range 2 { // the second statement uses the connection again
		err := db.Read(t.Context(), func(tx *Tx) error {
			_, err := tx.ExecContext(t.Context(), "DELETE FROM setting")
			return err
		})
		wantErr(t, err, ErrReadOnly)
		if _, err := db.read.ExecContext(t.Context(), "DELETE FROM setting"); TranslateError(err) == nil {
			t.Error("a statement without a transaction can write")
		}
	}
	if err := touch(t.Context(), db); err != nil {
		t.Error(err)
	}
}

// TestStandby checks the error for a server that allows only reading.
func TestStandby(t *testing.T) {
	address := testenv.Postgres(t)
	openDB(t, address)
	_, err := Open(t.Context(), address+"&default_transaction_read_only=on", schema.Newest)
	wantErr(t, err, ErrReadOnly)
	wantErr(t, err, ErrUnavailable)
}

// TestOpenUnchanged checks that Open with schema.Unchanged creates no table in an empty database.
func TestOpenUnchanged(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { checkOpenUnchanged(t, filepath.Join(t.TempDir(), "rows.db"), "sqlite_schema") })
	t.Run("PostgreSQL", func(t *testing.T) {
		checkOpenUnchanged(t, testenv.Postgres(t), "pg_tables WHERE schemaname = current_schema()")
	})
}

func checkOpenUnchanged(t *testing.T, location, tables string) {
	t.Helper()
	for range 2 {
		_, err := Open(t.Context(), location, schema.Unchanged)
		wantErr(t, err, schema.ErrMissing)
	}
	driver := "pgx"
	if !pgurl.Is(location) {
		driver = "sqlite"
	}
	db, err := sql.Open(driver, location)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var found int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+tables).Scan(&found); err != nil || found != 0 {
		t.Errorf("%v: the database has %d tables", err, found)
	}
}

// TestMigrationBesideReader checks that a migration does not block other processes while a long
// transaction, such as that of a backup, has read a table that the migration changes.
func TestMigrationBesideReader(t *testing.T) {
	address := testenv.Postgres(t)
	const version = 33 // the next migration changes the table dataset
	old, err := Open(t.Context(), address, version)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = old.Close() })
	read := func(tx *Tx) error {
		var n int
		return tx.QueryRowContext(t.Context(), "SELECT count(*) FROM dataset").Scan(&n)
	}
	var migrated *DB
	delayed, opened := make(chan error, 1), make(chan error, 1)
	err = old.Read(t.Context(), func(tx *Tx) error {
		if err := read(tx); err != nil {
			return err
		}
		go func() {
			var err error
			migrated, err = OpenWithNotice(t.Context(), address, schema.Newest, func(err error) {
				select {
				case delayed <- err:
				default:
				}
			})
			opened <- err
		}()
		select {
		case err := <-delayed:
			wantErr(t, TranslateError(err), ErrUnavailable)
		case err := <-opened:
			t.Errorf("the migration did not wait: %v", err)
		case <-time.After(10 * time.Second):
			t.Error("the migration waits for its lock, and other processes wait behind it")
		}
		return old.Read(t.Context(), read)
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	if m := migrated.Migration; m.From != version || m.To != m.Newest {
		t.Errorf("the migration is %+v", m)
	}
	if err := migrated.Close(); err != nil {
		t.Error(err)
	}
}

// TestCancelledStatement checks the error of statements that the server cancels, for example because of a
// limit that its administrator has set.
func TestCancelledStatement(t *testing.T) {
	db := openDB(t, testenv.Postgres(t))
	for _, statements := range [][]string{
		{"SELECT pg_cancel_backend(pg_backend_pid())"},
		{"SET LOCAL statement_timeout = 10", "SELECT pg_sleep(10)"},
		{"SELECT pg_terminate_backend(pg_backend_pid())"},
	} {
		err := db.Write(t.Context(), func(tx *Tx) (err error) {
			for _, statement := range statements {
				_, errExec := tx.ExecContext(t.Context(), statement)
				err = errors.Join(err, errExec)
			}
			return err
		})
		wantErr(t, err, ErrUnavailable)
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	err := db.Write(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, "SELECT pg_sleep(10)")
		return err
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) {
		t.Errorf("after the caller has ended: %v", err)
	}
}
