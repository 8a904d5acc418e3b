package store

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/testenv"
)

// TestSnapshotTables checks that each table of the schema is in snapshotTables or in
// tablesWithoutBackup.
func TestSnapshotTables(t *testing.T) {
	t.Parallel()
	known := append(SnapshotTables(), tablesWithoutBackup...)
	slices.Sort(known)
	tables := func(s *Store, query string) (names []string) {
		t.Helper()
		read(t, s, func(tx *Tx) (err error) {
			names, err = tx.queryNonEmptyStrings(t.Context(), query)
			return err
		})
		slices.Sort(names)
		return names
	}
	lite := tables(openStore(t, filepath.Join(t.TempDir(), "rows.db")),
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%'")
	if diff := cmp.Diff(known, lite); diff != "" {
		t.Errorf("add new tables to snapshotTables or tablesWithoutBackup (-lists +SQLite):\n%s", diff)
	}
	pg := tables(openStore(t, testenv.Postgres(t)),
		"SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_name NOT LIKE 'goose%' AND table_name <> 'process'")
	if diff := cmp.Diff(known, pg); diff != "" {
		t.Errorf("(-lists +PostgreSQL):\n%s", diff)
	}
}
