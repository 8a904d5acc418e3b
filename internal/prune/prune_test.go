package prune

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/client"
)

// month returns a time in the middle of a month of 2026.
func month(n time.Month) string {
	return api.FormatTime(time.Date(2026, n, 15, 0, 0, 0, 0, time.UTC))
}

// churn is a series of four datasets: d1 with the models 1 and 2, d2 with model 3,
// which is the champion, d3 with model 4 and a running race, and d4 without a race.
func churn() Series {
	s := Series{Series: client.Series{Name: "churn"}}
	for i, key := range []string{"d4", "d3", "d2", "d1"} {
		s.Datasets = append(s.Datasets, api.DatasetEntry{
			DatasetKey: key, DatasetName: key, Status: api.DatasetCompleted, CreatedOn: month(time.Month(4 - i)), Bytes: 100,
		})
	}
	for version, dataset := range map[int]string{1: "d1", 2: "d1", 3: "d2", 4: "d3"} {
		key := string(rune('0' + version))
		s.Races = append(s.Races, api.Training{TrainingJobKey: "t" + key, DatasetKey: dataset, ModelKey: "m" + key, Status: api.TrainingTimedOut, CreatedOn: month(time.Month(version))})
	}
	for version := 4; version > 0; version-- {
		m := client.SeriesModel{DatasetKey: "d"}
		m.ModelKey, m.Series, m.SeriesVersion, m.Champion, m.CreatedOn, m.Bytes = "m"+string(rune('0'+version)), "churn", version, version == 3, month(time.Month(version)), 10
		s.Models = append(s.Models, m)
	}
	s.Races = append(s.Races, api.Training{TrainingJobKey: "at work", DatasetKey: "d3", Status: api.TrainingRunning, CreatedOn: month(1)})
	s.Predictions = []api.Prediction{
		{PredictionKey: "p1", ModelKey: "m1", Status: api.PredictionCompleted, CreatedOn: month(1), Bytes: 1},
		{PredictionKey: "p3", ModelKey: "m3", Status: api.PredictionCompleted, CreatedOn: month(3), Bytes: 1},
	}
	return s
}

func TestPlan(t *testing.T) {
	one, none := 1, 0
	at := func(n time.Month) time.Time { return time.Date(2026, n, 1, 0, 0, 0, 0, time.UTC) }
	for _, test := range []struct {
		name   string
		policy Policy
		change func(s *Series)
		want   map[string]bool // by key: whether the item is implied
	}{
		{"by_age", Policy{Before: at(4), Champions: true}, nil, map[string]bool{"d1": false, "t1": true, "m1": true, "t2": true, "m2": true, "p1": true, "p3": false}},
		{"by_age_a_dataset_stays_with_a_younger_model", Policy{Before: at(2), Champions: true}, nil, map[string]bool{"t1": false, "m1": true, "p1": true}},
		{"by_count", Policy{Keep: &one, Champions: true}, nil, map[string]bool{"d1": false, "t1": true, "m1": true, "t2": true, "m2": true, "p1": true}},
		{"by_count_without_champions", Policy{Keep: &one}, nil, map[string]bool{
			"d1": false, "d2": false, "t1": true, "m1": true, "t2": true, "m2": true, "t3": true, "m3": true, "p1": true, "p3": true,
		}},
		{"by_count_with_the_newest_and_the_champion", Policy{Keep: &none, Champions: true}, nil, map[string]bool{
			"d1": false, "t1": true, "m1": true, "t2": true, "m2": true, "p1": true,
		}},
		{"a_race_at_work_keeps_its_dataset", Policy{Keep: &none}, nil, map[string]bool{
			"d1": false, "d2": false, "t1": true, "m1": true, "t2": true, "m2": true, "t3": true, "m3": true, "p1": true, "p3": true, "t4": false, "m4": true,
		}},
		{"a_prediction_at_work_keeps_its_model", Policy{Keep: &one, Champions: true}, func(s *Series) {
			s.Predictions[0].Status = api.PredictionRunning
		}, map[string]bool{"t2": false, "m2": true}},
		{"an_old_race_that_nobody_works_on", Policy{Before: at(2), Champions: true}, func(s *Series) {
			s.Races[4].Status, s.Races[4].Interrupted = api.TrainingPending, true
		}, map[string]bool{"at work": false, "t1": false, "m1": true, "p1": true}},
		{"not_by_count_as_somebody_may_go_on_with_it", Policy{Keep: &one, Champions: true}, func(s *Series) {
			s.Races[4].Status, s.Races[4].Interrupted = api.TrainingPending, true
		}, map[string]bool{"d1": false, "t1": true, "m1": true, "t2": true, "m2": true, "p1": true}},
		{"an_old_dataset_without_a_race", Policy{Before: at(6), Keep: &one, Champions: true}, func(s *Series) {
			s.Models, s.Races, s.Predictions = nil, nil, nil
		}, map[string]bool{"d1": false, "d2": false, "d3": false, "d4": false}},
		{"nothing_by_age", Policy{Before: at(1), Champions: true}, nil, map[string]bool{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := churn()
			if test.change != nil {
				test.change(&s)
			}
			got := map[string]bool{}
			for _, item := range Plan(s, test.policy) {
				got[item.Key] = item.Implied
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error("(-want +got)\n" + diff)
			}
		})
	}
}

// TestPlanKeepsChampion checks that the champion stays the same if a prediction at work keeps model 3,
// which has another metric. Without model 4, model 3 would be the newest model, and so the champion.
func TestPlanKeepsChampion(t *testing.T) {
	s := churn()
	for i, performance := range []float64{0.7, 0.8, 0.9, 0.6} { // newest first
		m := &s.Models[i]
		m.Metric, m.AchievedPerformance.Value, m.Champion = api.MetricAccuracy, performance, m.ModelKey == "m2"
	}
	s.Models[1].Metric = api.MetricROCAUC
	s.Predictions[1].Status = api.PredictionRunning
	deleted := map[string]bool{}
	for _, item := range Plan(s, Policy{Before: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), Champions: true}) {
		deleted[item.Key] = true
	}
	var kept []string
	rest := slices.DeleteFunc(s.Models, func(m client.SeriesModel) bool { return deleted[m.ModelKey] })
	for _, m := range rest {
		kept = append(kept, m.ModelKey)
	}
	if diff := cmp.Diff([]string{"m4", "m3", "m2"}, kept); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
	if champion := client.FindChampion(rest); champion.ModelKey != "m2" {
		t.Errorf("the champion is %s", champion.ModelKey)
	}
}

// TestConfirmed checks which items are deleted if, after the prompt, a race of d1 ended
// with a model and m3 became the champion.
func TestConfirmed(t *testing.T) {
	first := []Item{
		{Kind: Dataset, Key: "d1"},
		{Kind: Race, Key: "t1", Implied: true},
		{Kind: Model, Key: "m1", Implied: true},
		{Kind: Dataset, Key: "d2"},
		{Kind: Race, Key: "t2", Implied: true},
		{Kind: Model, Key: "m2", Implied: true},
		{Kind: Race, Key: "t3"},
		{Kind: Model, Key: "m3", Implied: true},
	}
	now := []Item{
		{Kind: Dataset, Key: "d1"},
		{Kind: Race, Key: "t1", Implied: true},
		{Kind: Model, Key: "m1", Implied: true},
		{Kind: Race, Key: "t4", Implied: true},
		{Kind: Model, Key: "m4", Implied: true},
		{Kind: Race, Key: "t2"},
		{Kind: Model, Key: "m2", Implied: true}, // d2 has a new race, and stays
	}
	if diff := cmp.Diff(now[5:], FilterConfirmed(first, now)); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
	if diff := cmp.Diff(first, FilterConfirmed(first, first)); diff != "" {
		t.Error("(-want +got)\n" + diff)
	}
}
