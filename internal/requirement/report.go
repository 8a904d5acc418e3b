package requirement

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"

	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/gate"
	"foretell/internal/term"
)

// Publish writes the results for people and CI services. thresholdErr is the error of a race that
// missed its threshold, or nil. Publish returns the first of these errors:
//
//  1. an error about missed requirements, which includes the message of thresholdErr
//  2. thresholdErr
//  3. an error of writing the results
//
// If it returns one of the first two, it prints an error of writing as a warning.
func (f *Flags) Publish(ctx context.Context, o *cli.Output, r *gate.Report, thresholdErr error) error {
	if r == nil {
		return thresholdErr
	}
	err := f.writeForCI(ctx, o, r)
	missed := r.NumMissed()
	if err != nil && (missed > 0 || thresholdErr != nil) {
		f.factory.Note("warning: the results of the requirements could not be written: %v", err)
	}
	if missed == 0 {
		for _, v := range r.Results {
			if v.Skipped || v.IsCautioned {
				o.Note("%s: %s", v.Requirement, v.Reason)
			}
		}
		o.Note("%s", r.Summary())
		return cmp.Or(thresholdErr, err)
	}
	if !o.JSON && !f.factory.NotesAreEvents {
		_ = f.printTable(r) // the error below has the same facts
	}
	if r.Model == "" {
		e := exit.Errorf(exit.BelowTarget, "%s by the predictions %s", r.Summary(), r.Predictions)
		e.Requirements = r.Results
		return e
	}
	e := exit.Errorf(exit.BelowTarget, "%s by model %s", r.Summary(), r.Model)
	e.Requirements = r.Results
	var other *exit.Error
	if errors.As(thresholdErr, &other) {
		e.Fact += "; " + other.Fact
	}
	if f.rejected {
		return e.WithHint("the model is kept; only `foretell models promote %[1]s` can make it the champion of its series; see `foretell models report %[1]s`", r.Model)
	}
	return e.WithHint("the model is kept; see `foretell models report %s`", r.Model)
}

// writeForCI writes the file of --junit and the annotations. It writes each even if the other fails.
// In a dry run, it writes nothing.
func (f *Flags) writeForCI(ctx context.Context, o *cli.Output, r *gate.Report) error {
	if f.factory.DryRun != nil {
		return nil
	}
	var err error
	if f.junit != "" {
		err = cli.WriteFileAtomic(ctx, f.junit, true, r.WriteJUnit)
	}
	return errors.Join(err, f.writeAnnotations(o, r))
}

// writeAnnotations writes annotations for GitHub, and appends a section to the job summary of
// GitHub. The annotations go to standard error, because standard output has the result of the
// command. If the summary cannot be written, writeAnnotations prints a warning, because the result
// does not depend on it.
func (f *Flags) writeAnnotations(o *cli.Output, r *gate.Report) error {
	if f.factory.Env(config.EnvGitHub) == "true" {
		if err := r.WriteGitHub(f.factory.Console.Err, o.Quiet); err != nil {
			return err
		}
	}
	path := f.factory.Env(config.EnvGitHubSummary)
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err == nil {
		err = errors.Join(r.WriteMarkdown(file), file.Close())
	}
	if err != nil {
		f.factory.Note("warning: the requirements could not be added to the file of the variable %s: %v", config.EnvGitHubSummary, err)
	}
	return nil
}

// printTable prints the requirements and their measured values.
func (f *Flags) printTable(r *gate.Report) error {
	style := f.factory.Console.ErrStyle
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
	if c := f.factory.Console; c.ErrTerminal {
		width = c.ErrWidth()
	}
	write := func(w io.Writer) error { return t.WriteAligned(w, width, style) }
	if f.factory.Env(config.EnvGitLab) == "true" {
		return r.WriteGitLab(f.factory.Console.Err, write)
	}
	return write(f.factory.Console.Err)
}
