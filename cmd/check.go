package cmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"foretell/internal/term"
)

type checkOptions struct {
	host   *factory
	output output
	layout layoutFlags
	wait   waitFlags
	fixes  fixFlags

	blind     []string
	blindOnly bool
}

func newCheckCmd(f *factory) *cobra.Command {
	opts := &checkOptions{host: f}
	cmd := &cobra.Command{
		Use:   "check FILE [BLIND] | check FILE... --blind BLIND...",
		Short: "Profile a CSV and report what the service would reject, offline",
		Long: `Reads a training file, and a blind file if one is named. Reports what each column
holds, how the two files differ, and each defect with its line, its column and
what to do about it. The exit status is 6 if there is a defect. Warnings do not
change it.

--fix writes a corrected copy of FILE, --fix-blind one of BLIND. A copy is UTF-8
with commas and one header. The ID comes first and the label last. Every row has
an ID and the same number of fields. The blind file gets the columns of the
training file, without the label.

Each kind of change is reported with its number and its first line. Rows without a
label, and rows whose fields cannot be separated, are dropped from a training
file, never from a blind one. If something cannot be corrected, no copy is written
and the exit status is 6. The files themselves are never changed.`,
		Example: `  foretell check train.csv blind.csv
  foretell check raw.csv blind.csv --fix fixed.csv --fix-blind rows.csv
  foretell check export.csv --label churned --id customer --fix fixed.csv`,
		Args: positionalArgs("FILE", "[FILE]..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.output.bindItem(cmd, f, resultType[checkReport]())
	opts.layout.bind(cmd)
	opts.wait.host, opts.wait.cmd = f, cmd
	opts.wait.bindProgress(cmd)
	opts.fixes.bind(cmd)
	cmd.Flags().BoolVar(&opts.blindOnly, "no-label", false, "FILE is a blind file: it has no label column")
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE`; repeat it, or name several FILEs, to join them into one table")
	cmd.MarkFlagsMutuallyExclusive("no-label", "label")
	return cmd
}

func (o *checkOptions) run(ctx context.Context, args []string) error {
	ctx, progress, cancel, err := o.wait.start(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if o.blindOnly && len(args)+len(o.blind) > 1 {
		return usageErrorf("--no-label takes a single blind file")
	}
	train, blind := args, o.blind
	if len(blind) == 0 {
		train, blind = args[:1], args[1:]
	}
	if len(args) > 2 && len(o.blind) == 0 {
		return usageErrorf("check takes one FILE and one BLIND, or several with --blind").
			withHint("name the blind files with --blind: `foretell check %s %s --blind %s`", shellQuote(args[0]), shellQuote(args[1]), shellQuote(args[2]))
	}
	if err := checkOneStdin(slices.Concat(train, blind)...); err != nil {
		return err
	}
	if !o.host.console.Redraw && o.wait.progressIsAuto() {
		progress = o.host.console.NewProgress(term.None, o.host.now) // seconds of work are no news in a log
	}
	p := &preflight{host: o.host}
	defer p.Close()
	if p.train, err = o.layout.openInput(ctx, o.host, o.blindOnly, train...); err != nil {
		return err
	}
	if len(blind) > 0 {
		if p.blind, err = o.layout.openInput(ctx, o.host, true, blind...); err != nil {
			return err
		}
	}
	if o.fixes.isSet() {
		return o.fix(ctx, progress, p)
	}
	if err := p.run(ctx, progress); err != nil {
		return err
	}
	p.noteRoles(&o.output)
	if err := o.print(p.report()); err != nil {
		return err
	}
	return p.defectError()
}
