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
	"foretell/internal/learn/metric"
	"foretell/internal/learningcurve"
	"foretell/internal/preflight"
	"foretell/internal/table/profile"
)

// Planner runs races on samples of a file, for run --plan. It uses an embedded service, whose data
// it deletes afterwards, and sends nothing to another machine.
type Planner struct {
	*connect.Session
	Buckets      int              // number of buckets of the datasets
	Now          func() time.Time // returns the current time
	Dir          string           // folder for the files of the samples
	TrainProfile *profile.Profile
	Body         api.NewTraining // the request for each race
}

// TranslateInterrupt returns an error with a hint if a signal interrupted the command. Otherwise it
// returns err.
func (p *Planner) TranslateInterrupt(ctx context.Context, err error) error {
	var interrupted *exit.InterruptError
	if errors.As(context.Cause(ctx), &interrupted) {
		return &exit.Error{Status: interrupted.Status(), Fact: "interrupted while planning: nothing was kept", Hint: "run the command again", Cause: err}
	}
	return err
}

// RaceTwoSamples draws two samples of train, with sizes[0] and sizes[1] rows, runs a race on each, and
// appends the results to plan.
func (p *Planner) RaceTwoSamples(ctx context.Context, train *preflight.InputTable, sizes []int, plan *Plan) error {
	paths := make([]string, len(sizes))
	dst := make([]io.Writer, len(sizes))
	for i, size := range sizes {
		paths[i] = filepath.Join(p.Dir, fmt.Sprintf("%d rows.csv", size))
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
	if err := learningcurve.WriteSamples(ctx, src, p.TrainProfile.Classes, sizes, uint64(*p.Body.Seed), dst); err != nil {
		return err
	}
	large, report, err := p.raceSample(ctx, paths[1], sizes[1], p.Body, LargeSampleSeconds)
	if err != nil {
		return err
	}
	// On the small sample, only the algorithm that is best on the large sample is trained. This
	// takes a fraction of the time, and is enough to estimate the slope of the learning curve.
	best := bestAlgorithm(report)
	large.Validation = connect.ValueOrZero(best.Performance)
	body := p.Body
	body.Algorithms = []string{best.Algorithm}
	small, _, err := p.raceSample(ctx, paths[0], sizes[0], body, smallSampleSeconds)
	if err != nil {
		return err
	}
	plan.Trials = append(plan.Trials, *small, *large)
	return nil
}

// bestAlgorithm returns the algorithm with the highest score.
func bestAlgorithm(report *api.ModelReport) api.AlgorithmReport {
	return slices.MaxFunc(report.Algorithms, func(a, b api.AlgorithmReport) int {
		return cmp.Compare(connect.ValueOrZero(a.Performance), connect.ValueOrZero(b.Performance))
	})
}

// The time limits, in seconds, of the races on the samples.
const (
	LargeSampleSeconds = 6
	smallSampleSeconds = 2
)

// raceSample runs a race on the sample in the file at path, for at most the given number of
// seconds. rows is the number of rows of the sample.
func (p *Planner) raceSample(ctx context.Context, path string, rows int, body api.NewTraining, seconds int) (trial *learningcurve.Trial, report *api.ModelReport, err error) {
	body.TimeLimitSeconds = &seconds
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	in := preflight.NormalizedInput(path, path, false)
	name := fmt.Sprintf("%d rows", rows)
	created, err := client.Call(ctx, p.Client, api.CreateDataset, &api.CreateDatasetInput{Body: preflight.DatasetRequest(name, "", p.Buckets)})
	if err != nil {
		return nil, nil, err
	}
	if err := preflight.UploadFile(ctx, p.Session, created, &preflight.Upload{In: in, Size: info.Size(), IsNew: true}); err != nil {
		return nil, nil, err
	}
	if _, err := p.AwaitDataset(ctx, created.DatasetKey); err != nil {
		return nil, nil, err
	}
	began := p.Now()
	request := &api.CreateTrainingInput{DatasetInput: api.DatasetInput{DatasetKey: created.DatasetKey}, Body: body}
	race, err := p.CreateTraining(ctx, request)
	if err != nil && len(body.Monotone) > 0 {
		// In the sample, a column may have only one value. A model cannot be monotone in such a
		// column.
		request.Body.Monotone = nil
		race, err = p.CreateTraining(ctx, request)
	}
	if err != nil {
		return nil, nil, err
	}
	job, err := p.WatchRace(ctx, race.TrainingJobKey, false)
	if err != nil {
		return nil, nil, err
	}
	took := p.Now().Sub(began)
	if err := connect.TrainingError(job); err != nil {
		return nil, nil, err
	}
	report, err = client.Call(ctx, p.Client, api.GetModelReport, &api.ModelReportInput{ModelInput: api.ModelInput{ModelKey: job.ModelKey}})
	if err != nil {
		return nil, nil, err
	}
	validation, _ := report.Validation.Performance(job.Metric)
	test, _ := report.Test.Performance(job.Metric)
	t := learningcurve.NewTrial(rows, p.RowsPerClass(), validation, int(report.ValidationRows), test, int(report.TestRows))
	if interval := report.Validation.PerformanceInterval(job.Metric); interval != nil {
		t.ValidationStdErr = (interval.High - interval.Low) / (2 * metric.Z95)
	}
	t.Seconds, t.Algorithm = took.Seconds(), report.Algorithm
	t.Cut = job.Outcome == api.OutcomeTimeLimit
	return &t, report, nil
}

// RowsPerClass returns the number of rows of each class in the whole file.
func (p *Planner) RowsPerClass() []int {
	rows := make([]int, len(p.TrainProfile.Classes))
	for i, class := range p.TrainProfile.Classes {
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
	// Forecast is nil if the file has too few rows for samples.
	Forecast *learningcurve.Forecast `json:"forecast"`
	Notes    []string                `json:"notes,omitempty"`
}
