package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"foretell/internal/api"
)

// expired checks that a dataset, race or prediction with a queued or running job does not expire,
// however old it is.
func (s suite) expired(t *testing.T) {
	write(t, s.Store, func(tx *Tx) error {
		return tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)})
	})
	for _, status := range []string{api.PredictionPending, api.PredictionRunning, api.PredictionCompleted} { // of the prediction; its model, race and dataset are COMPLETED
		write(t, s.Store, func(tx *Tx) error {
			key := "of " + status
			if err := tx.InsertDataset(t.Context(), &Dataset{Key: key, Account: "ann", Name: key, Status: api.DatasetCompleted, Created: at(0), Updated: at(0)}); err != nil {
				return err
			}
			race := &Training{Key: key, Account: "ann", Dataset: key, Status: api.TrainingCompleted, Created: at(0)}
			if err := tx.InsertTraining(t.Context(), race); err != nil {
				return err
			}
			m := &Model{Key: key, Account: "ann", Dataset: key, Training: key, File: File{Blob: key}, Created: at(0)}
			if err := errors.Join(tx.InsertModel(t.Context(), m), tx.SetModelState(t.Context(), m, api.ModelRejected)); err != nil { // it is not a champion
				return err
			}
			return tx.InsertPrediction(t.Context(), &Prediction{Key: key, Account: "ann", Dataset: key, Model: key, Status: status, Created: at(0), Updated: at(0)})
		})
	}
	write(t, s.Store, func(tx *Tx) error {
		return tx.InsertDataset(t.Context(), &Dataset{Key: "queued", Account: "ann", Name: "queued", Status: api.DatasetProcessing, Created: at(0), Updated: at(0)})
	})
	read(t, s.Store, func(tx *Tx) error {
		for _, kind := range []string{"prediction", "training", "dataset"} {
			keys, _, err := tx.ListExpired(t.Context(), ExpiredQuery{Kind: kind, Before: at(9), Limit: 9})
			if err != nil {
				return err
			}
			if want := []string{"of " + api.PredictionCompleted}; !slices.Equal(keys, want) {
				t.Errorf("of the rows of %s, %q have expired, want %q", kind, keys, want)
			}
		}
		return nil
	})
}

// expiredUse checks that a row is kept if it is used after it was listed as expired. Two accounts have a
// series with the same name, and the dataset d1 of each has the champion.
func (s suite) expiredUse(t *testing.T) {
	write(t, s.Store, func(tx *Tx) (err error) {
		for _, account := range []string{"ann", "bob"} {
			err = errors.Join(err, tx.InsertAccount(t.Context(), &Account{Key: account, Email: account + "@example.com", Created: at(0)}))
			for i, name := range []string{" d1", " d2"} {
				key, score := account+name, 0.9-float64(i)/10
				d := Dataset{Key: key, Account: account, Name: name, Series: "N", Status: api.DatasetCompleted, Created: at(0), Updated: at(0)}
				race := Training{Key: key, Account: account, Dataset: key, Status: api.TrainingCompleted, Metric: api.MetricAccuracy, Created: at(0)}
				m := Model{Key: key, Account: account, Dataset: key, Training: key, AchievedPerformance: &score, Created: at(0)}
				p := Prediction{Key: key, Account: account, Dataset: key, Model: key, Status: api.PredictionCompleted, Created: at(0), Updated: at(0)}
				err = errors.Join(err, tx.InsertDataset(t.Context(), &d), tx.InsertTraining(t.Context(), &race), tx.InsertModel(t.Context(), &m), tx.InsertPrediction(t.Context(), &p))
				if name == " d1" {
					err = errors.Join(err, tx.SetModelState(t.Context(), &m, api.ModelPromoted)) // the newest model decides nothing
				}
			}
		}
		return err
	})
	useRow := func(kind string) func(tx *Tx) error {
		return func(tx *Tx) error {
			return tx.exec(t.Context(), "UPDATE "+kind+" SET updated = ? WHERE key = 'ann d2'", toMicros(at(9)))
		}
	}
	predict := func(tx *Tx) error {
		return tx.InsertPrediction(t.Context(), &Prediction{Key: "new", Account: "ann", Dataset: "ann d2", Model: "ann d2", Status: api.PredictionCompleted, Created: at(9), Updated: at(9)})
	}
	race := func(tx *Tx) error {
		return tx.InsertTraining(t.Context(), &Training{Key: "new", Account: "ann", Dataset: "ann d2", Status: api.TrainingCompleted, Created: at(9)})
	}
	all, others := []string{"ann d1", "ann d2", "bob d1", "bob d2"}, []string{"ann d2", "bob d2"} // others are not those of a champion
	for _, c := range []struct {
		kind, name string
		use        func(tx *Tx) error
		listed     []string
	}{
		{"prediction", "its change", useRow("prediction"), all},
		{"training", "a prediction", predict, others},
		{"dataset", "its change", useRow("dataset"), others},
		{"dataset", "a prediction", predict, others},
		{"dataset", "a race", race, others},
	} {
		undo := errors.New("undo")
		err := s.Write(t.Context(), func(tx *Tx) error {
			q := ExpiredQuery{Kind: c.kind, Before: at(9), Limit: 9}
			keys, _, err := tx.ListExpired(t.Context(), q)
			if slices.Sort(keys); !slices.Equal(keys, c.listed) {
				t.Errorf("of the rows of %s, %q have expired, want %q", c.kind, keys, c.listed)
			}
			if err := errors.Join(err, c.use(tx)); err != nil {
				return err
			}
			expired, err := tx.IsExpired(t.Context(), q, "ann d2")
			if expired || err != nil {
				t.Errorf("after %s, the %s has expired: %v (%v)", c.name, c.kind, expired, err)
			}
			deleted, _, _, err := tx.DeleteExpired(t.Context(), q, all)
			if err != nil {
				return err
			}
			if want := slices.DeleteFunc(slices.Clone(c.listed), func(key string) bool { return key == "ann d2" }); !slices.Equal(deleted, want) {
				t.Errorf("after %s, the rows %q of %s are deleted, want %q", c.name, deleted, c.kind, want)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
	}
}

// expiredAfterDeletion checks that a race and a dataset do not expire because the rows that used them
// were deleted: a prediction of second 5 alone or in a batch, its model, and a race of second 7.
func (s suite) expiredAfterDeletion(t *testing.T) {
	write(t, s.Store, func(tx *Tx) (err error) {
		err = tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)})
		for _, key := range []string{"alone", "batch", "of model"} {
			d := Dataset{Key: key, Account: "ann", Name: key, Status: api.DatasetCompleted, Created: at(0), Updated: at(0)}
			race := Training{Key: key, Account: "ann", Dataset: key, Status: api.TrainingCompleted, Created: at(0)}
			m := Model{Key: key, Account: "ann", Dataset: key, Training: key, Created: at(0)}
			p := Prediction{Key: key, Account: "ann", Dataset: key, Model: key, Status: api.PredictionCompleted, Created: at(1), Updated: at(5)}
			err = errors.Join(err, tx.InsertDataset(t.Context(), &d), tx.InsertTraining(t.Context(), &race), tx.InsertModel(t.Context(), &m),
				tx.SetModelState(t.Context(), &m, api.ModelRejected), tx.InsertPrediction(t.Context(), &p))
		}
		return err
	})
	expired := func(when, kind string, before int, want ...string) {
		t.Helper()
		read(t, s.Store, func(tx *Tx) error {
			keys, _, err := tx.ListExpired(t.Context(), ExpiredQuery{Kind: kind, Before: at(before), Limit: 9})
			if slices.Sort(keys); !slices.Equal(keys, want) {
				t.Errorf("%s, of the rows of %s not used since second %d, %q have expired, want %q", when, kind, before, keys, want)
			}
			return err
		})
	}
	all := []string{"alone", "batch", "of model"}
	check := func(when string) {
		t.Helper()
		for _, kind := range []string{"training", "dataset"} {
			expired(when, kind, 5)
			expired(when, kind, 6, all...)
		}
	}
	check("at first")
	write(t, s.Store, func(tx *Tx) error {
		_, err := tx.DeletePrediction(t.Context(), "ann", "alone")
		_, errBatch := tx.DeletePredictionBatch(t.Context(), "model", "ann", "batch", 1)
		_, errModel := tx.DeleteModel(t.Context(), "ann", "of model")
		return errors.Join(err, errBatch, errModel)
	})
	check("after the predictions were deleted")
	write(t, s.Store, func(tx *Tx) (err error) {
		for _, key := range all {
			_, errDelete := tx.DeleteTraining(t.Context(), "ann", key)
			err = errors.Join(err, errDelete)
		}
		return err
	})
	expired("after the races were deleted", "dataset", 5)
	expired("after the races were deleted", "dataset", 6, all...)
	write(t, s.Store, func(tx *Tx) error {
		err := tx.InsertTraining(t.Context(), &Training{Key: "new", Account: "ann", Dataset: "alone", Status: api.TrainingCompleted, Created: at(7)})
		_, errDelete := tx.DeleteTraining(t.Context(), "ann", "new")
		return errors.Join(err, errDelete)
	})
	expired("after a newer race was deleted", "dataset", 7, "batch", "of model")
	expired("after a newer race was deleted", "dataset", 8, all...)
}

// expiredBatch checks that a transaction deletes no more races after one with many predictions.
func (s suite) expiredBatch(t *testing.T) {
	write(t, s.Store, func(tx *Tx) error {
		err := errors.Join(tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)}),
			tx.InsertDataset(t.Context(), &Dataset{Key: "d", Account: "ann", Name: "N", Status: api.DatasetCompleted, Created: at(0), Updated: at(0)}))
		for _, key := range []string{"a", "b", "c"} {
			race := Training{Key: key, Account: "ann", Dataset: "d", Status: api.TrainingCompleted, Created: at(0)}
			m := Model{Key: key, Account: "ann", Dataset: "d", Training: key, File: File{Blob: "model " + key}, Created: at(0)}
			err = errors.Join(err, tx.InsertTraining(t.Context(), &race), tx.InsertModel(t.Context(), &m), tx.SetModelState(t.Context(), &m, api.ModelRejected))
		}
		for i := range maxExpiredBlobs {
			key := fmt.Sprint("p", i)
			err = errors.Join(err, tx.InsertPrediction(t.Context(), &Prediction{Key: key, Account: "ann", Dataset: "d", Model: "b", Status: api.PredictionCompleted, Blind: File{Blob: key}, Created: at(0), Updated: at(0)}))
		}
		return err
	})
	keys := []string{"a", "b", "c"}
	for _, want := range [][]string{{"a", "b"}, {"c"}} {
		write(t, s.Store, func(tx *Tx) error {
			deleted, _, rest, err := tx.DeleteExpired(t.Context(), ExpiredQuery{Kind: "training", Before: at(9)}, keys)
			if !slices.Equal(deleted, want) || len(rest) != len(keys)-len(want) {
				t.Errorf("the races %q are deleted, and %q are not; want %q", deleted, rest, want)
			}
			keys = rest
			return err
		})
	}
}

// expiredAndUsedSince checks that IsStillExpired notices a prediction that was made after the race and the
// dataset had expired, and ignores the older predictions, which IsExpired has checked.
func (s suite) expiredAndUsedSince(t *testing.T) {
	insert := func(tx *Tx, key, status string, second int) error {
		return tx.InsertPrediction(t.Context(), &Prediction{Key: key, Account: "ann", Dataset: "d", Model: "m", Status: status, Created: at(second), Updated: at(second)})
	}
	write(t, s.Store, func(tx *Tx) error {
		m := Model{Key: "m", Account: "ann", Dataset: "d", Training: "t", Created: at(0)}
		return errors.Join(tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)}),
			tx.InsertDataset(t.Context(), &Dataset{Key: "d", Account: "ann", Name: "N", Status: api.DatasetCompleted, Created: at(0), Updated: at(0)}),
			tx.InsertTraining(t.Context(), &Training{Key: "t", Account: "ann", Dataset: "d", Status: api.TrainingCompleted, Created: at(0)}),
			tx.InsertModel(t.Context(), &m), tx.SetModelState(t.Context(), &m, api.ModelRejected), insert(tx, "old", api.PredictionCompleted, 1))
	})
	check := func(when string, want bool) {
		t.Helper()
		read(t, s.Store, func(tx *Tx) error {
			for kind, key := range map[string]string{"training": "t", "dataset": "d"} {
				q := ExpiredQuery{Kind: kind, Before: at(9)}
				expired, err := tx.IsExpired(t.Context(), q, key)
				still, errStill := tx.IsStillExpired(t.Context(), q, key)
				if err := errors.Join(err, errStill); err != nil || expired != want || still != want {
					t.Errorf("%s, the %s is expired: %t, still expired: %t, %v; want %t", when, kind, expired, still, err, want)
				}
			}
			return nil
		})
	}
	check("at first", true)
	write(t, s.Store, func(tx *Tx) error { return insert(tx, "queued", api.PredictionPending, 2) })
	check("with a queued prediction", false)
	write(t, s.Store, func(tx *Tx) error {
		_, err := tx.DeletePrediction(t.Context(), "ann", "queued")
		return errors.Join(err, insert(tx, "recent", api.PredictionCompleted, 9))
	})
	check("with a recent prediction", false)
}

// expiredChampions checks that the champion of a series does not expire, nor its race and dataset, and
// that they expire when the model is no longer the champion.
func (s suite) expiredChampions(t *testing.T) {
	write(t, s.Store, func(tx *Tx) error {
		err := tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)})
		for _, d := range []Dataset{{Key: "d1", Name: "N"}, {Key: "d2", Name: "N-2", Series: "N"}, {Key: "other", Name: "M"}} {
			d.Account, d.Status, d.Created, d.Updated = "ann", api.DatasetCompleted, at(0), at(0)
			err = errors.Join(err, tx.InsertDataset(t.Context(), &d))
		}
		for _, m := range []Model{
			{Key: "promoted", Dataset: "d1", AchievedPerformance: new(0.7)},
			{Key: "low", Dataset: "d2", AchievedPerformance: new(0.8)},
			{Key: "best", Dataset: "d2", AchievedPerformance: new(0.9)},
			{Key: "alone", Dataset: "other"},
		} {
			m.Account, m.Training, m.Created = "ann", "of "+m.Key, at(0)
			race := &Training{Key: m.Training, Account: "ann", Dataset: m.Dataset, Status: api.TrainingCompleted, Metric: api.MetricAccuracy, Created: at(0)}
			err = errors.Join(err, tx.InsertTraining(t.Context(), race), tx.InsertModel(t.Context(), &m))
		}
		return err
	})
	for _, step := range []struct {
		model, state        string // the change
		trainings, datasets []string
	}{
		{"best", "", []string{"of low", "of promoted"}, []string{"d1"}},
		{"promoted", api.ModelPromoted, []string{"of best", "of low"}, []string{"d2"}},
		{"alone", api.ModelRejected, []string{"of alone", "of best", "of low"}, []string{"d2", "other"}},
		{"promoted", api.ModelRejected, []string{"of alone", "of low", "of promoted"}, []string{"d1", "other"}},
	} {
		write(t, s.Store, func(tx *Tx) error {
			m, err := tx.GetModel(t.Context(), "ann", step.model)
			if err != nil {
				return err
			}
			return tx.SetModelState(t.Context(), m, step.state)
		})
		read(t, s.Store, func(tx *Tx) error {
			for kind, want := range map[string][]string{"training": step.trainings, "dataset": step.datasets} {
				keys, _, err := tx.ListExpired(t.Context(), ExpiredQuery{Kind: kind, Before: at(9), Limit: 9})
				if err != nil {
					return err
				}
				if slices.Sort(keys); !slices.Equal(keys, want) {
					t.Errorf("after model %s became %q, the rows %q of %s have expired, want %q", step.model, step.state, keys, kind, want)
				}
			}
			return nil
		})
	}
	for kind, key := range map[string]string{"training": "of best", "dataset": "d2"} {
		write(t, s.Store, func(tx *Tx) error {
			deleted, _, _, err := tx.DeleteExpired(t.Context(), ExpiredQuery{Kind: kind, Before: at(9)}, []string{key})
			if len(deleted) > 0 {
				t.Errorf("the %s of a champion is deleted", kind)
			}
			return err
		})
	}
}

// expiredNewest checks that the newest model of a series, its race and its dataset do not expire if the
// newest model decides which model is the champion.
func (s suite) expiredNewest(t *testing.T) {
	write(t, s.Store, func(tx *Tx) error {
		err := tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)})
		for _, d := range []Dataset{{Key: "d1", Name: "N"}, {Key: "d2", Name: "N-2", Series: "N"}, {Key: "d3", Name: "N-3", Series: "N"}} {
			d.Account, d.Status, d.Created, d.Updated = "ann", api.DatasetCompleted, at(0), at(0)
			err = errors.Join(err, tx.InsertDataset(t.Context(), &d))
		}
		if err := tx.exec(t.Context(), "UPDATE dataset SET sha256 = 'same file' WHERE key <> 'd2'"); err != nil {
			return err
		}
		for _, m := range []struct {
			model Model
			ended int
		}{
			{Model{Key: "best", Dataset: "d1", AchievedPerformance: new(0.9)}, 0},
			{Model{Key: "recent", Dataset: "d2", AchievedPerformance: new(0.8)}, 9}, // is kept because of its age
			{Model{Key: "newest", Dataset: "d3", AchievedPerformance: new(0.7)}, 0},
		} {
			m.model.Account, m.model.Training = "ann", "of "+m.model.Key
			race := &Training{Key: m.model.Training, Account: "ann", Dataset: m.model.Dataset, Status: api.TrainingCompleted, Metric: api.MetricAccuracy, Created: at(m.ended)}
			err = errors.Join(err, tx.InsertTraining(t.Context(), race), tx.InsertModel(t.Context(), &m.model))
		}
		return err
	})
	check := func(champion string, models int) {
		t.Helper()
		for _, kind := range []string{"training", "dataset"} {
			expireAll(t, s.Store, ExpiredQuery{Kind: kind, Before: at(9), Limit: 1}) // a row that is kept must not hide others
		}
		read(t, s.Store, func(tx *Tx) error {
			m, err := tx.GetModel(t.Context(), "ann", champion)
			if err == nil && !m.Champion {
				t.Errorf("model %s is not the champion: %s", champion, m.ChampionReason)
			}
			keys, listErr := tx.queryNonEmptyStrings(t.Context(), "SELECT key FROM model")
			if len(keys) != models {
				t.Errorf("the models %q are left, want %d", keys, models)
			}
			return errors.Join(err, listErr)
		})
	}
	check("best", 3)
	write(t, s.Store, func(tx *Tx) error {
		m, err := tx.GetModel(t.Context(), "ann", "recent")
		return errors.Join(err, tx.SetModelState(t.Context(), m, api.ModelPromoted))
	})
	check("recent", 1) // the newest model decides nothing
}
