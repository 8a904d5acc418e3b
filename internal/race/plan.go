package race

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/learningcurve"
	"foretell/internal/preflight"
	"foretell/internal/table/profile"
)

// Planner races on samples of a file in a temporary embedded service: nothing is sent and
// nothing is kept.
type Planner struct {
	*connect.Session
	Buckets      int
	Now          func() time.Time
	Dir          string
	TrainProfile *profile.Profile
	Body         api.NewTraining
}

// ExplainInterrupt returns the error of an interrupted plan.
func (r *Planner) ExplainInterrupt(ctx context.Context, err error) error {
	var interrupted *exit.InterruptError
	if errors.As(context.Cause(ctx), &interrupted) {
		return &exit.Error{Status: interrupted.Status(), Fact: "interrupted while planning: nothing was kept", Hint: "run the command again", Cause: err}
	}
	return err
}

// RaceSamples draws the samples and races on each.
func (r *Planner) RaceSamples(ctx context.Context, train *preflight.Input, sizes []int, doc *Plan) error {
	paths := make([]string, len(sizes))
	dst := make([]io.Writer, len(sizes))
	for i, size := range sizes {
		paths[i] = filepath.Join(r.Dir, fmt.Sprintf("%d rows.csv", size))
		file, err := os.Create(paths[i])
		if err != nil {
			return err
		}
		defer file.Close()
		dst[i] = file
	}
	src, err := train.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := learningcurve.Sample(ctx, src, r.TrainProfile.Classes, sizes, uint64(*r.Body.Seed), dst); err != nil {
		return err
	}
	large, report, err := r.raceSample(ctx, paths[1], sizes[1], r.Body, LargeSampleSeconds)
	if err != nil {
		return err
	}
	// The best algorithm alone on the small sample determines the slope of the learning curve
	// in a fraction of the time.
	best := bestAlgorithm(report)
	large.Validation = connect.Performance(best.Performance)
	body := r.Body
	body.Algorithms = []string{best.Algorithm}
	small, _, err := r.raceSample(ctx, paths[0], sizes[0], body, smallSampleSeconds)
	if err != nil {
		return err
	}
	doc.Trials = append(doc.Trials, *small, *large)
	return nil
}

// bestAlgorithm returns the algorithm with the highest score.
func bestAlgorithm(report *api.ModelReport) api.AlgorithmReport {
	return slices.MaxFunc(report.Algorithms, func(a, b api.AlgorithmReport) int {
		return cmp.Compare(connect.Performance(a.Performance), connect.Performance(b.Performance))
	})
}

// The time limits of the races on the samples, in seconds, so that a plan takes less time
// than the race.
const (
	LargeSampleSeconds = 6
	smallSampleSeconds = 2
)

// raceSample races on one sample for at most limit seconds.
func (r *Planner) raceSample(ctx context.Context, path string, rows int, body api.NewTraining, limit int) (*learningcurve.Trial, *api.ModelReport, error) {
	body.TimeLimitSeconds = &limit
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	in := preflight.NormalizedInput(path, path, false)
	name := fmt.Sprintf("%d rows", rows)
	created, err := client.Call(ctx, r.Client, api.CreateDataset, &api.CreateDatasetInput{Body: preflight.DatasetRequest(name, "", r.Buckets)})
	if err != nil {
		return nil, nil, err
	}
	if err := preflight.UploadFile(ctx, r.Session, created, &preflight.Upload{In: in, Size: info.Size()}); err != nil {
		return nil, nil, err
	}
	if _, err := r.AwaitDataset(ctx, created.DatasetKey); err != nil {
		return nil, nil, err
	}
	began := r.Now()
	race, err := r.CreateTraining(ctx, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: created.DatasetKey}, Body: body,
	})
	if err != nil {
		return nil, nil, err
	}
	job, err := r.WatchRace(ctx, race.TrainingJobKey, false)
	if err != nil {
		return nil, nil, err
	}
	took := r.Now().Sub(began)
	if err := connect.TrainingFailed(job); err != nil {
		return nil, nil, err
	}
	report, err := client.Call(ctx, r.Client, api.GetModelReport, &api.ModelInput{ModelKey: job.ModelKey})
	if err != nil {
		return nil, nil, err
	}
	validation, _ := report.Validation.Value(job.Metric)
	test, _ := report.Test.Value(job.Metric)
	t := learningcurve.NewTrial(rows, r.ClassRows(), validation, int(report.ValidationRows), test, int(report.TestRows))
	t.Seconds, t.Algorithm = took.Seconds(), report.Algorithm
	t.Cut = job.Outcome == api.OutcomeTimeLimit
	return &t, report, nil
}

// ClassRows returns the rows of each class of the whole file.
func (r *Planner) ClassRows() []int {
	rows := make([]int, len(r.TrainProfile.Classes))
	for i, class := range r.TrainProfile.Classes {
		rows[i] = class.Rows
	}
	return rows
}

// Plan is the output of run --plan.
type Plan struct {
	File   string                `json:"file"`
	Rows   int                   `json:"rows"`
	Metric string                `json:"metric"`
	Trials []learningcurve.Trial `json:"trials"`
	// Forecast is null if the file is too small for samples.
	Forecast *learningcurve.Forecast `json:"forecast"`
	Notes    []string                `json:"notes,omitempty"`
}
