package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/leaderboard"
	"foretell/internal/learningcurve"
	"foretell/internal/preflight"
	"foretell/internal/race"
	"foretell/internal/report"
	"foretell/internal/term"
)

// planSeed is the random seed of the samples and of the races on them, unless --seed is set.
const planSeed = 1

// markPlanConflicts marks the flags of run that cannot be combined with --plan.
func markPlanConflicts(cmd *cobra.Command) {
	for _, name := range []string{"blind", "output", "force", "no-receipt", "name", "require", "beat", "junit", "dry-run", "resume"} {
		cmd.MarkFlagsMutuallyExclusive("plan", name)
	}
}

// plan runs races on samples of the training file and prints a forecast for the whole file.
func (o *runOptions) plan(ctx context.Context, files *preflight.Preflight, progress *term.Progress, body api.NewTraining) error {
	doc := &race.Plan{
		File: files.Train.Name, Rows: files.TrainProfile.Rows, Metric: cmp.Or(body.Metric, api.MetricAccuracy),
		Trials: []learningcurve.Trial{},
	}
	sizes := learningcurve.SampleSizes(doc.Rows)
	if len(sizes) == 0 {
		fact := fmt.Sprintf("%s has only %s, but a forecast needs at least %s", doc.File, humanize.Count(doc.Rows, "row"), humanize.Comma(learningcurve.MinRows))
		const hint = "run the command without --plan"
		if o.output.Quiet && !o.output.JSON && len(o.output.Fields) == 0 { // printPlan would print nothing
			return exit.Errorf(exit.Rejected, "cannot forecast the run: %s", fact).WithHint(hint)
		}
		doc.Notes = append(doc.Notes, fact+"; "+hint)
		return o.printPlan(doc)
	}
	dir, err := os.MkdirTemp("", "foretell-plan-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	session, err := o.wait.ConnectTemporary(ctx, filepath.Join(dir, "data"), client.Options{
		BaseURL: config.EmbeddedURL, UserAgent: build.UserAgent(), Now: o.factory.Now,
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
	session.Progress = progress
	r := &race.Planner{Session: session, Buckets: o.buckets, Now: o.factory.Now, Dir: dir, TrainProfile: files.TrainProfile, Body: body}
	if err := r.RaceTwoSamples(ctx, files.Train, sizes, doc); err != nil {
		return r.TranslateInterrupt(ctx, err)
	}
	single := doc.Metric != api.MetricAccuracy
	f, err := learningcurve.Extrapolate(ctx, doc.Trials, r.RowsPerClass(), uint64(*body.Seed), single)
	if err != nil {
		return r.TranslateInterrupt(ctx, err)
	}
	doc.Forecast = &f
	doc.Notes = append(doc.Notes, o.planNotes(doc, &body)...)
	return o.printPlan(doc)
}

// planNotes returns notes on the forecast of a plan: how reliable its result and its times are, and
// whether a race on all rows will reach the threshold or the time limit.
func (o *runOptions) planNotes(doc *race.Plan, body *api.NewTraining) []string {
	f := doc.Forecast
	note := "the forecast is extrapolated from " + humanize.Count(len(doc.Trials), "sample")
	if doc.Metric == api.MetricAccuracy && body.GroupColumn == "" && body.TimeColumn == "" {
		note += "; in 11 of 12 forecasts on public data sets, the result was between low and high (docs/benchmarks.md)"
	} else {
		note += "; the range from low to high was tested only for accuracy, without --group and --time"
	}
	notes := []string{note}
	if threshold := o.training.Threshold; threshold != nil {
		word := "may or may not be reached"
		switch {
		case f.Low >= *threshold:
			word = "is likely to be reached, which ends the race before the forecast time"
		case f.High < *threshold:
			word = "is unlikely to be reached"
		}
		notes = append(notes, fmt.Sprintf("the threshold of %g %s", *threshold, word))
	}
	limit := api.DefaultTimeLimitSeconds * time.Second
	if o.training.TimeLimit > 0 {
		limit = o.training.TimeLimit
	}
	if doc.Trials[len(doc.Trials)-1].Cut {
		notes = append(notes, fmt.Sprintf("the race on the larger sample was stopped after %d s: the run may take much longer than forecast, and its result may be better; the column fastest is a lower bound of the time", race.LargeSampleSeconds))
	}
	if f.Fastest > limit.Seconds() || f.Seconds != nil && *f.Seconds > limit.Seconds() {
		notes = append(notes, fmt.Sprintf("the race would end at its time limit of %s and keep the best model so far; --time-limit changes the limit", term.FormatDuration(limit)))
	}
	if s, err := config.Load(o.factory.Env, o.wait.Cmd.Flags()); err == nil && !o.wait.WantsEmbedded() && s.GetString(config.KeyServer) != "" {
		notes = append(notes, "the plan ran on this machine; the service at "+s.GetString(config.KeyServer)+" may be faster or slower")
	}
	return notes
}

// printPlan prints the races on samples, the forecast and the notes.
func (o *runOptions) printPlan(doc *race.Plan) error {
	for _, note := range doc.Notes {
		o.output.Note("%s", note)
	}
	switch {
	case o.output.JSON || len(o.output.Fields) > 0:
		return cli.PrintItem(&o.output, doc, "file")
	case doc.Forecast == nil:
		return nil
	case o.output.Quiet:
		return o.output.PrintLine(strconv.FormatFloat(doc.Forecast.Value, 'f', 4, 64))
	}
	t := &term.Table{Right: []bool{false, true, true, true, true, true, true, true}}
	for _, name := range []string{"", "rows", api.PerformanceName(doc.Metric), "low", "high", "time", "fastest", "slowest"} {
		t.Header = append(t.Header, term.Cell{Text: name})
	}
	for _, trial := range doc.Trials {
		t.Rows = append(t.Rows, []term.Cell{
			{Text: "sample"}, {Text: strconv.Itoa(trial.Rows)}, report.ScoreCell(trial.Value), {}, {}, leaderboard.SecondsCell(trial.Seconds), {}, {},
		})
	}
	f := doc.Forecast
	t.Rows = append(t.Rows, []term.Cell{
		{Text: "all rows"},
		{Text: strconv.Itoa(f.Rows)},
		report.ScoreCell(f.Value), report.ScoreCell(f.Low), report.ScoreCell(f.High),
		leaderboard.OptionalSecondsCell(f.Seconds), leaderboard.SecondsCell(f.Fastest), leaderboard.OptionalSecondsCell(f.Slowest),
	})
	return o.output.PrintTable(t)
}
