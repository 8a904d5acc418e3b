package database

import (
	"database/sql"
	"path/filepath"
	"testing"

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
