package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/frame"
	"foretell/internal/learningcurve"
)

// planRun races on samples of a file in a temporary embedded service: nothing is sent and
// nothing is kept.
type planRun struct {
	*session
	opts         *runOptions
	dir          string
	trainProfile *frame.Profile
	body         api.NewTraining
}

// explainInterrupt returns the error of an interrupted plan.
func (r *planRun) explainInterrupt(ctx context.Context, err error) error {
	var interrupted *interruptError
	if errors.As(context.Cause(ctx), &interrupted) {
		return &cliError{exit: interrupted.exit(), fact: "interrupted while planning: nothing was kept", hint: "run the command again", cause: err}
	}
	return err
}

// raceSamples draws the samples and races on each.
func (r *planRun) raceSamples(ctx context.Context, train *input, sizes []int, doc *planDocument) error {
	paths := make([]string, len(sizes))
	dst := make([]io.Writer, len(sizes))
	for i, size := range sizes {
		paths[i] = filepath.Join(r.dir, fmt.Sprintf("%d rows.csv", size))
		file, err := os.Create(paths[i])
		if err != nil {
			return err
		}
		defer file.Close()
		dst[i] = file
	}
	src, err := train.open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := learningcurve.Sample(ctx, src, r.trainProfile.Classes, sizes, uint64(*r.body.Seed), dst); err != nil {
		return err
	}
	large, report, err := r.raceSample(ctx, paths[1], sizes[1], r.body, largeSampleSeconds)
	if err != nil {
		return err
	}
	// The best algorithm alone on the small sample gives the slope of the learning curve
	// in a fraction of the time.
	best := bestAlgorithm(report)
	large.Alone = performance(best.Performance)
	body := r.body
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
		return cmp.Compare(performance(a.Performance), performance(b.Performance))
	})
}

// The time limits of the races on the samples, in seconds, so that a plan takes less time
// than the race.
const (
	largeSampleSeconds = 6
	smallSampleSeconds = 2
)

// raceSample races on one sample for at most limit seconds.
func (r *planRun) raceSample(ctx context.Context, path string, rows int, body api.NewTraining, limit int) (*learningcurve.Trial, *api.ModelReport, error) {
	body.TimeLimitSeconds = &limit
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	in := normalizedInput(path, path, false)
	name := fmt.Sprintf("%d rows", rows)
	created, err := client.Call(ctx, r.Client, api.CreateDataset, &api.CreateDatasetInput{Body: datasetRequest(name, "", r.opts.buckets)})
	if err != nil {
		return nil, nil, err
	}
	if err := r.upload(ctx, created, &upload{in: in, size: info.Size()}); err != nil {
		return nil, nil, err
	}
	if _, err := r.awaitDataset(ctx, created.DatasetKey); err != nil {
		return nil, nil, err
	}
	began := r.opts.host.now()
	race, err := r.CreateTraining(ctx, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: created.DatasetKey}, Body: body,
	})
	if err != nil {
		return nil, nil, err
	}
	job, err := r.watchRace(ctx, race.TrainingJobKey, false)
	if err != nil {
		return nil, nil, err
	}
	took := r.opts.host.now().Sub(began)
	if err := trainingFailed(job); err != nil {
		return nil, nil, err
	}
	report, err := client.Call(ctx, r.Client, api.GetModelReport, &api.ModelInput{ModelKey: job.ModelKey})
	if err != nil {
		return nil, nil, err
	}
	validation, _ := report.Validation.Value(job.Metric)
	test, _ := report.Test.Value(job.Metric)
	t := learningcurve.NewTrial(rows, r.classRows(), validation, int(report.ValidationRows), test, int(report.TestRows))
	t.Seconds, t.Algorithm = took.Seconds(), report.Algorithm
	t.Cut = job.Outcome == api.OutcomeTimeLimit
	return &t, report, nil
}

// classRows returns the rows of each class of the whole file.
func (r *planRun) classRows() []int {
	rows := make([]int, len(r.trainProfile.Classes))
	for i, class := range r.trainProfile.Classes {
		rows[i] = class.Rows
	}
	return rows
}
