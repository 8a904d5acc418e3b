package database

import (
	"path/filepath"
	"testing"
)

// TestLocked writes while another connection holds the lock of the SQLite database.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "foretell.db")
	db, other := openDB(t, path), openDB(t, path)
	if _, err := db.write.ExecContext(t.Context(), "PRAGMA busy_timeout = 20"); err != nil {
		t.Fatal(err)
	}
	err := other.Write(t.Context(), func(*Tx) error {
		wantErr(t, touch(t.Context(), db), ErrUnavailable)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := touch(t.Context(), db); err != nil {
		t.Errorf("after the end of the other transaction: %v", err)
	}
}

// TestDurability checks the settings that make a commit survive a power failure.
func TestDurability(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "rows.db"))
	for pragma, want := range map[string]int{"synchronous": 2, "fullfsync": 1} {
		var got int
		if err := db.write.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %d, %v: want %d", pragma, got, err, want)
		}
	}
}
