package store

import (
	"errors"
	"maps"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

// upgraded opens a database of the first release with the rows that fill
// inserts.
func upgraded(t *testing.T, fill func(exec func(query string, args ...any))) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.db")
	first, err := OpenVersion(t.Context(), path, 1)
	if err != nil {
		t.Fatal(err)
	}
	write(t, first, func(tx *Tx) error {
		var errs []error
		fill(func(query string, args ...any) { errs = append(errs, tx.exec(t.Context(), query, args...)) })
		return errors.Join(errs...)
	})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestUpgradeSeries checks that the datasets and models of an earlier version are put into series
// by their names.
func TestUpgradeSeries(t *testing.T) {
	const long = "a name of thirty characters ab" // the next is cut to 28
	want := map[string]string{
		"train": "train", "train-2": "train", "train-12": "train", "train-1": "train-1", "train-02": "train-02", "train-2b": "train-2b",
		"lone-2": "lone-2", long: long, "a name of thirty characters-3": long, "train-x": "train-x",
	}
	s := upgraded(t, func(exec func(query string, args ...any)) {
		for _, account := range []string{"ann", "bob"} {
			exec("INSERT INTO account (key, email, password, created) VALUES (?, ?, '', 0)", account, account)
		}
		exec("INSERT INTO dataset (key, account, name, status, buckets, created, updated) VALUES ('b', 'bob', 'lone', '', 64, 0, 0)")
		for name := range want {
			// The two models of train-12 follow the three of train-2; one of them
			// exists.
			versions, created := 0, 0
			switch name {
			case "train-2":
				versions, created = 3, 1
			case "train-12":
				versions, created = 2, 2
			}
			exec("INSERT INTO dataset (key, account, name, status, buckets, versions, created, updated) VALUES (?, 'ann', ?, '', 64, ?, ?, 0)",
				"d "+name, name, versions, created)
		}
		models := map[string]int64{"d train-2": 3, "d train-12": 2}
		for dataset, version := range models {
			exec(`INSERT INTO training (key, account, dataset, position, algorithm, status, scaling, threshold, metric, seconds, seed, created)
				VALUES (?, 'ann', ?, 0, '', '', 0, 0, '', 0, 0, 0)`, "t "+dataset, dataset)
			exec(`INSERT INTO model (key, account, dataset, training, version, algorithm, achieved, blob, report, created)
				VALUES (?, 'ann', ?, ?, ?, '', 0, '', '{}', 0)`, "m "+dataset, dataset, "t "+dataset, version)
		}
	})
	write(t, s, func(tx *Tx) error {
		got := map[string]string{}
		for name := range maps.Keys(want) {
			d, err := tx.GetDataset(t.Context(), "ann", "d "+name)
			if err != nil {
				return err
			}
			got[d.Name] = d.Series
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error("series: (-want +got)\n" + diff)
		}
		for dataset, want := range map[string]int{"d train-2": 3, "d train-12": 5} {
			m, err := tx.GetModel(t.Context(), "ann", "m "+dataset)
			if err != nil || m.SeriesVersion != want {
				t.Errorf("%s: version %d of the series, %v", dataset, m.SeriesVersion, err)
			}
		}
		if _, total, err := tx.ListDatasets(t.Context(), DatasetQuery{Account: "ann"}); err != nil || total != int64(len(want)) {
			t.Errorf("%d datasets of %d, %v", total, len(want), err)
		}
		next := &Model{Key: "next", Account: "ann", Dataset: "d train-2", Training: "t next", Report: []byte("{}")}
		if err := tx.InsertTraining(t.Context(), &Training{Key: "t next", Account: "ann", Dataset: "d train-2"}); err != nil {
			return err
		}
		if err := tx.InsertModel(t.Context(), next); err != nil || next.SeriesVersion != 6 || next.Version != 4 {
			t.Errorf("the next model is version %d, %d of the series, %v", next.Version, next.SeriesVersion, err)
		}
		return nil
	})
}

// TestUpgradeThreshold checks that a race of an earlier version keeps the threshold of 1. In that
// release, 1 meant that there was no threshold.
func TestUpgradeThreshold(t *testing.T) {
	s := upgraded(t, func(exec func(query string, args ...any)) {
		exec(`INSERT INTO account (key, email, password, created) VALUES ('ann', 'ann@example.com', '', 0)`)
		exec(`INSERT INTO dataset (key, account, name, status, buckets, created, updated) VALUES ('d', 'ann', 'shop', 'COMPLETED', 64, 0, 0)`)
		exec(`INSERT INTO training (key, account, dataset, position, algorithm, status, scaling, threshold, metric, seconds, seed, created)
			VALUES ('old', 'ann', 'd', 0, '', 'NOT_COMPLETED', 0, 1, 'accuracy', 60, 1, 0)`)
	})
	write(t, s, func(tx *Tx) error {
		return tx.InsertTraining(t.Context(), &Training{Key: "new", Account: "ann", Dataset: "d", Status: api.TrainingPending, Created: at(1)})
	})
	err := s.Read(t.Context(), func(tx *Tx) error {
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

// claimAfterUpgrade checks that a process claims no job once a newer version of this program has upgraded the
// database.
func (s suite) claimAfterUpgrade(t *testing.T) {
	s.fill(t)
	write(t, s.Store, func(tx *Tx) error {
		return tx.InsertJob(t.Context(), &Job{Key: "j", Account: "ann", Kind: "kind", Subject: "s", Created: at(1)})
	})
	setVersion := func(from, to int64) {
		write(t, s.Store, func(tx *Tx) error {
			return tx.exec(t.Context(), "UPDATE goose_db_version SET version_id = ? WHERE version_id = ?", to, from)
		})
	}
	newest := s.Migration().Newest
	setVersion(newest, newest+1)
	_, err := s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(10)})
	wantErr(t, err, ErrNewerSchema)
	setVersion(newest+1, newest)
	if j, err := s.ClaimJob(t.Context(), JobClaim{Kind: "kind", Until: at(10)}); err != nil || j.Attempt != 1 {
		t.Errorf("claimed %+v, %v", j, err)
	}
}

// TestUpgradeSecret checks that the key of an earlier version gets the algorithm that it was used
// with.
func TestUpgradeSecret(t *testing.T) {
	s := upgraded(t, func(exec func(query string, args ...any)) {
		exec("INSERT INTO secret (name, value) VALUES ('addresses', 'abcd')")
	})
	secret, err := s.GetOrInsertSecret(t.Context(), &Secret{Name: "addresses", Value: "fresh", Algorithm: "another"})
	if diff := cmp.Diff(&Secret{Name: "addresses", Value: "abcd", Algorithm: "HMAC-SHA-256"}, secret); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}
