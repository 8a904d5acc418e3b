package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/humanize"
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

// plan races on samples and prints the forecast.
func (o *runOptions) plan(ctx context.Context, files *preflight, progress *term.Progress, body api.NewTraining) error {
	doc := &planDocument{
		File: files.train.name, Rows: files.trainProfile.Rows, Metric: cmp.Or(body.Metric, api.MetricAccuracy),
		Trials: []learningcurve.Trial{},
	}
	sizes := learningcurve.Sizes(doc.Rows)
	if len(sizes) == 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("%s has only %s: run the race itself, without --plan", doc.File, humanize.Count(doc.Rows, "row")))
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

// planNotes explains the forecast.
func (o *runOptions) planNotes(doc *planDocument) []string {
	f := doc.Forecast
	notes := []string{"forecast: an extrapolation from " + humanize.Count(len(doc.Trials), "sample") + "; the result was between low and high in 11 of 12 forecasts on public data sets (docs/benchmarks.md)"}
	if threshold := o.training.threshold; threshold != nil {
		word := "may or may not be reached"
		switch {
		case f.Low >= *threshold:
			word = "will be reached, and end the race before the forecast time"
		case f.High < *threshold:
			word = "is unlikely to be reached"
		}
		notes = append(notes, fmt.Sprintf("the threshold of %g %s", *threshold, word))
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
