package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/gate"
	"foretell/internal/term"
)

// The variables that identify CI services.
const (
	envGitHub        = "GITHUB_ACTIONS"
	envGitHubSummary = "GITHUB_STEP_SUMMARY"
	envGitLab        = "GITLAB_CI"
)

// requirementFlags holds the flags of a command that checks a model against requirements.
type requirementFlags struct {
	host  *factory
	texts []string
	beat  string
	junit string

	requirements []*gate.Requirement
	baseline     baseline
}

func (g *requirementFlags) bind(cmd *cobra.Command, c *serviceFlags) {
	g.host = c.host
	flags := cmd.Flags()
	flags.StringArrayVar(&g.texts, "require", nil,
		"`requirement` on test rows, such as 'rocAuc>=0.9' or 'recall[fraud]>=0.8'; may be repeated (exit status 10 if missed)")
	flags.StringVar(&g.beat, "beat", "", "`model` to beat on test rows: champion, or a reference; a tie is a miss (exit status 10)")
	flags.StringVar(&g.junit, "junit", "", "write the requirements as JUnit XML to `FILE`")
	_ = cmd.RegisterFlagCompletionFunc("beat", c.completeOrWord(champion, modelNames))
}

// isSet reports whether there is a requirement.
func (g *requirementFlags) isSet() bool { return len(g.texts) > 0 || g.beat != "" }

// parse parses the requirements, before the command does anything.
func (g *requirementFlags) parse() error {
	for _, text := range g.texts {
		r, err := gate.Parse(text)
		if err != nil {
			return usageErrorf("invalid requirement %w", err)
		}
		g.requirements = append(g.requirements, r)
	}
	switch {
	case g.junit == "":
	case !g.isSet():
		return usageErrorf("--junit needs a requirement").withHint("add --require or --beat")
	case g.junit == "-":
		return usageErrorf("--junit cannot write to standard output: the result goes there").withHint("name a file")
	}
	return nil
}

// checkClasses returns an error if a requirement names an unknown class. It returns nil
// if classes is empty, because they are not known yet.
func (g *requirementFlags) checkClasses(classes []string) error {
	for _, r := range g.requirements {
		if err := r.ValidFor(classes); err != nil && len(classes) > 0 {
			return usageErrorf("invalid requirement %w", err)
		}
	}
	return nil
}

// prepare checks the classes and finds the baseline before a race on a dataset.
func (g *requirementFlags) prepare(ctx context.Context, session *session, dataset, metric string) error {
	if !g.isSet() {
		return nil
	}
	classes, err := session.classLabels(ctx, dataset)
	if err != nil {
		return err
	}
	if err := g.checkClasses(classes); err != nil {
		return err
	}
	return g.findBaseline(ctx, session, dataset, cmp.Or(metric, api.MetricAccuracy))
}

// finish prints a finished race and checks its model. below, which may be nil, is the
// error of a missed threshold.
func (g *requirementFlags) finish(ctx context.Context, o *output, session *session, job *api.Training, below error) error {
	verdicts, err := g.evaluate(ctx, session, job.ModelKey)
	if err != nil {
		return err
	}
	if err := printItem(o, job, trainingMembers...); err != nil {
		return err
	}
	return g.publish(o, verdicts, below)
}

// evaluate checks a model against the requirements; nil if there are none.
func (g *requirementFlags) evaluate(ctx context.Context, session *session, model string) (*gate.Report, error) {
	if !g.isSet() {
		return nil, nil
	}
	report, err := session.modelReport(ctx, model)
	if err != nil {
		return nil, err
	}
	if report != nil {
		labels := make([]string, len(report.Classes))
		for i, c := range report.Classes {
			labels[i] = c.Label
		}
		if err := g.checkClasses(labels); err != nil {
			return nil, err
		}
	}
	r := &gate.Report{Model: model, At: g.host.now()}
	for _, requirement := range g.requirements {
		r.Results = append(r.Results, requirement.Evaluate(report))
	}
	if g.beat == "" {
		return r, nil
	}
	if g.baseline.key == "" {
		r.Results = append(r.Results, gate.NoBaseline(g.beat, g.baseline.reason))
		return r, nil
	}
	other, err := session.modelReport(ctx, g.baseline.key)
	if err != nil {
		return nil, err
	}
	verdict := gate.Compare(report, other, g.baseline.name)
	if g.baseline.dataset != "" {
		judged, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: model})
		if err != nil {
			return nil, err
		}
		if judged.DatasetKey != g.baseline.dataset {
			verdict.Reason += differentDataNote
		}
	}
	r.Results = append(r.Results, verdict)
	return r, nil
}

// modelReport returns a model's report; nil if the service has no reports, which are an
// extension.
func (c *session) modelReport(ctx context.Context, model string) (*api.ModelReport, error) {
	report, err := client.Call(ctx, c.Client, api.GetModelReport, &api.ModelInput{ModelKey: model})
	var problem *api.Problem
	if errors.As(err, &problem) && (problem.Status == 404 || problem.Status == 405 || problem.Status == 501) {
		return nil, nil
	}
	return report, err
}

// publish writes the results for people and CI. It returns an error if a requirement was
// missed, joined with below, which may be nil.
func (g *requirementFlags) publish(o *output, r *gate.Report, below error) error {
	if r == nil {
		return below
	}
	if g.junit != "" {
		if err := writeFileAtomic(g.junit, r.WriteJUnit); err != nil {
			return err
		}
	}
	if err := g.annotate(o, r); err != nil {
		return err
	}
	missed := r.Missed()
	if missed == 0 {
		for _, v := range r.Results {
			if v.Skipped {
				o.note("%s: %s", v.Requirement, v.Reason)
			}
		}
		o.note("%s", r.Summary())
		return below
	}
	if !o.json {
		if err := g.printTable(r); err != nil {
			return err
		}
	}
	e := exitErrorf(ExitBelowTarget, "%s by model %s", r.Summary(), r.Model)
	e.requirements = r.Results
	var other *cliError
	if errors.As(below, &other) {
		e.fact += "; " + other.fact
	}
	return e.withHint("the model is kept; see `foretell models report %s`", r.Model)
}

// annotate writes annotations for the CI service. They go to standard error, because
// standard output is for the result.
func (g *requirementFlags) annotate(o *output, r *gate.Report) error {
	if g.host.env(envGitHub) == "true" {
		if err := r.WriteGitHub(g.host.console.Err, o.quiet); err != nil {
			return err
		}
	}
	path := g.host.env(envGitHubSummary)
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("%s: %w", envGitHubSummary, err)
	}
	return errors.Join(r.WriteMarkdown(file), file.Close())
}

// printTable prints the requirements and their measured values.
func (g *requirementFlags) printTable(r *gate.Report) error {
	style := g.host.console.ErrStyle
	t := &term.Table{
		Header: []term.Cell{{Text: "requirement"}, {Text: "measured"}, {Text: "95 % interval"}, {Text: "rows"}, {Text: "verdict"}},
		Right:  []bool{false, true, false, true, false},
	}
	for _, v := range r.Results {
		paint := style.Green
		if !v.Holds {
			paint = style.Red
		}
		t.Rows = append(t.Rows, []term.Cell{
			{Text: v.Requirement}, {Text: v.FormatValue()}, {Text: v.Interval.String()}, {Text: v.FormatRows()}, {Text: v.Reason, Style: paint},
		})
	}
	t.NoTruncate = true
	width := math.MaxInt16 // a log has no width
	if c := g.host.console; c.ErrTerminal {
		width = c.ErrWidth()
	}
	write := func(w io.Writer) error { return t.WriteAligned(w, width, style) }
	if g.host.env(envGitLab) == "true" {
		return r.WriteGitLab(g.host.console.Err, write)
	}
	return write(g.host.console.Err)
}

// writeFileAtomic replaces a file completely or not at all.
func writeFileAtomic(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, b.Bytes(), 0o666) // a device or a pipe
	}
	part, err := createTemp(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return err
	}
	_, err = part.Write(b.Bytes())
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}
