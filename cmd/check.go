package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/term"
)

type checkOptions struct {
	host   *host
	output output
	shaper shaper
	waiter waiter
	fixer  fixer

	blindOnly bool
}

func newCheckCmd(h *host) *cobra.Command {
	opts := &checkOptions{host: h}
	cmd := &cobra.Command{
		Use:   "check FILE [BLIND]",
		Short: "Profile a CSV and find what the service would reject, without network",
		Long: `Reads a training file, and a blind file if one is named, once each, and tells
what the columns hold, each defect with its line and column and what to do
about it, and how the two files differ. A defect is exit status 6; warnings
are not.

With --fix a corrected copy of FILE is written, with --fix-blind one of BLIND:
UTF-8, commas, one header, ID first and label last, an ID and as many fields
for every row, the blind file's columns as in the training file and without
its label. Every change is told with how often and where first; rows without a
label and rows whose fields cannot be told apart are left out of a training
file, never of a blind one. What cannot be put right is still exit status 6,
and then no copy is written. The files themselves are never touched.`,
		Example: `  foretell check train.csv blind.csv
  foretell check raw.csv blind.csv --fix train.csv --fix-blind rows.csv
  foretell check export.csv --label churned --id customer --fix train.csv`,
		Args: takes("FILE", "[BLIND]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.output.bindItem(cmd, h, prints[checkReport]())
	opts.shaper.bind(cmd)
	opts.waiter.host, opts.waiter.cmd = h, cmd
	opts.waiter.bindProgress(cmd)
	opts.fixer.bind(cmd)
	cmd.Flags().BoolVar(&opts.blindOnly, "no-label", false, "FILE is a blind file: it has no label column")
	cmd.MarkFlagsMutuallyExclusive("no-label", "label")
	return cmd
}

func (o *checkOptions) run(ctx context.Context, args []string) error {
	ctx, progress, cancel, err := o.waiter.start(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if o.blindOnly && len(args) > 1 {
		return usage("--no-label is for a blind file alone")
	}
	if err := oneStdin(args...); err != nil {
		return err
	}
	if !o.host.console.Redraw && o.waiter.progressIsOpen() {
		progress = o.host.console.NewProgress(term.None, o.host.now) // seconds of work are no news in a log
	}
	p := &preflight{}
	defer p.Close()
	if p.train, err = o.shaper.input(o.host, args[0], o.blindOnly); err != nil {
		return err
	}
	if len(args) > 1 {
		if p.blind, err = o.shaper.input(o.host, args[1], true); err != nil {
			return err
		}
	}
	if o.fixer.asked() {
		return o.fix(ctx, progress, p)
	}
	if err := p.run(ctx, progress); err != nil {
		return err
	}
	if err := o.print(p.report()); err != nil {
		return err
	}
	return p.verdict()
}
