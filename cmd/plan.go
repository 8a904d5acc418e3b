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
	"strconv"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/frame"
	"foretell/internal/learningcurve"
	"foretell/internal/term"
)

// planSeed is the seed of the samples, and of the race if none is set.
const planSeed = 1

// planConflicts are the flags of run that --plan excludes.
var planConflicts = []string{"blind", "output", "force", "no-receipt", "name", "require", "beat", "junit", "dry-run", "resume"}

// planDocument is the output of run --plan.
type planDocument struct {
	File   string                `json:"file"`
	Rows   int                   `json:"rows"`
	Metric string                `json:"metric"`
	Trials []learningcurve.Trial `json:"trials"`
	// Forecast is null if the file is too small for samples.
	Forecast *learningcurve.Forecast `json:"forecast"`
	Notes    []string                `json:"notes,omitempty"`
}

// planRun races on samples of a file in a temporary embedded service: nothing is sent and
// nothing is kept.
type planRun struct {
	*session
	opts         *runOptions
	dir          string
	trainProfile *frame.Profile
	body         api.NewTraining
}

// plan races on samples and prints the forecast.
func (o *runOptions) plan(ctx context.Context, files *preflight, progress *term.Progress, body api.NewTraining) error {
	doc := &planDocument{
		File: files.train.name, Rows: files.trainProfile.Rows, Metric: cmp.Or(body.Metric, api.MetricAccuracy),
		Trials: []learningcurve.Trial{},
	}
	sizes := learningcurve.Sizes(doc.Rows)
	if len(sizes) == 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("%s has only %s: run the race itself, without --plan", doc.File, plural(doc.Rows, "row")))
		return o.printPlan(doc)
	}
	dir, err := os.MkdirTemp("", "foretell-plan-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it lies in the folder for temporary files
	session, err := o.wait.connectEmbeddedAt(ctx, filepath.Join(dir, "data"), client.Options{
		BaseURL: embeddedURL, UserAgent: userAgent(), Now: o.host.now,
	})
	if err != nil {
		return err
	}
	defer session.Close()
	body.PerformanceThreshold = api.NewThreshold(nil)
	if body.Seed == nil {
		seed := int64(planSeed)
		body.Seed = &seed
	}
	session.progress = progress
	r := &planRun{session: session, opts: o, dir: dir, trainProfile: files.trainProfile, body: body}
	if err := r.raceSamples(ctx, files.train, sizes, doc); err != nil {
		return r.explainInterrupt(ctx, err)
	}
	single := doc.Metric != api.MetricAccuracy
	f := learningcurve.Extrapolate(doc.Trials, r.classRows(), uint64(*body.Seed), single)
	doc.Forecast = &f
	doc.Notes = append(doc.Notes, o.planNotes(doc)...)
	return o.printPlan(doc)
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

// planNotes explains the forecast.
func (o *runOptions) planNotes(doc *planDocument) []string {
	f := doc.Forecast
	notes := []string{"forecast: an extrapolation from " + plural(len(doc.Trials), "sample") + "; the result was between low and high in 11 of 12 forecasts on public data sets (docs/benchmarks.md)"}
	if o.training.hasThreshold() {
		word := "may or may not be reached"
		switch {
		case f.Low >= o.training.threshold:
			word = "will be reached, and end the race before the forecast time"
		case f.High < o.training.threshold:
			word = "is unlikely to be reached"
		}
		notes = append(notes, fmt.Sprintf("the threshold of %g %s", o.training.threshold, word))
	}
	limit := api.DefaultTimeLimitSeconds * time.Second
	if o.training.timeLimit > 0 {
		limit = o.training.timeLimit
	}
	if doc.Trials[len(doc.Trials)-1].Cut {
		notes = append(notes, fmt.Sprintf("the race on the larger sample was stopped after %d s: only a lower bound of the time (fastest) is known, and the result may be better", largeSampleSeconds))
	}
	if f.Fastest > limit.Seconds() || f.Seconds != nil && *f.Seconds > limit.Seconds() {
		notes = append(notes, fmt.Sprintf("the race would end at its time limit of %s, with the best model by then; see --time-limit", term.Duration(limit)))
	}
	if s, err := o.host.settings(o.wait.cmd.Flags()); err == nil && !o.wait.local && s.GetString(keyServer) != "" {
		notes = append(notes, "planned on this machine; nothing was sent to "+s.GetString(keyServer)+", which may be faster or slower")
	}
	return notes
}

// printPlan prints the trials, the forecast and the notes.
func (o *runOptions) printPlan(doc *planDocument) error {
	for _, note := range doc.Notes {
		o.output.note("%s", note)
	}
	switch {
	case o.output.json || len(o.output.fields) > 0:
		return printItem(&o.output, doc, "file")
	case doc.Forecast == nil:
		return nil
	case o.output.quiet:
		return o.output.printLine(strconv.FormatFloat(doc.Forecast.Value, 'f', 4, 64))
	}
	t := &term.Table{Right: []bool{false, true, true, true, true, true, true, true}}
	for _, name := range []string{"", "rows", doc.Metric, "low", "high", "time", "fastest", "slowest"} {
		t.Header = append(t.Header, term.Cell{Text: name})
	}
	for _, trial := range doc.Trials {
		t.Rows = append(t.Rows, []term.Cell{
			{Text: "sample"}, {Text: strconv.Itoa(trial.Rows)}, scoreCell(trial.Value), {}, {}, secondsCell(trial.Seconds), {}, {},
		})
	}
	f := doc.Forecast
	t.Rows = append(t.Rows, []term.Cell{
		{Text: "all rows"},
		{Text: strconv.Itoa(f.Rows)},
		scoreCell(f.Value), scoreCell(f.Low), scoreCell(f.High),
		optionalSecondsCell(f.Seconds), secondsCell(f.Fastest), optionalSecondsCell(f.Slowest),
	})
	return o.output.printTable(t)
}

// scoreCell formats a score.
func scoreCell(v float64) term.Cell { return term.Cell{Text: strconv.FormatFloat(v, 'f', 4, 64)} }

// optionalSecondsCell formats a duration; nil as a dash.
func optionalSecondsCell(s *float64) term.Cell {
	if s == nil {
		return term.Cell{Text: "-"}
	}
	return secondsCell(*s)
}

// secondsCell formats a duration.
func secondsCell(s float64) term.Cell {
	return term.Cell{
		Text:    strconv.FormatFloat(s, 'f', 1, 64),
		Display: term.Duration(time.Duration(s * float64(time.Second))),
	}
}
