package store

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

// series checks that versions count up over the datasets of a series and are never reused, and that
// one model of the series is its champion.
func (s suite) series(t *testing.T) {
	add := func(tx *Tx, dataset, model, metric string, achieved *float64) *Model {
		t.Helper()
		m := &Model{Key: model, Account: "ann", Dataset: dataset, Training: "of " + model, AchievedPerformance: achieved, Report: []byte("{}")}
		err := tx.InsertTraining(t.Context(), &Training{Key: m.Training, Account: "ann", Dataset: dataset, Metric: metric, Status: api.TrainingCompleted})
		if err = errors.Join(err, tx.InsertModel(t.Context(), m)); err != nil {
			t.Fatal(err)
		}
		return m
	}
	champions := func(tx *Tx) map[string]bool {
		found := map[string]bool{}
		for _, dataset := range []string{"d1", "d2", "d3", "other"} {
			models, _, err := tx.ListModels(t.Context(), dataset, Page{0, 9})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range models {
				found[m.Key] = m.Champion
			}
		}
		return found
	}
	write(t, s.Store, func(tx *Tx) error {
		err := tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann"})
		for _, d := range []Dataset{{Key: "d1", Name: "N"}, {Key: "d2", Name: "N-2", Series: "N"}, {Key: "d3", Name: "N-3", Series: "N"}, {Key: "other", Name: "M"}} {
			d.Account, d.Status = "ann", api.DatasetCompleted
			err = errors.Join(err, tx.InsertDataset(t.Context(), &d))
		}
		if err != nil {
			return err
		}
		add(tx, "d1", "first", api.MetricAccuracy, new(0.8))
		add(tx, "d2", "best", api.MetricAccuracy, new(0.9))
		add(tx, "other", "unmeasured", api.MetricAccuracy, nil)
		add(tx, "other", "alone", api.MetricAccuracy, new(0.1))
		equal := add(tx, "d1", "equal", api.MetricAccuracy, new(0.9))
		if equal.Version != 2 || equal.SeriesVersion != 3 || equal.Series != "N" {
			t.Errorf("version %d, of the series %q %d", equal.Version, equal.Series, equal.SeriesVersion)
		}
		if diff := cmp.Diff(map[string]bool{"first": false, "best": true, "equal": false, "unmeasured": false, "alone": true}, champions(tx)); diff != "" {
			t.Error("champions: (-want +got)\n" + diff)
		}
		if _, err := tx.DeleteModel(t.Context(), "ann", "equal"); err != nil {
			return err
		}
		if next := add(tx, "d2", "next", api.MetricROCAUC, new(0.5)); next.SeriesVersion != 4 {
			t.Errorf("after a delete the version is %d", next.SeriesVersion)
		}
		// Models with another metric than the newest are not compared.
		if got := champions(tx); got["best"] || !got["next"] {
			t.Errorf("champions: %v", got)
		}
		// Nor are models of another table. The order of the columns does not matter.
		describe := func(dataset, label string, columns ...string) {
			d, err := tx.GetDataset(t.Context(), "ann", dataset)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range columns {
				d.Columns = append(d.Columns, api.Column{Name: name})
			}
			d.Classes, d.Schema = []api.Class{{Label: "a"}}, []byte(`[{"label":"`+label+`","columns":[]}]`)
			if err := tx.UpdateDataset(t.Context(), d, api.DatasetCompleted); err != nil {
				t.Fatal(err)
			}
		}
		describe("d1", "y", "m", "n")
		describe("d2", "y", "n", "m")
		describe("d3", "z", "n", "m")
		add(tx, "d1", "last", api.MetricAccuracy, new(0.1))
		if got := champions(tx); !got["best"] {
			t.Errorf("the same columns in another order: champions: %v", got)
		}
		add(tx, "d3", "other label", api.MetricAccuracy, new(0.2))
		if got := champions(tx); got["best"] || !got["other label"] {
			t.Errorf("a table with another label: champions: %v", got)
		}
		return nil
	})
}
