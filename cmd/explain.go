package cmd

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/learn"
	"foretell/internal/modelfile"
	"foretell/internal/preflight"
	"foretell/internal/term"
)

type explainOptions struct {
	wait    connect.WaitFlags
	output  cli.Output
	layout  preflight.LayoutFlags
	factory *cli.Factory

	model string // a model file; "" if the first argument refers to a model
	class string
	top   int
}

func newExplainCmd(f *cli.Factory) *cobra.Command {
	opts := &explainOptions{factory: f}
	cmd := &cobra.Command{
		Use: "explain REF BLIND [ROW]...", Short: "Show what each column adds to a prediction",
		Long: `Predicts rows of a blind CSV and shows what each column adds to the probability of
the predicted class, or of --class. The contributions are Shapley values of the
model that ships, calibrated and blended. They add up to the difference between the
probability and its mean over 32 to 64 rows of the training file, which the model
keeps for this purpose. They say how the model came to its prediction, not what
causes the label.

REF refers to a model as in ` + "`foretell models`" + `. With --model FILE, which is a file of
` + "`foretell models export`" + `, the first argument is BLIND, and no service is needed. The
model of a service is downloaded, and the rows stay on this machine.

ROW is the number of a row, from 1 and without the header, or a range such as 3-7.
Without it all rows are explained. On a terminal each row shows the 10 columns with
the largest contributions, or those of --top. A bar of + stands for a column that
makes the class more probable, a bar of - for one that makes it less probable. In a
pipe and with --csv each line has one column of one row.`,
		Example: `  foretell explain train@champion blind.csv 1 5-7
  foretell explain train@champion blind.csv 1 --class yes --top 3
  foretell explain --model train.model blind.csv --csv > contributions.csv`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.wait.ServiceFlags.Bind(cmd, f)
	opts.wait.BindProgress(cmd)
	opts.output.BindList(cmd, f, cli.ResultType[explainedRow]())
	opts.layout.Bind(cmd)
	flags := cmd.Flags()
	flags.StringVar(&opts.model, "model", "", "model `FILE` to explain with, without a service")
	flags.StringVar(&opts.class, "class", "", "`label` whose probability is explained (default the predicted one of each row)")
	flags.IntVar(&opts.top, "top", 10, "`number` of columns to show for each row on a terminal; 0 shows all")
	cmd.ValidArgsFunction = opts.wait.CompleteReference(connect.ListModelRefs)
	return cmd
}

// explainedRow is the explanation of one row.
type explainedRow struct {
	Row int    `json:"row"`
	ID  string `json:"id"`
	// Class is the explained class, and Base the mean of its probability over the
	// background rows.
	Class         string               `json:"class"`
	Probability   float64              `json:"probability"`
	Base          float64              `json:"base"`
	Contributions []columnContribution `json:"contributions"` // largest first
}

// columnContribution is what a column adds to a probability.
type columnContribution struct {
	Column       string  `json:"column"`
	Value        string  `json:"value"`
	Contribution float64 `json:"contribution"`
}

func (o *explainOptions) run(ctx context.Context, args []string) error {
	ref := ""
	if o.model == "" && len(args) > 0 {
		ref, args = args[0], args[1:]
	}
	if len(args) == 0 {
		return exit.Usagef("missing argument BLIND").WithHint("name the model and the file, as in `foretell explain train@champion blind.csv`")
	}
	if o.top < 0 {
		return exit.Usagef("invalid --top %d: must be at least 1, or 0 for all columns", o.top)
	}
	wanted, err := parseRows(args[1:])
	if err != nil {
		return err
	}
	ctx, progress, done, err := o.wait.StartProgress(ctx)
	if err != nil {
		return err
	}
	defer done()
	model, err := o.readModel(ctx, ref)
	if err != nil {
		return err
	}
	class := slices.Index(model.Schema().Classes, o.class)
	if o.class != "" && class < 0 {
		return exit.Usagef("the model has no class %q", o.class).WithHint("the classes are %s", strings.Join(model.Schema().Classes, ", "))
	}
	blind, err := o.layout.OpenInput(ctx, o.factory, true, args[0])
	if err != nil {
		return err
	}
	defer blind.Close()
	p := &preflight.Preflight{Host: o.factory, Train: blind}
	if err := p.CheckAgainstModel(ctx, progress, modelfile.Dataset(model)); err != nil {
		return err
	}
	if err := p.DefectError(); err != nil {
		return err
	}
	if last := wanted.last(); last > p.TrainProfile.Rows {
		return exit.Usagef("there is no row %d: %s has only %s", last, blind.Name, humanize.Count(p.TrainProfile.Rows, "row"))
	}
	rows, err := o.explain(ctx, model, blind, learn.ExplainOptions{Class: class + 1}, wanted)
	if err != nil {
		return err
	}
	return o.print(rows)
}

// readModel reads the model file or downloads the model that ref refers to.
func (o *explainOptions) readModel(ctx context.Context, ref string) (*learn.Model, error) {
	if ref == "" {
		return modelfile.Read(o.model)
	}
	session, err := o.wait.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	key, err := session.ModelKey(ctx, ref)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "foretell-model-")
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	if _, err := session.DownloadModel(ctx, key, file); err != nil {
		return nil, err
	}
	return modelfile.Read(file.Name())
}

// explain explains the wanted rows of the blind file.
func (o *explainOptions) explain(
	ctx context.Context, model *learn.Model, blind *preflight.Input, opts learn.ExplainOptions, wanted rowRanges,
) ([]explainedRow, error) {
	src, err := blind.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	columns := model.Columns()
	var rows []explainedRow
	err = model.ExplainFile(ctx, src, opts, wanted.contains, func(x learn.ExplainedRow) error {
		row := explainedRow{Row: x.Row, ID: x.ID, Class: model.Schema().Classes[x.Class], Probability: x.Probability, Base: x.Base}
		for i, value := range x.Contributions {
			row.Contributions = append(row.Contributions, columnContribution{columns[i], x.Cells[i], value})
		}
		slices.SortStableFunc(row.Contributions, func(a, b columnContribution) int {
			return cmp.Compare(max(b.Contribution, -b.Contribution), max(a.Contribution, -a.Contribution))
		})
		rows = append(rows, row)
		return nil
	})
	return rows, explainOldModel(err)
}

// rowRanges are numbers of rows. All rows are meant if there are none.
type rowRanges [][2]int

// parseRows parses arguments such as 3 and 5-7.
func parseRows(args []string) (ranges rowRanges, err error) {
	for _, arg := range args {
		first, last, isRange := strings.Cut(arg, "-")
		if !isRange {
			last = first
		}
		from, errFrom := strconv.Atoi(first)
		to, errTo := strconv.Atoi(last)
		if errFrom != nil || errTo != nil || from < 1 || to < from {
			return nil, exit.Usagef("invalid row %q: want a number from 1, or a range such as 3-7", arg)
		}
		ranges = append(ranges, [2]int{from, to})
	}
	return ranges, nil
}

func (r rowRanges) contains(row int) bool {
	return len(r) == 0 || slices.ContainsFunc(r, func(one [2]int) bool { return one[0] <= row && row <= one[1] })
}

// last returns the highest row, or 0 for all rows.
func (r rowRanges) last() int {
	last := 0
	for _, one := range r {
		last = max(last, one[1])
	}
	return last
}

// print prints the rows as JSON, as a table of contributions or, on a terminal, as
// pictures.
func (o *explainOptions) print(rows []explainedRow) error {
	switch {
	case o.output.JSON || len(o.output.Fields) > 0:
		return cli.PrintList(&o.output, rows, "row", "id", "class", "probability")
	case o.output.IsAligned():
		return o.output.WritePaged(bytes.NewBufferString(formatExplanations(rows, o.top, o.factory.Console.OutWidth())))
	}
	t := &term.Table{Header: term.TextCells("row", "id", "class", "probability", "base", "column", "value", "contribution")}
	for _, row := range rows {
		for _, c := range row.Contributions {
			t.Rows = append(t.Rows, term.TextCells(strconv.Itoa(row.Row), row.ID, row.Class, formatFloat(row.Probability),
				formatFloat(row.Base), c.Column, c.Value, formatFloat(c.Contribution)))
		}
	}
	return o.output.PrintTable(t)
}

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
