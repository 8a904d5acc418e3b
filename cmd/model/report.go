package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/drift"
	"foretell/internal/exit"
	"foretell/internal/htmlreport"
	"foretell/internal/preflight"
	"foretell/internal/report"
	"foretell/internal/requirement"
	"foretell/internal/term"
)

type modelsReportOptions struct {
	factory *cli.Factory
	wait    connect.WaitFlags
	output  cli.Output
	gate    requirement.Flags
	layout  preflight.LayoutFlags

	blind []string
	html  string
	force bool
}

func newModelsReportCmd(f *cli.Factory) *cobra.Command {
	opts := &modelsReportOptions{factory: f, wait: connect.WaitFlags{ServiceFlags: connect.ServiceFlags{NoJobs: true}}}
	cmd := &cobra.Command{
		Use: "report REF", Short: "Show how good a model is, what it depends on, and what could be wrong",
		Long: `Shows the scores of a model with 95 % intervals, its classes, the calibration of its
probabilities, the importance of the columns and how they interact, and the race.

--html writes the report with its curves to a single HTML file.

With --blind, the report also shows the drift of each column: how much the values in
BLIND differ from those in the training file. The drift is measured as the population
stability index. An index below 0.1 means no drift, and an index of 0.25 or more means
a large drift. BLIND stays on this machine.`,
		Example: `  foretell models report train@champion
  foretell models report train@champion --html report.html
  foretell models report train@champion --blind blind.csv`,
		Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.ServiceFlags.Bind(cmd, f)
	opts.wait.BindProgress(cmd)
	opts.output.BindItem(cmd, f, cli.ResultType[modelReport]())
	opts.layout.Bind(cmd, preflight.BlindRoles)
	flags := cmd.Flags()
	flags.StringArrayVar(&opts.blind, "blind", nil, "blind `file` to compare with the training file; if repeated, the files are joined into one table")
	flags.StringVar(&opts.html, "html", "", "write the report with its curves to one HTML `FILE`, or to standard output if FILE is -")
	flags.BoolVar(&opts.force, "force", false, "replace the file of --html if it exists")
	opts.gate.Bind(cmd, &opts.wait.ServiceFlags)
	_ = cmd.MarkFlagFilename("html", "html") // fails only if the flag is not defined
	cmd.ValidArgsFunction = opts.wait.CompleteReference(connect.ListModelRefs)
	return cmd
}

// modelReport is the output of models report.
type modelReport struct {
	*api.ModelReport
	// Verdict says how good the model is. Cautions say what could be wrong with it. Steps are
	// the commands that reproduce it.
	Verdict  []string      `json:"verdict"`
	Cautions []string      `json:"cautions"`
	Steps    []report.Step `json:"steps"`
	// PRAUCClass is the class whose average precision is prAuc; "" with more than two classes.
	PRAUCClass string `json:"prAucClass,omitempty"`
	// Drift is nil without --blind.
	Drift *api.DriftReport `json:"drift,omitempty"`
}

func (o *modelsReportOptions) run(ctx context.Context, ref string) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.ModelKey(ctx, ref)
	if err != nil {
		return err
	}
	d, err := report.Load(ctx, session.Client, key)
	if err != nil {
		return err
	}
	if d.ReportError != nil {
		return d.ReportError
	}
	if err := o.gate.SetBaselineForModel(ctx, session, key); err != nil {
		return err
	}
	verdicts, err := o.gate.Evaluate(ctx, session, key)
	if err != nil {
		return err
	}
	if len(o.blind) > 0 {
		if d.Drift, err = o.measureBlindDrift(ctx, session, d); err != nil {
			return err
		}
	}
	if o.html != "" && o.factory.DryRun == nil {
		if err := o.saveHTML(ctx, d); err != nil {
			return err
		}
	}
	if o.html == "" || o.wantsFields() {
		if err := o.print(d); err != nil {
			return err
		}
	} else if o.output.Quiet && o.html != "-" {
		if err := o.output.PrintLine(o.html); err != nil {
			return err
		}
	}
	return o.gate.Publish(ctx, &o.output, verdicts, nil)
}

// checkFlags returns an error if flags are invalid or have no effect, or if a file must not be written.
func (o *modelsReportOptions) checkFlags() error {
	if err := o.gate.Parse(); err != nil {
		return err
	}
	if len(o.blind) == 0 {
		if err := o.factory.CheckReadingFlags("--blind FILE"); err != nil {
			return err
		}
	}
	if o.html == "" && !o.output.Cmd.Flags().Changed("junit") {
		if err := o.factory.CheckFlagsWithout("--html FILE", "force"); err != nil {
			return err
		}
	}
	if o.html == "-" && o.wantsFields() {
		other := "--fields"
		if o.output.JSON {
			other = "--json"
		}
		return exit.Usagef("--html - and %s both write to standard output", other).WithHint("choose a file with --html FILE")
	}
	if err := o.gate.CheckJUnitFile([]string{o.html}, o.blind...); err != nil {
		return err
	}
	if o.html == "" || o.html == "-" {
		return nil
	}
	for _, in := range o.blind {
		if cli.SameFile(o.html, in) {
			return exit.Usagef("the output \"%s\" is also the input \"%s\"", o.html, in).WithHint("choose another file with --html")
		}
	}
	return cli.CheckOutputPath(o.html, o.force, "choose another file with --html")
}

// wantsFields reports whether the flags ask for the report as JSON or for some of its fields.
func (o *modelsReportOptions) wantsFields() bool { return o.output.JSON || len(o.output.Fields) > 0 }

// measureBlindDrift returns how much the values of the blind file differ from the values of the
// training file of the model.
func (o *modelsReportOptions) measureBlindDrift(ctx context.Context, session *connect.Session, d *report.Document) (*api.DriftReport, error) {
	blind, err := o.layout.OpenInput(ctx, o.factory, true, o.blind...)
	if err != nil {
		return nil, err
	}
	p := &preflight.Preflight{Factory: o.factory, Train: blind}
	defer p.Close()
	d.Dataset.MarkUnused(d.Report.GroupColumn)
	if err := p.CheckAgainstModel(ctx, session.Progress, d.Dataset); err != nil {
		return nil, err
	}
	p.AllowUnreadable() // the report shows unreadable columns instead of failing
	if err := p.DefectError(); err != nil {
		return nil, err
	}
	p.NoteWarnings(&o.output)
	return drift.Measure(d.Dataset, blind.Name, p.TrainProfile, d.Report.ImportantColumns()), nil
}

// saveHTML writes the report as HTML to a file or to standard output.
func (o *modelsReportOptions) saveHTML(ctx context.Context, d *report.Document) error {
	write := func(w io.Writer) error { return htmlreport.Write(w, htmlreport.New(d), o.factory.Now) }
	if o.html == "-" {
		return write(o.factory.Console.Out)
	}
	err := cli.WriteFileAtomic(ctx, o.html, o.force, write)
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if err != nil {
		return exit.Errorf(exit.Unexpected, "cannot write the report to %s: %w", o.html, err).WithHint("choose another file with --html")
	}
	o.output.Note("the report is in %s", o.html)
	return nil
}

// reportWidth is the maximum width of a report.
const reportWidth = 80

// print prints a report as text or, if the flags ask for that, as JSON or as fields.
func (o *modelsReportOptions) print(d *report.Document) error {
	if o.output.Quiet || o.wantsFields() {
		return cli.PrintItem(&o.output, &modelReport{d.Report, report.Verdict(d.Report), d.Cautions(), d.Steps(), d.Report.PRAUCClass(), d.Drift}, "modelKey")
	}
	console, width := o.factory.Console, reportWidth
	if console.OutTerminal {
		width = min(width, console.OutWidth())
	}
	var text bytes.Buffer
	if err := report.WriteText(&text, d, width); err != nil {
		return err
	}
	fitted := term.EscapeLines(text.String())
	if console.OutTerminal {
		fitted = term.WrapLines(fitted, console.OutWidth())
	}
	_, err := fmt.Fprint(console.Out, fitted)
	return err
}
