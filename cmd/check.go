package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/preflight"
	"foretell/internal/term"
)

type checkOptions struct {
	factory *cli.Factory
	output  cli.Output
	layout  preflight.LayoutFlags
	wait    connect.WaitFlags
	fixes   preflight.FixFlags

	blind     []string
	blindOnly bool
}

func newCheckCmd(f *cli.Factory) *cobra.Command {
	opts := &checkOptions{factory: f}
	cmd := &cobra.Command{
		Use:   "check FILE [BLIND] | check FILE... --blind BLIND...",
		Short: "Profile a CSV and report what the service would reject, offline",
		Long: `Reads a training file and, if one is named, a blind file. Reports what each column
contains, how the two files differ, and each defect with its line, its column and
what to do about it. If there is a defect, the exit status is 6. Warnings do not
change the exit status.

The command is offline, so it does not know the label and the ID column of a series, which
` + "`foretell run`" + ` may use. Set them with --label and --id.

--fix writes a corrected copy of FILE, and --fix-blind a corrected copy of BLIND. A
copy is a CSV in UTF-8 with commas and one header. The ID is the first column and the
label the last. Every row has an ID and the same number of fields. The copy of BLIND
contains the features of the training file, followed by the other columns of BLIND. The
label is left out.

If the numbers of BLIND have another decimal separator than those of FILE,
--swap-separators exchanges the points and commas of the named columns in the copy.

For each kind of change, the command reports the number of changes and the line of the
first one. Rows without a label, and rows whose fields cannot be separated, are not in
the copy of a training file. The copy of a blind file contains all rows, except rows of
empty cells, repeated headers, and lines of units without an ID. If something cannot be
corrected, no copy is written and the exit status is 6. FILE and BLIND are never changed.`,
		Example: `  foretell check train.csv blind.csv
  foretell check raw.csv blind.csv --fix fixed.csv --fix-blind rows.csv
  foretell check export.csv --label churned --id customer --fix fixed.csv`,
		Args: cli.PositionalArgs("FILE", "[FILE]..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.output.BindItem(cmd, f, cli.ResultType[preflight.Report]())
	opts.layout.Bind(cmd, preflight.BothFilesRoles)
	opts.wait.Factory, opts.wait.Cmd = f, cmd
	opts.wait.BindProgress(cmd)
	opts.fixes.Bind(cmd)
	cmd.Flags().BoolVar(&opts.blindOnly, "no-label", false, "FILE is a blind file, without a label column")
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE`; if repeated, the files are joined into one table, as training files are")
	cmd.MarkFlagsMutuallyExclusive("no-label", "label")
	return cmd
}

func (o *checkOptions) run(ctx context.Context, args []string) error {
	ctx, progress, cancel, err := o.wait.StartProgress(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if n := len(args) + len(o.blind); o.blindOnly && n > 1 {
		return exit.Usagef("--no-label needs exactly one file, got %d", n).
			WithHint("check each blind file separately, or omit --no-label if FILE is a training file")
	}
	train, blind := args, o.blind
	if len(blind) == 0 {
		train, blind = args[:1], args[1:]
	}
	if len(args) > 2 && len(o.blind) == 0 {
		last := len(args) - 1
		return exit.Usagef("too many files: without --blind, check takes only one FILE and one BLIND").
			WithHint("to check several training files as one table, give the blind file with --blind: `%s`", term.Command("check", "--blind "+term.ShellQuote(args[last]), args[:last]...))
	}
	if err := o.fixes.CheckCopies(o.blindOnly); err != nil {
		return err
	}
	if err := preflight.CheckOneStdin(slices.Concat(train, blind)...); err != nil {
		return err
	}
	if !o.factory.Console.Redraw && o.wait.ProgressIsAuto() {
		progress = o.factory.Console.NewProgress(term.None, o.factory.Now) // in a log, where no line can be redrawn, progress only adds lines
	}
	p := &preflight.Preflight{Factory: o.factory}
	defer p.Close()
	if p.Train, err = o.layout.OpenInput(ctx, o.factory, o.blindOnly, train...); err != nil {
		return err
	}
	if len(blind) > 0 {
		if p.Blind, err = o.layout.OpenInput(ctx, o.factory, true, blind...); err != nil {
			return err
		}
	}
	if o.fixes.IsSet() {
		return o.fix(ctx, progress, p)
	}
	if err := p.Run(ctx, progress); err != nil {
		return err
	}
	p.NoteRoles(&o.output)
	if err := o.printer().Print(p.Report()); err != nil {
		return err
	}
	return o.printer().DefectError(p)
}

// printer returns a printer that writes the report to the command's output.
func (o *checkOptions) printer() *preflight.ReportPrinter {
	return &preflight.ReportPrinter{Factory: o.factory, Output: &o.output}
}

// fix writes corrected copies of the files under temporary names, checks the copies, and
// then renames them to the names that the user chose.
func (o *checkOptions) fix(ctx context.Context, progress *term.Progress, p *preflight.Preflight) error {
	if err := o.fixes.CheckPaths(p); err != nil {
		return err
	}
	if err := p.InferRolesAndLayouts(ctx); err != nil {
		return err
	}
	p.Findings = nil // report only the defects that remain in the copies
	r := &preflight.Repairer{Preflight: p, Progress: progress, SwapSeparators: o.fixes.SwapSeparators}
	defer r.Discard()
	if err := r.FixAndCheckTrain(ctx, o.fixes.Train); err != nil {
		return err
	}
	if p.Blind != nil {
		if err := r.FixAndCheckBlind(ctx, o.fixes.Blind); err != nil {
			return err
		}
	}
	if err := r.Install(o.fixes.Force); err != nil {
		return err
	}
	report := p.Report()
	report.Changes = r.Changes
	if o.output.Quiet && !o.output.JSON {
		for _, c := range r.Copies {
			fmt.Fprintln(o.factory.Console.Out, c.Path)
		}
	} else if err := o.printer().Print(report); err != nil {
		return err
	}
	return o.printer().DefectError(p)
}
