package store

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

// randomModel is a model of a randomSeries.
type randomModel struct {
	Model
	status string // of the race
	age    int    // the second in which the race ended; races of second 0 have expired
	// content is a text that is equal for models of datasets with the same data.
	content string
}

// championOf returns the champion of models as Model.Champion describes it, and the model that decides
// which models are compared. The models must be those of a series, oldest first.
func championOf(models []*randomModel) (champion, newest *randomModel) {
	candidates := slices.DeleteFunc(slices.Clone(models), func(m *randomModel) bool { return m.State == api.ModelRejected })
	for _, m := range candidates {
		if m.State == api.ModelPromoted {
			return m, m
		}
	}
	if complete := slices.DeleteFunc(slices.Clone(candidates), func(m *randomModel) bool { return m.status == api.TrainingCancelled }); len(complete) > 0 {
		candidates = complete
	}
	if len(candidates) == 0 {
		return nil, nil
	}
	newest = candidates[len(candidates)-1]
	candidates = slices.DeleteFunc(candidates, func(m *randomModel) bool {
		return m.content != newest.content || m.Metric != newest.Metric || m.ClassWeights.Balanced != newest.ClassWeights.Balanced ||
			m.GroupColumn != newest.GroupColumn || m.TimeColumn != newest.TimeColumn
	})
	for _, m := range slices.Backward(candidates) {
		if m.State == api.ModelAccepted {
			return m, newest
		}
	}
	return slices.MaxFunc(candidates, func(a, b *randomModel) int {
		score := func(m *randomModel) float64 {
			if m.AchievedPerformance == nil {
				return -1
			}
			return *m.AchievedPerformance
		}
		return cmp.Or(cmp.Compare(score(a), score(b)), cmp.Compare(b.SeriesVersion, a.SeriesVersion))
	}), newest
}

// expiredSeries lets series with random models expire. It checks that their champions are those of
// championOf before and after, and that only the rows are kept that were used, and those on which a
// champion depends.
func (s suite) expiredSeries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	series := map[string][]*randomModel{}
	write(t, s.Store, func(tx *Tx) error {
		err := tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)})
		for i := range 60 {
			name := fmt.Sprint("series", i)
			models, insertErr := insertRandomSeries(t, tx, name, random)
			series[name], err = models, errors.Join(err, insertErr)
		}
		return err
	})
	want := map[string][]string{}
	for name, models := range series {
		champion, newest := championOf(models)
		s.checkChampion(t, models, champion)
		series[name] = slices.DeleteFunc(slices.Clone(models), func(m *randomModel) bool { return m.age == 0 && m != champion && m != newest })
		for _, m := range series[name] {
			want["training"] = append(want["training"], m.Training)
			want["dataset"] = append(want["dataset"], m.Dataset)
		}
	}
	for _, kind := range []string{"training", "dataset"} {
		expireAll(t, s.Store, ExpiredQuery{Kind: kind, Before: at(1), Limit: 7})
		read(t, s.Store, func(tx *Tx) error {
			keys, err := tx.queryNonEmptyStrings(t.Context(), "SELECT key FROM "+kind)
			slices.Sort(keys)
			slices.Sort(want[kind])
			if diff := gocmp.Diff(slices.Compact(want[kind]), keys); diff != "" {
				t.Errorf("kept rows of %s: (-want +got)\n%s", kind, diff)
			}
			return err
		})
		for _, models := range series {
			champion, _ := championOf(models)
			s.checkChampion(t, models, champion)
		}
	}
}

// insertRandomSeries inserts a series with random models, and returns them, oldest first.
func insertRandomSeries(t *testing.T, tx *Tx, name string, random *rand.Rand) ([]*randomModel, error) {
	t.Helper()
	var errs []error
	contents := []string{"a", "b", "b"} // of the datasets
	for i, content := range contents {
		d := &Dataset{Key: fmt.Sprint(name, " d", i), Account: "ann", Name: fmt.Sprint(name, "-", i), Series: name, Status: api.DatasetCompleted, Created: at(0), Updated: at(0)}
		errs = append(errs, tx.InsertDataset(t.Context(), d), tx.exec(t.Context(), "UPDATE dataset SET sha256 = ? WHERE key = ?", content, d.Key))
	}
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	var models []*randomModel
	for i := range 1 + random.IntN(8) {
		dataset := random.IntN(len(contents))
		m := &randomModel{
			Model: Model{
				Key: fmt.Sprint(name, " m", i), Account: "ann", Dataset: fmt.Sprint(name, " d", dataset), Series: name,
				Training: fmt.Sprint(name, " t", i), Metric: pick(api.MetricAccuracy, api.MetricROCAUC), ClassWeights: api.ClassWeights{Balanced: random.IntN(3) == 0},
				GroupColumn: pick("", "", "customer"), TimeColumn: pick("", "", "day"),
			},
			status: pick(api.TrainingCompleted, api.TrainingTimedOut, api.TrainingCancelled), age: random.IntN(2), content: contents[dataset],
		}
		if score := random.IntN(4); score > 0 {
			m.AchievedPerformance = new(float64(score))
		}
		race := &Training{Key: m.Training, Account: "ann", Dataset: m.Dataset, Metric: m.Metric, ClassWeights: m.ClassWeights, GroupColumn: m.GroupColumn, TimeColumn: m.TimeColumn, Status: m.status, Created: at(0)}
		finished := at(m.age).UnixMicro() + random.Int64N(3)
		errs = append(errs, tx.InsertTraining(t.Context(), race), tx.exec(t.Context(), "UPDATE training SET finished = ? WHERE key = ?", finished, race.Key),
			tx.InsertModel(t.Context(), &m.Model))
		models = append(models, m)
		m.State = pick("", "", api.ModelAccepted, api.ModelRejected)
		if i == 0 {
			m.State = pick("", "", "", api.ModelPromoted)
		}
		errs = append(errs, tx.SetModelState(t.Context(), &m.Model, m.State))
	}
	return models, errors.Join(errs...)
}

// checkChampion checks that of the models of a series, only champion is the champion.
func (s suite) checkChampion(t *testing.T, models []*randomModel, champion *randomModel) {
	t.Helper()
	read(t, s.Store, func(tx *Tx) error {
		for _, m := range models {
			got, err := tx.GetModel(t.Context(), "ann", m.Key)
			if err != nil {
				return err
			}
			if got.Champion != (m == champion) {
				t.Errorf("model %s is the champion: %v (%s)", m.Key, got.Champion, got.ChampionReason)
			}
		}
		return nil
	})
}

// expireAll deletes the expired rows as a service does, and returns their number.
func expireAll(t testing.TB, s *Store, q ExpiredQuery) (number int) {
	t.Helper()
	for {
		var keys []string
		var next *ExpiredPosition
		read(t, s, func(tx *Tx) (err error) {
			keys, next, err = tx.ListExpired(t.Context(), q)
			return err
		})
		for batch := range slices.Chunk(keys, 25) {
			write(t, s, func(tx *Tx) error {
				deleted, _, _, err := tx.DeleteExpired(t.Context(), q, batch)
				number += len(deleted)
				return err
			})
		}
		if q.After = next; next == nil {
			return number
		}
	}
}
