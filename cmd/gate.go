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

// The variables by which CI services are known.
const (
	envGitHub        = "GITHUB_ACTIONS"
	envGitHubSummary = "GITHUB_STEP_SUMMARY"
	envGitLab        = "GITLAB_CI"
)

// gater holds the flags of a command that can hold a model to requirements.
type gater struct {
	host  *host
	texts []string
	beat  string
	junit string

	requirements []*gate.Requirement
	rival        rival
}

func (g *gater) bind(cmd *cobra.Command, c *connector) {
	g.host = c.host
	flags := cmd.Flags()
	flags.StringArrayVar(&g.texts, "require", nil,
		"`requirement` on test rows, such as 'rocAuc>=0.9' or 'recall[fraud]>=0.8'; again for more (exit status 10)")
	flags.StringVar(&g.beat, "beat", "", "`model` to beat on test rows: champion, or a reference; a tie does not beat (exit status 10)")
	flags.StringVar(&g.junit, "junit", "", "write the requirements as JUnit XML to `FILE`")
	_ = cmd.RegisterFlagCompletionFunc("beat", c.completeOr(champion, modelNames))
}

// asked reports whether anything is required.
func (g *gater) asked() bool { return len(g.texts) > 0 || g.beat != "" }

// read reads the requirements, before anything is done.
func (g *gater) read() error {
	for _, text := range g.texts {
		r, err := gate.Parse(text)
		if err != nil {
			return usage("--require %w", err)
		}
		g.requirements = append(g.requirements, r)
	}
	switch {
	case g.junit == "":
	case !g.asked():
		return usage("--junit without a requirement: there is nothing to write").advise("require something with --require or --beat")
	case g.junit == "-":
		return usage("--junit -: standard output is for the result").advise("name a file")
	}
	return nil
}

// fits is an error if a class is required that is none of these. Without any
// they are not known yet.
func (g *gater) fits(classes []string) error {
	for _, r := range g.requirements {
		if err := r.Fits(classes); err != nil && len(classes) > 0 {
			return usage("--require %w", err)
		}
	}
	return nil
}

// prepare checks the classes and finds the model to be beaten, before a race on
// a dataset begins.
func (g *gater) prepare(ctx context.Context, conn *connection, dataset, metric string) error {
	if !g.asked() {
		return nil
	}
	classes, err := conn.classes(ctx, dataset)
	if err != nil {
		return err
	}
	if err := g.fits(classes); err != nil {
		return err
	}
	return g.seek(ctx, conn, dataset, cmp.Or(metric, api.MetricAccuracy))
}

// conclude prints a race that has ended and holds its model to the requirements.
// below, which may be nil, says by how much it missed its threshold.
func (g *gater) conclude(ctx context.Context, o *output, conn *connection, job *api.Training, below error) error {
	verdicts, err := g.judge(ctx, conn, job.ModelKey)
	if err != nil {
		return err
	}
	if err := item(o, job, trainingMembers...); err != nil {
		return err
	}
	return g.publish(o, verdicts, below)
}

// judge holds a model to the requirements; nil if there are none.
func (g *gater) judge(ctx context.Context, conn *connection, model string) (*gate.Result, error) {
	if !g.asked() {
		return nil, nil
	}
	report, err := conn.reportOf(ctx, model)
	if err != nil {
		return nil, err
	}
	if report != nil {
		labels := make([]string, len(report.Classes))
		for i, c := range report.Classes {
			labels[i] = c.Label
		}
		if err := g.fits(labels); err != nil {
			return nil, err
		}
	}
	r := &gate.Result{Model: model, At: g.host.now()}
	for _, requirement := range g.requirements {
		r.Verdicts = append(r.Verdicts, requirement.Judge(report))
	}
	if g.beat == "" {
		return r, nil
	}
	if g.rival.key == "" {
		r.Verdicts = append(r.Verdicts, gate.Unbeaten(g.beat, g.rival.why))
		return r, nil
	}
	other, err := conn.reportOf(ctx, g.rival.key)
	if err != nil {
		return nil, err
	}
	verdict := gate.Beat(report, other, g.rival.name)
	if g.rival.dataset != "" {
		judged, err := client.Call(ctx, conn.Client, api.GetModel, &api.ModelInput{ModelKey: model})
		if err != nil {
			return nil, err
		}
		if judged.DatasetKey != g.rival.dataset {
			verdict.Reason += otherData
		}
	}
	r.Verdicts = append(r.Verdicts, verdict)
	return r, nil
}

// reportOf reads a model's report; nil where the service has none, since it is
// an extension.
func (c *connection) reportOf(ctx context.Context, model string) (*api.ModelReport, error) {
	report, err := client.Call(ctx, c.Client, api.GetModelReport, &api.ModelInput{ModelKey: model})
	var problem *api.Problem
	if errors.As(err, &problem) && (problem.Status == 404 || problem.Status == 405 || problem.Status == 501) {
		return nil, nil
	}
	return report, err
}

// publish tells a verdict to whoever waits for it. The error says what was
// missed; below, which may be nil, is another one of that kind.
func (g *gater) publish(o *output, r *gate.Result, below error) error {
	if r == nil {
		return below
	}
	if g.junit != "" {
		if err := writeFile(g.junit, r.WriteJUnit); err != nil {
			return err
		}
	}
	if err := g.annotate(o, r); err != nil {
		return err
	}
	missed := r.Missed()
	if missed == 0 {
		for _, v := range r.Verdicts {
			if v.Skipped {
				o.note("%s: %s", v.Requirement, v.Reason)
			}
		}
		o.note("%s", r.Summary())
		return below
	}
	if !o.json {
		if err := g.table(r); err != nil {
			return err
		}
	}
	f := fail(ExitBelowTarget, "%s by model %s", r.Summary(), r.Model)
	f.requirements = r.Verdicts
	var other *failure
	if errors.As(below, &other) {
		f.fact += "; " + other.fact
	}
	return f.advise("the model is kept; see `foretell models report %s`", r.Model)
}

// annotate tells the CI service that runs the command. Both read the standard
// error, so that the standard output stays the result's alone.
func (g *gater) annotate(o *output, r *gate.Result) error {
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

// table prints the requirements and what was measured for them.
func (g *gater) table(r *gate.Result) error {
	style := g.host.console.ErrStyle
	t := &term.Table{
		Header: []term.Cell{{Text: "requirement"}, {Text: "measured"}, {Text: "95 % interval"}, {Text: "rows"}, {Text: "verdict"}},
		Right:  []bool{false, true, false, true, false},
	}
	for _, v := range r.Verdicts {
		paint := style.Green
		if !v.Holds {
			paint = style.Red
		}
		t.Rows = append(t.Rows, []term.Cell{
			{Text: v.Requirement}, {Text: v.Measured()}, {Text: v.Interval.String()}, {Text: v.Count()}, {Text: v.Reason, Paint: paint},
		})
	}
	t.Whole = true
	width := math.MaxInt16 // a log has no width
	if c := g.host.console; c.ErrTerminal {
		width = c.ErrWidth()
	}
	write := func(w io.Writer) error { return t.WriteAligned(w, width, style) }
	if g.host.env(envGitLab) == "true" {
		return r.Section(g.host.console.Err, write)
	}
	return write(g.host.console.Err)
}

// writeFile writes a file whole or not at all; one of that name is replaced.
func writeFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, b.Bytes(), 0o666) // a device or a pipe
	}
	part, err := createPart(filepath.Dir(path), filepath.Base(path))
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
