package store

import (
	"path/filepath"
	"testing"
)

// TestLocked writes while another connection holds the lock of the SQLite database.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "foretell.db")
	s, other := openStore(t, path), openStore(t, path)
	if _, err := s.write.ExecContext(t.Context(), "PRAGMA busy_timeout = 20"); err != nil {
		t.Fatal(err)
	}
	touch := func() error {
		return s.Write(t.Context(), func(tx *Tx) error { return tx.UpsertWorker(t.Context(), &Worker{Process: "w"}) })
	}
	err := other.Write(t.Context(), func(*Tx) error {
		wantErr(t, touch(), ErrUnavailable)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := touch(); err != nil {
		t.Errorf("after the end of the other transaction: %v", err)
	}
}
