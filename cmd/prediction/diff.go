package prediction

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/humanize"
	"foretell/internal/preflight"
	"foretell/internal/report"
	"foretell/internal/scoring"
	"foretell/internal/term"
)

type predictionsDiffOptions struct {
	output  cli.Output
	layout  preflight.LayoutFlags
	factory *cli.Factory

	scoring scoring.Options
	answers string
}

func newPredictionsDiffCmd(f *cli.Factory) *cobra.Command {
	opts := &predictionsDiffOptions{factory: f}
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two files of predictions row by row, offline",
		Long: `Compares two files of predictions for the same rows. The rows are joined by their IDs,
which are compared as by ` + "`foretell score`" + `. If one of the files has no ID column, the rows
are joined by their order, and the command prints a note. The ID column of B is the column
with the same name as the ID column of A or, without such a column, the first column.

The command shows which rows are predicted differently, how many rows changed from one
class to another, and in which rows the probabilities differ most. With --answers, it
also shows how many predictions of each file are right, and the p-value of McNemar's
exact test. The rows of A are joined with the answers as by ` + "`foretell score`" + `, even if
B has no ID column. Rows without a label are left out.

With --answers, the flags --delimiter, --encoding, --sheet and --skip-rows describe the
answers. The layout of A and B is detected; --encoding also applies to A and B if they
are not Unicode. Without --answers, the flags describe A and B.

In a pipe, the command prints one line for each row that is predicted differently. The
columns are id, from and to, and with --answers also truth.`,
		Example: `  foretell predictions diff old.csv new.csv
  foretell predictions diff old.csv new.csv --answers answers.csv`,
		Args:              cli.PositionalArgs("A", "B"),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE:              func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1]) },
	}
	opts.output.BindItem(cmd, f, cli.ResultType[scoring.Difference]())
	cmd.Flags().Lookup("quiet").Usage = "print only the number of rows that are predicted differently"
	opts.layout.BindAnswersFormat(cmd, "the answers")
	flags := cmd.Flags()
	flags.StringVar(&opts.answers, "answers", "", "`FILE` with the true labels")
	flags.StringVar(&opts.scoring.Label, "label", "", "`column` of the answers with the true labels (default the column that A lacks, or else the last column)")
	flags.StringVar(&opts.scoring.ID, "id", "", "`column` that the files are joined by (default the first, see above)")
	flags.BoolVar(&opts.scoring.InOrder, "in-order", false, "join the rows by their order instead of an ID, without comparing the columns of A and the answers")
	cmd.MarkFlagsMutuallyExclusive("id", "in-order")
	return cmd
}

func (o *predictionsDiffOptions) run(ctx context.Context, first, second string) error {
	if o.answers == "" {
		if err := o.factory.CheckFlagsWithout("--answers FILE", "label"); err != nil {
			return err
		}
	}
	if err := preflight.CheckOneStdin(first, second, o.answers); err != nil {
		return err
	}
	d, err := o.compare(ctx, first, second)
	if err != nil {
		return err
	}
	switch {
	case o.output.JSON || len(o.output.Fields) > 0:
		return cli.PrintItem(&o.output, d, "rows")
	case o.output.Quiet:
		return o.output.PrintLine(strconv.Itoa(len(d.ChangedRows)))
	}
	if o.factory.Console.OutTerminal {
		return o.print(d)
	}
	return o.output.PrintTable(report.ChangedRowsTable(d))
}

// compare opens two files of predictions, and returns how their predictions differ. With --answers,
// it also scores both.
func (o *predictionsDiffOptions) compare(ctx context.Context, first, second string) (*scoring.Difference, error) {
	files := &scoreFiles{factory: o.factory, layout: &o.layout, hasAnswers: o.answers != ""}
	defer files.Close()
	var readers [3]io.Reader
	paths := map[scoring.FileRole]string{scoring.Predictions: first, scoring.SecondPredictions: second, scoring.Answers: o.answers}
	for i, file := range []scoring.FileRole{scoring.Predictions, scoring.SecondPredictions, scoring.Answers} {
		if paths[file] == "" {
			continue
		}
		reader, err := files.open(ctx, file, paths[file])
		if err != nil {
			return nil, err
		}
		readers[i] = reader
	}
	if rec := readReceiptOf(ctx, first, &o.output); rec != nil {
		o.scoring.Classes = rec.Classes
	}
	if rec := readReceiptOf(ctx, second, &o.output); rec != nil {
		o.scoring.SecondClasses = rec.Classes
	}
	d, err := scoring.Diff(ctx, readers[0], readers[1], readers[2], o.scoring)
	if err == nil {
		noteJoinByOrder(&o.output, d.OrderReason)
		if note := d.IDNumbers.Note(); note != "" {
			o.output.Note("%s", note)
		}
		if d.Truth != nil && d.Truth.UnlabelledRows > 0 {
			o.output.Note("%s", scoring.UnlabelledNote(d.Truth.UnlabelledRows))
		}
	}
	return d, files.fileError(err)
}

// print shows a difference on a terminal.
func (o *predictionsDiffOptions) print(d *scoring.Difference) error {
	w := o.factory.Console.Out
	fmt.Fprintf(w, "%d of %s predicted differently\n", len(d.ChangedRows), humanize.Count(d.Rows, "row"))
	if t := d.Truth; t != nil {
		fmt.Fprintf(w, "right: both %d, only A %d, only B %d, neither %d; McNemar's test p = %.3g\n",
			t.BothRight, t.OnlyFirst, t.OnlySecond, t.NeitherRight, t.PValue)
	}
	if len(d.LabelChanges) > 0 {
		t := &term.Table{Header: term.TextCells("from", "to", "rows"), Right: []bool{false, false, true}}
		for _, c := range d.LabelChanges {
			t.Rows = append(t.Rows, term.TextCells(c.From, c.To, strconv.Itoa(c.Rows)))
		}
		fmt.Fprintln(w)
		if err := o.output.PrintTable(t); err != nil {
			return err
		}
	}
	if len(d.ProbabilityChanges) > 0 {
		t := &term.Table{Header: term.TextCells("id", "probability of", "A", "B", "change"), Right: []bool{false, false, true, true, true}}
		for _, m := range d.ProbabilityChanges {
			t.Rows = append(t.Rows, append(term.TextCells(m.ID, m.Class), report.ScoreCell(m.From), report.ScoreCell(m.To), term.Cell{Text: fmt.Sprintf("%+.4f", m.To-m.From)}))
		}
		fmt.Fprintln(w)
		if err := o.output.PrintTable(t); err != nil {
			return err
		}
	}
	if len(d.ChangedRows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	shown := *d
	if shown.ChangedRows = d.ChangedRows[:min(len(d.ChangedRows), report.MaxChangedRows)]; len(d.ChangedRows) > report.MaxChangedRows {
		defer o.output.Note("%s not shown; --json prints all", humanize.Count(len(d.ChangedRows)-report.MaxChangedRows, "more row"))
	}
	return o.output.PrintTable(report.ChangedRowsTable(&shown))
}
