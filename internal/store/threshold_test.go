package store

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"foretell/internal/api"
)

// TestThresholdOfOlderRaces opens a database of before a race could be without a
// threshold.
func TestThresholdOfOlderRaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.db")
	db, err := connect(path, "immediate", "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		`INSERT INTO account (key, email, password, created) VALUES ('ann', 'ann@example.com', '', 0)`,
		`INSERT INTO dataset (key, account, name, status, buckets, created, updated) VALUES ('d', 'ann', 'shop', 'COMPLETED', 64, 0, 0)`,
		`INSERT INTO training (key, account, dataset, position, algorithm, status, scaling, threshold, metric, seconds, seed, created)
			VALUES ('old', 'ann', 'd', 0, '', 'NOT_COMPLETED', 0, 1, 'accuracy', 60, 1, 0)`,
	} {
		if _, err := db.ExecContext(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	write(t, s, func(tx *Tx) error {
		return tx.InsertTraining(t.Context(), &Training{Key: "new", Account: "ann", Dataset: "d", Status: api.TrainingPending, Created: at(1)})
	})
	err = s.Read(t.Context(), func(tx *Tx) error {
		for key, want := range map[string]*float64{"old": new(1.0), "new": nil} {
			r, err := tx.GetTraining(t.Context(), "ann", key)
			if err != nil {
				return err
			}
			if (r.Threshold == nil) != (want == nil) || want != nil && *r.Threshold != *want {
				t.Errorf("%s: threshold %v", key, r.Threshold)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
