package app_test

import (
	"context"
	"strings"
	"testing"

	"foretell/internal/api"
)

func TestCreateTrainingBounds(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	key := b.prepared(t, "flowers", labelled(50)).DatasetKey
	stop() // what is queued below stays queued
	half, other := 0.5, 0.6
	for _, tt := range []struct {
		name string
		in   api.NewTraining
		want string // the field at fault; empty: created
	}{
		{"a threshold", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half)}, ""},
		{"its other name", api.NewTraining{TargetPerformance: api.NewThreshold(&half)}, ""},
		{"both alike", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), TargetPerformance: api.NewThreshold(number(0.5))}, ""},
		{"both different", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), TargetPerformance: api.NewThreshold(&other)}, "targetPerformance"},
		{"no threshold", api.NewTraining{PerformanceThreshold: api.NewThreshold(nil)}, ""},
		{"no threshold by its other name", api.NewTraining{TargetPerformance: api.NewThreshold(nil)}, ""},
		{"no threshold and one", api.NewTraining{PerformanceThreshold: api.NewThreshold(nil), TargetPerformance: api.NewThreshold(&half)}, "targetPerformance"},
		{"a threshold left out", api.NewTraining{}, "performanceThreshold"},
		{"a threshold above 1", api.NewTraining{PerformanceThreshold: api.NewThreshold(number(1.01))}, "performanceThreshold"},
		{"a threshold below 0", api.NewTraining{TargetPerformance: api.NewThreshold(number(-0.01))}, "targetPerformance"},
		{"a factor of 499", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), ScalingFactor: 499}, ""},
		{"a factor of 500", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), ScalingFactor: 500}, "scalingFactor"},
		{"a factor below 0", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), ScalingFactor: -1}, "scalingFactor"},
		{"an unknown metric", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Metric: "luck"}, "metric"},
		{"the metric of an unknown class", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Metric: "f1[luck]"}, "metric"},
		{"the log loss", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Metric: api.MetricLogLoss}, ""},
		{"the weight of an unknown class", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), ClassWeights: api.ClassWeights{ByClass: map[string]float64{"luck": 2}}}, "classWeights"},
		{"balanced class weights", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), ClassWeights: api.ClassWeights{Balanced: true}}, ""},
		{"a monotone column", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Monotone: api.Monotone{"size": api.Increasing}}, ""},
		{"an unknown monotone column", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Monotone: api.Monotone{"luck": api.Increasing}}, "monotone"},
		{"a monotone category", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Monotone: api.Monotone{"colour": api.Increasing}}, "monotone"},
		{"an unknown direction", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Monotone: api.Monotone{"size": "up"}}, "monotone"},
		{"a monotone column of groups", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Monotone: api.Monotone{"size": api.Increasing}, GroupColumn: "size"}, "monotone"},
		{"a network with a monotone column", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Monotone: api.Monotone{"size": api.Increasing}, Algorithms: []string{"BSEV01"}}, "algorithms"},
		{"no time", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), TimeLimitSeconds: number(0)}, "timeLimitSeconds"},
		{"a seed below 0", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Seed: number(int64(-1))}, "seed"},
		{"an algorithm for many classes", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Algorithms: []string{"MSIX01"}}, "algorithms"},
		{"an algorithm twice", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Algorithms: []string{"BSIX01", "BSIX01"}}, "algorithms"},
		{"no algorithm", api.NewTraining{PerformanceThreshold: api.NewThreshold(&half), Algorithms: []string{}}, "algorithms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := b.CreateTraining(b.ctx, &api.CreateTrainingInput{DatasetInput: api.DatasetInput{DatasetKey: key}, Body: tt.in})
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "":
				wantCode(t, err, api.CodeInvalid)
				if err != nil && !strings.HasPrefix(err.Error(), tt.want) {
					t.Errorf("%v is not about %s", err, tt.want)
				}
			}
		})
	}
}

func TestTrainingLists(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	key := b.prepared(t, "flowers", labelled(50)).DatasetKey
	stop()
	in := newRace(key, 0.5)
	in.Body.Algorithms = nil
	first := must(b.CreateTraining(b.ctx, in))(t).TrainingJobKey
	second := must(b.CreateTraining(b.ctx, in))(t).TrainingJobKey

	parents := must(b.ListTrainings(b.ctx, &api.ListTrainingsInput{PageInput: api.PageInput{Limit: 10}, ParentOnly: true}))(t)
	if len(parents.TrainingJobs) != 2 || parents.TrainingJobs[0].TrainingJobKey != second || parents.TrainingJobs[1].TrainingJobKey != first {
		t.Errorf("the races are %+v", parents.TrainingJobs)
	}
	page := api.DatasetPageInput{DatasetInput: api.DatasetInput{DatasetKey: key}, PageInput: api.PageInput{Limit: 5}}
	races := must(b.ListTrainingsOfDataset(b.ctx, &api.ListTrainingsOfDatasetInput{DatasetPageInput: page, ParentOnly: true}))(t)
	if races.Total != 2 || races.TrainingJobs[0].TrainingJobKey != second || races.TrainingJobs[1].TrainingJobKey != first {
		t.Errorf("the races of the dataset are %+v", races.TrainingJobs)
	}
	all := must(b.ListTrainingsOfDataset(b.ctx, &api.ListTrainingsOfDatasetInput{DatasetPageInput: page}))(t)
	var algorithms []string
	for _, r := range all.TrainingJobs[1:] {
		if r.ParentTrainingJobKey != second || r.TrainingJobKey == second {
			t.Errorf("%+v is no child of %s", r, second)
		}
		algorithms = append(algorithms, r.Algorithm)
	}
	if got := strings.Join(algorithms, " "); got != strings.Join(api.Algorithms(2), " ") || all.Total != 10 {
		t.Errorf("the algorithms are %s of %d jobs", got, all.Total)
	}
	t.Run("a child is not cancelled or deleted alone", func(t *testing.T) {
		child := &api.TrainingInput{TrainingJobKey: all.TrainingJobs[1].TrainingJobKey}
		_, err := b.CancelTraining(b.ctx, child)
		wantCode(t, err, api.CodeWrongState)
		_, err = b.DeleteTraining(b.ctx, child)
		wantCode(t, err, api.CodeWrongState)
	})
	t.Run("a child's progress is its own", func(t *testing.T) {
		p := must(b.GetTrainingProgress(b.ctx, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: all.TrainingJobs[2].TrainingJobKey}}))(t)
		if len(p.Jobs) != 1 || p.Jobs[0].Algorithm != algorithms[1] {
			t.Errorf("it is %+v", p)
		}
	})
}

func TestCancelTraining(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	key := b.prepared(t, "flowers", noisy(8000)).DatasetKey
	stop()
	cancel := func(ctx context.Context, key string) (*api.Training, error) {
		return b.CancelTraining(ctx, &api.TrainingInput{TrainingJobKey: key})
	}
	long := newRace(key, 1) // it must not end before it is cancelled
	long.Body.Algorithms, long.Body.ScalingFactor = []string{"BSEV01", "BFIF01"}, 0
	t.Run("while PENDING it ends at once", func(t *testing.T) {
		race := must(b.CreateTraining(b.ctx, newRace(key, 1)))(t).TrainingJobKey
		r := must(cancel(b.ctx, race))(t)
		if r.Status != api.TrainingCancelled || r.FinishedOn == "" || r.StartedOn != "" {
			t.Errorf("the race is %+v", r)
		}
		_, err := cancel(b.ctx, race)
		wantCode(t, err, api.CodeWrongState)
		must(b.DeleteTraining(b.ctx, &api.TrainingInput{TrainingJobKey: race}))(t)
	})
	b.work(t)
	t.Run("while RUNNING the best model so far is kept", func(t *testing.T) {
		race := must(b.CreateTraining(b.ctx, long))(t).TrainingJobKey
		eventually(t, func() (*api.TrainingProgress, error) {
			return b.GetTrainingProgress(b.ctx, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: race}})
		}, func(p *api.TrainingProgress) bool {
			return len(p.Jobs[0].RecentPerformances) > 0
		})
		_, err := b.DeleteTraining(b.ctx, &api.TrainingInput{TrainingJobKey: race})
		wantCode(t, err, api.CodeWrongState)
		_, err = b.DeleteDataset(b.ctx, &api.DatasetInput{DatasetKey: key})
		wantCode(t, err, api.CodeWrongState)
		_, err = cancel(b.as(t, "other@example.com").ctx, race)
		wantCode(t, err, api.CodeNotFound)

		r := must(cancel(b.ctx, race))(t)
		if r.Status != api.TrainingCancelled || r.ModelKey == "" || r.AchievedPerformance == nil {
			t.Errorf("the race is %+v", r)
		}
		p := must(b.GetTrainingProgress(b.ctx, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: race}}))(t)
		for _, run := range p.Jobs {
			if run.Status == api.TrainingRunning || run.Status == api.TrainingPending {
				t.Errorf("%s is %s", run.Algorithm, run.Status)
			}
		}
	})
	t.Run("another process can cancel", func(t *testing.T) {
		elsewhere := open(t, b.dir)
		race := must(elsewhere.CreateTraining(elsewhere.ctx, long))(t).TrainingJobKey
		eventually(t, func() (*api.Training, error) { return b.GetTraining(b.ctx, &api.TrainingInput{TrainingJobKey: race}) },
			func(r *api.Training) bool { return r.Status == api.TrainingRunning })
		if r := must(elsewhere.CancelTraining(elsewhere.ctx, &api.TrainingInput{TrainingJobKey: race}))(t); r.Status != api.TrainingCancelled {
			t.Errorf("the race is %+v", r)
		}
	})
}

func TestModelsOfDataset(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.work(t)
	first := b.trained(t, "flowers")
	in := newRace(first.DatasetKey, 1.0)
	in.Body.TimeLimitSeconds = number(1)
	second := b.awaitTraining(t, must(b.CreateTraining(b.ctx, in))(t).TrainingJobKey)
	if second.ModelKey == "" {
		t.Fatalf("a race that %s kept no model: %+v", second.Status, second)
	}
	list := func() *api.ModelPage {
		return must(b.ListModelsOfDataset(b.ctx, &api.DatasetPageInput{
			DatasetInput: api.DatasetInput{DatasetKey: first.DatasetKey}, PageInput: api.PageInput{Limit: 10},
		}))(t)
	}
	models := list().Models
	if len(models) != 2 || models[0].Version != 2 || models[1].Version != 1 {
		t.Fatalf("the models are %+v", models)
	}
	better := *second.AchievedPerformance > *first.AchievedPerformance
	if models[0].Champion != better || models[1].Champion == better {
		t.Errorf("the champion is not the best, or not the first of equals: %+v", models)
	}
	t.Run("a version is never given twice", func(t *testing.T) {
		must(b.DeleteModel(b.ctx, &api.ModelInput{ModelKey: second.ModelKey}))(t)
		third := b.awaitTraining(t, must(b.CreateTraining(b.ctx, newRace(first.DatasetKey, 0.5)))(t).TrainingJobKey)
		if m := must(b.GetModel(b.ctx, &api.ModelInput{ModelKey: third.ModelKey}))(t); m.Version != 3 {
			t.Errorf("the version is %d", m.Version)
		}
	})
	t.Run("its race stays without it", func(t *testing.T) {
		if r := must(b.GetTraining(b.ctx, &api.TrainingInput{TrainingJobKey: second.TrainingJobKey}))(t); r.ModelKey != "" {
			t.Errorf("the race is %+v", r)
		}
	})
	t.Run("the dataset is listed as having models", func(t *testing.T) {
		p := must(b.ListDatasets(b.ctx, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}, WithModelOnly: true}))(t)
		if p.Total != 1 {
			t.Errorf("%d are", p.Total)
		}
	})
}
