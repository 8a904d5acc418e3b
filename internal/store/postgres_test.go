package store

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/testenv"
)

// TestPostgres runs the conformance suite in schemas of its own.
func TestPostgres(t *testing.T) {
	testenv.Postgres(t) // skips the whole test if there is no PostgreSQL
	exercise(t, func(t *testing.T) func(t *testing.T) *Store {
		t.Helper()
		address := testenv.Postgres(t)
		return func(t *testing.T) *Store {
			t.Helper()
			return openStore(t, address)
		}
	})
}

// TestSchemasAreEqual checks that SQLite and PostgreSQL have the same tables and columns. Only
// PostgreSQL has the table of running processes.
func TestSchemasAreEqual(t *testing.T) {
	columns := func(s *Store, query string) map[string]bool {
		found := map[string]bool{}
		err := s.Read(t.Context(), func(tx *Tx) error {
			names, err := tx.queryNonEmptyStrings(t.Context(), query)
			for _, name := range names {
				found[name] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	// Both queries return each column with its type, and whether it may be null. A
	// primary key of text may be null in SQLite.
	lite := columns(openStore(t, filepath.Join(t.TempDir(), "rows.db")), `SELECT m.name || '.' || c.name || ' ' || lower(c.type) ||
		CASE WHEN c."notnull" = 1 OR c.pk > 0 THEN '' ELSE ' null' END || coalesce(' ' || c.dflt_value, '')
		FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'goose%' AND m.name NOT LIKE 'sqlite%'`)
	pg := columns(openStore(t, testenv.Postgres(t)), `SELECT table_name || '.' || column_name || ' ' || data_type ||
		CASE WHEN is_nullable = 'NO' THEN '' ELSE ' null' END || coalesce(' ' || replace(column_default, '::text', ''), '')
		FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT LIKE 'goose%' AND table_name <> 'process'`)
	if diff := cmp.Diff(lite, pg); diff != "" || len(pg) < 90 {
		t.Errorf("%d columns (-SQLite +PostgreSQL):\n%s", len(pg), diff)
	}
}

// TestPostgresConcurrentOpen checks that one of several processes that start at the same time
// migrates the database.
func TestPostgresConcurrentOpen(t *testing.T) {
	address := testenv.Postgres(t)
	var migrated atomic.Int64
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			s, err := Open(t.Context(), address)
			if err != nil {
				t.Error(err)
				return
			}
			if m := s.Migration(); m.From == 0 {
				migrated.Add(1)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := migrated.Load(); n != 1 {
		t.Errorf("%d processes migrated", n)
	}
	t.Run("a newer schema is refused", func(t *testing.T) {
		write(t, openStore(t, address), func(tx *Tx) error {
			return tx.exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)")
		})
		_, err := Open(t.Context(), address)
		wantErr(t, err, ErrNewerSchema)
	})
}

// TestPasswordIsNotShown checks that no message about a database contains its password.
func TestPasswordIsNotShown(t *testing.T) {
	const password = "s3cret"
	for location, want := range map[string]string{
		"postgres://ann:s3cret@db.example.com:5433/rows?sslmode=require":      "postgres://ann@db.example.com:5433/rows",
		"postgres://db.example.com/rows?user=ann&password=s3cret":             "postgres://db.example.com/rows",
		"postgresql://ann:s3cret#@127.0.0.1:1/rows":                           "postgres://…",
		"postgres://ann:s3cret@127.0.0.1:1/rows":                              "postgres://ann@127.0.0.1:1/rows",
		"postgres://ann:s3cret@127.0.0.1:1/rows?sslmode=s3cret":               "postgres://ann@127.0.0.1:1/rows",
		"postgres://ann:s3cret@127.0.0.1:1/rows?sslrootcert=/nowhere/s3cret":  "postgres://ann@127.0.0.1:1/rows",
		"postgres://ann:s3cret@127.0.0.1:1/rows?connect_timeout=s3cret%20abc": "postgres://ann@127.0.0.1:1/rows",
	} {
		if got := RedactURL(location); got != want {
			t.Errorf("%s is shown as %s", location, got)
		}
		if strings.Contains(location, "example.com") {
			continue
		}
		_, err := Open(t.Context(), location)
		if err == nil || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", location, err)
		}
	}
}
