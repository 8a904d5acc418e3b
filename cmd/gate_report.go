package cmd

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"foretell/internal/gate"
	"foretell/internal/term"
)

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

// The variables that identify CI services.
const (
	envGitHub        = "GITHUB_ACTIONS"
	envGitHubSummary = "GITHUB_STEP_SUMMARY"
	envGitLab        = "GITLAB_CI"
)
