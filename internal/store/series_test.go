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
	status, group := api.TrainingCompleted, "" // of the races that add adds
	add := func(tx *Tx, dataset, model, metric string, achieved *float64) *Model {
		t.Helper()
		m := &Model{Key: model, Account: "ann", Dataset: dataset, Training: "of " + model, AchievedPerformance: achieved, Report: []byte("{}")}
		err := tx.InsertTraining(t.Context(), &Training{Key: m.Training, Account: "ann", Dataset: dataset, Metric: metric, GroupColumn: group, Status: status})
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
		// A model of an earlier dataset is not compared, although its score is the same as that of the champion.
		if diff := cmp.Diff(map[string]bool{"first": false, "best": false, "equal": true, "unmeasured": false, "alone": true}, champions(tx)); diff != "" {
			t.Error("champions: (-want +got)\n" + diff)
		}
		add(tx, "d1", "tie", api.MetricAccuracy, new(0.9))
		if got := champions(tx); !got["equal"] || got["tie"] {
			t.Errorf("in a tie, the champion is not the oldest: %v", got)
		}
		if _, err := tx.DeleteModel(t.Context(), "ann", "tie"); err != nil {
			return err
		}
		if _, err := tx.DeleteModel(t.Context(), "ann", "equal"); err != nil {
			return err
		}
		if next := add(tx, "d2", "next", api.MetricROCAUC, new(0.5)); next.SeriesVersion != 5 {
			t.Errorf("after a delete the version is %d", next.SeriesVersion)
		}
		// Models with another metric than the newest are not compared.
		if got := champions(tx); got["best"] || !got["next"] {
			t.Errorf("champions: %v", got)
		}
		// Nor are models of another dataset, even if they are better.
		add(tx, "d1", "last", api.MetricAccuracy, new(0.1))
		if got := champions(tx); !got["first"] || got["best"] {
			t.Errorf("the newest dataset is an old one: champions: %v", got)
		}
		// Nor are models that were scored on rows of another division.
		group = "customer"
		add(tx, "d1", "grouped", api.MetricAccuracy, new(0.05))
		if m, err := tx.GetModel(t.Context(), "ann", "first"); err != nil || m.ChampionReason != api.ReasonOtherDivision {
			t.Errorf("the newest model has another group column: %+v, %v", m, err)
		}
		if got := champions(tx); !got["grouped"] {
			t.Errorf("the newest model has another group column: champions: %v", got)
		}
		if _, err := tx.DeleteModel(t.Context(), "ann", "grouped"); err != nil {
			return err
		}
		group = ""
		// A promoted model is the champion, whatever its score, and a rejected one is not.
		setState := func(key, state string) *Model {
			t.Helper()
			m, err := tx.GetModel(t.Context(), "ann", key)
			if err == nil {
				err = tx.SetModelState(t.Context(), m, state)
			}
			if err == nil {
				m, err = tx.GetModel(t.Context(), "ann", key)
			}
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		setState("next", api.ModelPromoted)
		if m := setState("best", api.ModelPromoted); !m.Champion || m.ChampionReason != api.ModelPromoted {
			t.Errorf("a promoted model is %+v", m)
		}
		if m, err := tx.GetModel(t.Context(), "ann", "next"); err != nil || m.Champion || m.ChampionReason != api.ReasonAnotherPromoted {
			t.Errorf("a model that was promoted earlier is %+v, %v", m, err)
		}
		if m, err := tx.GetModel(t.Context(), "ann", "alone"); err != nil || !m.Champion {
			t.Errorf("the champion of another series is %+v, %v", m, err)
		}
		setState("best", "")
		add(tx, "d1", "old", api.MetricAccuracy, new(0.96))
		if err := tx.exec(t.Context(), "UPDATE model SET state = 'rejected' WHERE key = 'old'"); err != nil { // as a service of the last version did
			return err
		}
		setState("old", api.ModelPromoted)
		if m := setState("old", ""); m.Champion || m.State != api.ModelRejected {
			t.Errorf("a model that an old service rejected, after a promotion: %+v", m)
		}
		add(tx, "d1", "rejected", api.MetricAccuracy, new(0.95))
		if m := setState("rejected", api.ModelRejected); m.Champion || m.ChampionReason != api.ModelRejected {
			t.Errorf("a rejected model is %+v", m)
		}
		if got := champions(tx); !got["first"] {
			t.Errorf("the best model is rejected: champions: %v", got)
		}
		// Only a promotion ends a rejection, and only as long as it lasts.
		for _, state := range []string{"", api.ModelAccepted} {
			if m := setState("rejected", state); m.State != api.ModelRejected {
				t.Errorf("a rejected model with the new state %q is %+v", state, m)
			}
		}
		if m := setState("rejected", api.ModelPromoted); !m.Champion {
			t.Errorf("a rejected model that was promoted is %+v", m)
		}
		setState("next", api.ModelPromoted)
		if m, err := tx.GetModel(t.Context(), "ann", "rejected"); err != nil || m.State != api.ModelRejected {
			t.Errorf("a rejected model, after the promotion of another one, is %+v, %v", m, err)
		}
		setState("next", "")
		setState("rejected", api.ModelPromoted)
		if m := setState("rejected", ""); m.State != api.ModelRejected {
			t.Errorf("a rejected model that is no longer promoted is %+v", m)
		}
		// An accepted model precedes models of its dataset with a higher score, but not those of newer
		// datasets.
		if m := setState("last", api.ModelAccepted); !m.Champion || m.ChampionReason != api.ModelAccepted {
			t.Errorf("an accepted model is %+v", m)
		}
		setState("last", "")
		if m := setState("best", api.ModelAccepted); m.Champion || m.ChampionReason != api.ReasonOtherDataset {
			t.Errorf("an accepted model of an earlier dataset is %+v", m)
		}
		setState("best", "")
		setState("alone", api.ModelRejected)
		setState("unmeasured", api.ModelRejected)
		if got := champions(tx); got["alone"] || got["unmeasured"] {
			t.Errorf("all models are rejected: champions: %v", got)
		}
		if m, err := tx.GetModel(t.Context(), "ann", "first"); err != nil || m.ChampionReason != api.ReasonBest {
			t.Errorf("the best model is %+v, %v", m, err)
		}
		// A cancelled model is not compared, whether its dataset is new or not.
		status = api.TrainingCancelled
		cancelled := add(tx, "d1", "cancelled", api.MetricAccuracy, new(0.99))
		add(tx, "d3", "cancelled, of a new dataset", api.MetricROCAUC, new(0.99))
		if got := champions(tx); !got["first"] {
			t.Errorf("a cancelled model is the newest: champions: %v", got)
		}
		if m, err := tx.GetModel(t.Context(), "ann", cancelled.Key); err != nil || !m.Cancelled || m.Champion {
			t.Errorf("a cancelled model is %+v, %v", m, err)
		}
		status = api.TrainingTimedOut
		add(tx, "d3", "ended by its time limit", api.MetricROCAUC, new(0.1))
		if got := champions(tx); !got["ended by its time limit"] {
			t.Errorf("a model of a race with a time limit is the newest: champions: %v", got)
		}
		// Without a complete model, the champion is a cancelled one.
		for _, key := range []string{"ended by its time limit", "last", "next", "best", "first"} {
			if _, err := tx.DeleteModel(t.Context(), "ann", key); err != nil {
				return err
			}
		}
		if got := champions(tx); !got["cancelled, of a new dataset"] {
			t.Errorf("all models are cancelled: champions: %v", got)
		}
		// Datasets with the same file and the same number of buckets count as one.
		status = api.TrainingCompleted
		add(tx, "d1", "of an equal file", api.MetricAccuracy, new(0.9))
		add(tx, "d2", "lower", api.MetricAccuracy, new(0.8))
		if got := champions(tx); !got["lower"] {
			t.Errorf("the files are unknown: champions: %v", got)
		}
		if err := tx.exec(t.Context(), "UPDATE dataset SET sha256 = 'abc', buckets = 64 WHERE key IN ('d1', 'd2')"); err != nil {
			return err
		}
		if got := champions(tx); !got["of an equal file"] {
			t.Errorf("the files are equal: champions: %v", got)
		}
		if m, err := tx.GetModel(t.Context(), "ann", "lower"); err != nil || m.ChampionReason != api.ReasonNotBest {
			t.Errorf("a lower score on an equal file: %+v, %v", m, err)
		}
		if err := tx.exec(t.Context(), "UPDATE dataset SET buckets = 32 WHERE key = 'd2'"); err != nil {
			return err
		}
		if got := champions(tx); !got["lower"] {
			t.Errorf("the numbers of buckets differ: champions: %v", got)
		}
		return nil
	})
}
