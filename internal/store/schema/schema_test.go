package schema

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/testenv"
)

// TestSchemasAreEqual checks that SQLite and PostgreSQL have the same tables and columns. Only
// PostgreSQL has the table of running processes.
func TestSchemasAreEqual(t *testing.T) {
	columns := func(db *sql.DB, migrations *Migrations, query string) map[string]bool {
		t.Helper()
		if _, err := migrations.Migrate(t.Context(), db, Newest); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, name := range rowsOf(t, db, query) {
			found[name] = true
		}
		return found
	}
	// Both queries return each column with its type, and whether it may be null. A
	// primary key of text may be null in SQLite.
	lite := columns(openDB(t, "sqlite", filepath.Join(t.TempDir(), "rows.db")), SQLite, `SELECT m.name || '.' || c.name || ' ' || lower(c.type) ||
		CASE WHEN c."notnull" = 1 OR c.pk > 0 THEN '' ELSE ' null' END || coalesce(' ' || c.dflt_value, '')
		FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'goose%' AND m.name NOT LIKE 'sqlite%'`)
	pg := columns(openDB(t, "pgx", testenv.Postgres(t)), Postgres, `SELECT table_name || '.' || column_name || ' ' || data_type ||
		CASE WHEN is_nullable = 'NO' THEN '' ELSE ' null' END || coalesce(' ' || replace(column_default, '::text', ''), '')
		FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT LIKE 'goose%' AND table_name <> 'process'`)
	if diff := cmp.Diff(lite, pg); diff != "" || len(pg) < 90 {
		t.Errorf("%d columns (-SQLite +PostgreSQL):\n%s", len(pg), diff)
	}
}
