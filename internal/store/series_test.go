package store

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"foretell/internal/api"
)

// Versions count up over the datasets of a series, are never given twice, and
// one model of the series is its champion.
func TestSeries(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "rows.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	add := func(tx *Tx, dataset, model, metric string, achieved float64) *Model {
		t.Helper()
		m := &Model{Key: model, Account: "ann", Dataset: dataset, Training: "of " + model, Achieved: achieved, Report: []byte("{}")}
		err := tx.InsertTraining(t.Context(), &Training{Key: m.Training, Account: "ann", Dataset: dataset, Metric: metric, Status: api.TrainingCompleted})
		if err = errors.Join(err, tx.InsertModel(t.Context(), m)); err != nil {
			t.Fatal(err)
		}
		return m
	}
	champions := func(tx *Tx) map[string]bool {
		found := map[string]bool{}
		for _, dataset := range []string{"d1", "d2", "other"} {
			models, _, err := tx.ListModels(t.Context(), dataset, Window{0, 9})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range models {
				found[m.Key] = m.Champion
			}
		}
		return found
	}
	write(t, s, func(tx *Tx) error {
		err := tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann"})
		for _, d := range []Dataset{{Key: "d1", Name: "N"}, {Key: "d2", Name: "N-2", Series: "N"}, {Key: "other", Name: "M"}} {
			d.Account, d.Status = "ann", api.DatasetCompleted
			err = errors.Join(err, tx.InsertDataset(t.Context(), &d))
		}
		if err != nil {
			return err
		}
		add(tx, "d1", "first", api.MetricAccuracy, 0.8)
		add(tx, "d2", "best", api.MetricAccuracy, 0.9)
		add(tx, "other", "alone", api.MetricAccuracy, 0.1)
		equal := add(tx, "d1", "equal", api.MetricAccuracy, 0.9)
		if equal.Version != 2 || equal.SeriesVersion != 3 || equal.Series != "N" {
			t.Errorf("version %d, of the series %q %d", equal.Version, equal.Series, equal.SeriesVersion)
		}
		if diff := cmp.Diff(map[string]bool{"first": false, "best": true, "equal": false, "alone": true}, champions(tx)); diff != "" {
			t.Error("champions: (-want +got)\n" + diff)
		}
		if _, err := tx.DeleteModel(t.Context(), "ann", "equal"); err != nil {
			return err
		}
		if next := add(tx, "d2", "next", api.MetricROCAUC, 0.5); next.SeriesVersion != 4 {
			t.Errorf("after a delete the version is %d", next.SeriesVersion)
		}
		// An accuracy of 0.9 is no better than an area of 0.5.
		if got := champions(tx); got["best"] || !got["next"] {
			t.Errorf("champions: %v", got)
		}
		return nil
	})
}

// The datasets and models of an earlier release get the series that their names
// tell of.
func TestSeriesOfEarlierRelease(t *testing.T) {
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
	if _, err := provider.UpTo(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	const long = "a name of thirty characters ab" // the next is cut to 28
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"train": "train", "train-2": "train", "train-12": "train", "train-1": "train-1", "train-02": "train-02", "train-2b": "train-2b",
		"lone-2": "lone-2", long: long, "a name of thirty characters-3": long, "train-x": "train-x",
	}
	for _, account := range []string{"ann", "bob"} {
		exec("INSERT INTO account (key, email, password, created) VALUES (?, ?, '', 0)", account, account)
	}
	exec("INSERT INTO dataset (key, account, name, status, buckets, created, updated) VALUES ('b', 'bob', 'lone', '', 64, 0, 0)")
	for name := range want {
		// The two models of train-12 come after the three of train-2, of which one
		// is left.
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
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
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
