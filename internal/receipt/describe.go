package receipt

import (
	"cmp"
	"context"
	"math"

	"foretell/internal/api"
	"foretell/internal/build"
	"foretell/internal/client"
)

// New returns a receipt for the result of a prediction, without the digests of the result.
func New(p *api.Prediction) *Receipt {
	build := build.Current()
	return &Receipt{
		Version: Version, PredictionKey: p.PredictionKey, Model: Model{ModelKey: p.ModelKey},
		Binary: Binary{Version: build.Version, Commit: build.Commit, Go: build.Go, Platform: build.Platform},
	}
}

// DescribeModel requests the model from a service, and sets the fields about the model: its race,
// its performance and the options to train it again. Fields that the service does not report stay
// empty. If the training file is known, r.Training must have been set before, because it decides
// whether [Race.Features] is set.
func (r *Receipt) DescribeModel(ctx context.Context, c *client.Client) {
	model, err := client.Call(ctx, c, api.GetModel, &api.ModelInput{ModelKey: r.Model.ModelKey})
	if err != nil {
		return
	}
	r.Model.Version, r.Model.DatasetKey = model.Version, model.DatasetKey
	r.Model.TrainingJobKey, r.Model.Algorithm = model.TrainingJobKey, model.Algorithm
	report, err := c.ModelReportSummary(ctx, model.ModelKey)
	if err != nil || report == nil {
		if !math.IsNaN(model.AchievedPerformance.Value) {
			r.Performance = &Metrics{Validation: &Score{Value: model.AchievedPerformance.Value}}
		}
		return
	}
	r.Model.Algorithm = cmp.Or(report.Algorithm, r.Model.Algorithm)
	r.Model.Blend, r.Model.Seed = report.Blend, &report.Seed
	r.Race = fetchRaceOptions(ctx, c, model, report)
	if r.Training != nil && r.Race != nil {
		r.Race.Features = nil // the options of the receipt contain the excluded columns
	}
	r.Performance = &Metrics{
		Metric: report.Metric, Rows: report.Rows,
		Validation: newScore(report.Metric, report.Validation, report.ValidationRows),
		Test:       newScore(report.Metric, report.Test, report.TestRows),
		PRAUCClass: report.PRAUCClass(),
	}
}

// fetchRaceOptions returns the options with which a model was trained. It omits options that a
// worker of an earlier version has ignored. It returns nil if the service does not report all
// options.
func fetchRaceOptions(ctx context.Context, c *client.Client, model *api.Model, report *api.ModelReport) *Race {
	job, err := client.Call(ctx, c, api.GetTraining, &api.TrainingInput{TrainingJobKey: model.TrainingJobKey})
	if err != nil || job.Outcome == "" {
		return nil
	}
	dataset, err := client.Call(ctx, c, api.GetDataset, &api.DatasetInput{DatasetKey: model.DatasetKey})
	if err != nil {
		return nil
	}
	applied := report.EffectiveTraining(*job)
	race := &Race{
		Metric: job.Metric, Threshold: job.TargetPerformance, ScalingFactor: job.ScalingFactor, Buckets: dataset.NumberOfBuckets, Outcome: job.Outcome,
		GroupColumn: job.GroupColumn, TimeColumn: job.TimeColumn, Effort: job.Effort, ClassWeights: applied.ClassWeights, Monotone: applied.Monotone,
		TimeLimitSeconds: job.TimeLimitSeconds, RefitInterrupted: report.RefitInterrupted,
	}
	for i := range dataset.Columns {
		race.Features = append(race.Features, dataset.Columns[i].Name)
	}
	for _, one := range report.Algorithms {
		race.Algorithms = append(race.Algorithms, one.Algorithm)
	}
	return race
}
