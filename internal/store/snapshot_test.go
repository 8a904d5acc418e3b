package store

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/testenv"
)

// tablesWithoutBackup are the tables that a backup does not contain. Sessions and one-time
// links may be used or revoked after the backup. The identity of a data folder must not be
// restored to another folder. Parts of races are trained again. Workers exist only while their
// processes run. The attempts that a rate limit counts matter only for about an hour.
var tablesWithoutBackup = []string{"token", "one_time_link", "folder", "part", "worker", "attempt"}

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
