package cmd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/download"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/learn/model"
	"foretell/internal/modelfile"
	"foretell/internal/preflight"
	"foretell/internal/report"
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
the predicted class, or of --class. The probability is the calibrated one of the final
model, which may be a blend. The contributions of the columns are Shapley values. They
add up to the difference between the row's probability and the mean probability of the
background: 32 to 64 training rows in the model file. Contributions show how the model
came to its prediction, not what causes the label.

REF refers to a model as in ` + "`foretell models`" + `. The model is downloaded, and the rows
stay on this machine. With --model FILE, the command needs no service. FILE is a model
file that ` + "`foretell models export`" + ` has written, and the first argument is BLIND.

ROW is the number of a row, or a range such as 3-7. Row 1 is the first row after the
header. Without ROW, all rows are explained. On a terminal, the 10 columns with the
largest contributions are shown for each row; --top sets another number. A bar of plus
signs means that the column makes the class more probable. A bar of minus signs means
that the column makes the class less probable.

In a pipe and with --csv, each line contains the contribution of one column to one row. All
columns are printed unless --top is set. The lines of a row are printed as soon as the
row is explained.`,
		Example: `  foretell explain train@champion blind.csv 1 5-7
  foretell explain train@champion blind.csv 1 --class yes --top 3
  foretell explain --model train.model blind.csv --csv > contributions.csv`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.wait.ServiceFlags.Bind(cmd, f)
	opts.wait.BindProgress(cmd)
	opts.output.BindList(cmd, f, cli.ResultType[report.ExplainedRow]())
	opts.layout.Bind(cmd, preflight.BlindRoles)
	flags := cmd.Flags()
	flags.Lookup("quiet").Usage = "print only the IDs of the rows; no progress, notices or warnings"
	flags.StringVar(&opts.model, "model", "", "model `FILE` to explain with, without a service; - is standard input")
	flags.StringVar(&opts.class, "class", "", "`label` whose probability is explained (default the predicted label of each row)")
	flags.IntVar(&opts.top, "top", 0, "`number` of columns to show for each row; 0 shows all (default 10 on a terminal, otherwise all)")
	opts.wait.ForbidWithModelFile()
	completeRef := opts.wait.CompleteReference(connect.ListModelRefs)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if opts.model != "" { // there is no REF
			return nil, cli.ArgCompletionDirective(cmd, len(args)+1)
		}
		return completeRef(cmd, args, typed)
	}
	return cmd
}

func (o *explainOptions) run(ctx context.Context, args []string) error {
	ref := ""
	if o.model == "" && len(args) > 0 {
		ref, args = args[0], args[1:]
	}
	if len(args) == 0 {
		return exit.Usagef("missing BLIND").WithHint("name the model and the file, as in `foretell explain train@champion blind.csv`")
	}
	if o.top < 0 {
		return exit.Usagef("invalid --top %d: must be at least 1, or 0 for all columns", o.top)
	}
	wanted, err := parseRows(args[1:])
	if err != nil {
		return err
	}
	if err := preflight.CheckOneStdin(o.model, args[0]); err != nil {
		return err
	}
	ctx, progress, done, err := o.wait.StartProgress(ctx)
	if err != nil {
		return err
	}
	defer done()
	m, dataset, err := o.readModel(ctx, ref)
	if err != nil {
		return err
	}
	class := slices.Index(m.Schema().Classes, o.class)
	if o.class != "" && class < 0 {
		return exit.Usagef("the model has no class %q", o.class).WithHint("the classes are %s", strings.Join(m.Schema().Classes, ", "))
	}
	blind, err := o.layout.OpenInput(ctx, o.factory, true, args[0])
	if err != nil {
		return err
	}
	defer blind.Close()
	p := &preflight.Preflight{Factory: o.factory, Train: blind}
	if err := p.CheckAgainstModel(ctx, progress, dataset); err != nil {
		return err
	}
	p.NoteWarnings(&o.output)
	if err := p.DefectError(); err != nil {
		return err
	}
	if last := wanted.lastRow(); last > p.TrainProfile.Rows {
		return exit.Usagef("there is no row %d: %s has only %s", last, blind.Name, humanize.Count(p.TrainProfile.Rows, "row")).WithHint("rows are numbered from 1, without the header")
	}
	if o.output.IsAligned() && !o.output.Cmd.Flags().Changed("top") {
		o.top = defaultTop
	}
	printer := &explanationPrinter{options: o}
	rows := cmp.Or(wanted.numRows(), p.TrainProfile.Rows)
	opts := model.ExplainOptions{Class: class + 1}
	if err := o.explain(ctx, explainTask{m, blind, opts, wanted, progress, rows}, printer.add); err != nil {
		return err
	}
	return printer.flush()
}

// defaultTop is the default of --top on a terminal: how many columns are shown for each row.
const defaultTop = 10

// readModel downloads and returns the model that ref refers to, and the description of its
// dataset. If ref is "", it reads the model file of --model instead.
func (o *explainOptions) readModel(ctx context.Context, ref string) (m *model.Model, dataset *api.Dataset, err error) {
	if ref == "" {
		path, remove, err := modelfile.LocalCopy(ctx, o.model, o.factory.Console.In)
		if err != nil {
			return nil, nil, err
		}
		defer remove()
		if m, err = modelfile.ReadNamed(path, o.model); err != nil {
			return nil, nil, err
		}
		return m, modelfile.Dataset(m), nil
	}
	session, err := o.wait.Connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer session.Close()
	key, err := session.ModelKey(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	err = download.WithModelFile(ctx, session, key, func(path string) (err error) {
		m, err = modelfile.Read(path)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	dataset, err = session.DatasetOfModel(ctx, key)
	return m, dataset, err
}

// explainTask describes the rows to explain.
type explainTask struct {
	model    *model.Model
	blind    *preflight.InputTable
	options  model.ExplainOptions
	wanted   rowRanges
	progress *term.Progress
	rows     int // number of wanted rows
}

// explain calls yield with the explanation of each wanted row of the blind file. It stops
// reading after the last wanted row.
func (o *explainOptions) explain(ctx context.Context, t explainTask, yield func(report.ExplainedRow) error) error {
	src, err := t.blind.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	var phase *term.Phase
	if !o.factory.Console.OutTerminal || o.output.IsAligned() { // with pictures on a terminal, rows are printed at the end
		phase = t.progress.StartPhase("explaining " + humanize.Count(t.rows, "row"))
		defer phase.Done()
	}
	columns, classes, done := t.model.Columns(), t.model.Schema().Classes, 0
	err = t.model.ExplainFile(ctx, src, t.options, t.wanted.contains, func(x model.ExplainedRow) error {
		if err := yield(newExplainedRow(&x, columns, classes[x.Class])); err != nil {
			return err
		}
		if done++; phase != nil {
			phase.Tick(fmt.Sprintf("%d %%", 100*done/t.rows))
		}
		if x.Row == t.wanted.lastRow() {
			return model.ErrSkipAll
		}
		return nil
	})
	return modelfile.AddOldModelHint(err)
}

func newExplainedRow(x *model.ExplainedRow, columns []string, class string) report.ExplainedRow {
	row := report.ExplainedRow{Row: x.Row, ID: x.ID, Class: class, Probability: x.Probability, Base: x.Base}
	for i, value := range x.Contributions {
		row.Contributions = append(row.Contributions, report.Contribution{Column: columns[i], Value: x.Cells[i], Contribution: value})
	}
	sort.SliceStable(row.Contributions, func(i, j int) bool {
		return math.Abs(row.Contributions[i].Contribution) > math.Abs(row.Contributions[j].Contribution)
	})
	return row
}

// rowRanges are ranges of row numbers. Each element holds the first and the last row number of
// a range. An empty list means all rows.
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
		if errFrom != nil || errTo != nil || from < 1 || to < 1 {
			return nil, exit.Usagef("invalid row %q: must be a row number such as 1, or a range such as 3-7", arg)
		}
		if to < from {
			return nil, exit.Usagef("invalid range %q: must begin with the smaller number, as in %d-%d", arg, to, from)
		}
		ranges = append(ranges, [2]int{from, to})
	}
	return ranges, nil
}

func (r rowRanges) contains(row int) bool {
	return len(r) == 0 || slices.ContainsFunc(r, func(one [2]int) bool { return one[0] <= row && row <= one[1] })
}

// lastRow returns the highest row number in r, or 0 if r means all rows.
func (r rowRanges) lastRow() int {
	last := 0
	for _, one := range r {
		last = max(last, one[1])
	}
	return last
}

// numRows returns the number of rows in r, or 0 if r means all rows.
func (r rowRanges) numRows() (n int) {
	for row := 1; row <= r.lastRow(); row++ {
		if r.contains(row) {
			n++
		}
	}
	return n
}

// explanationPrinter prints explained rows as JSON, as a table of contributions or, on a terminal,
// as pictures (bar charts). It prints each row as soon as it is added, with two exceptions:
// pictures, which may be shown in a pager, and JSON with filters or selected fields are printed at
// the end.
type explanationPrinter struct {
	options  *explainOptions
	rows     int
	pictures strings.Builder
	selected []report.ExplainedRow
}

// add prints a row, or keeps it until [explanationPrinter.flush] prints all rows.
func (p *explanationPrinter) add(row report.ExplainedRow) error {
	o := p.options
	p.rows++
	if p.printsPictures() {
		if p.rows > 1 {
			p.pictures.WriteByte('\n')
		}
		report.WriteExplanation(&p.pictures, &row, o.top, o.factory.Console.OutWidth())
		return nil
	}
	if o.top > 0 {
		row.Contributions = row.Contributions[:min(o.top, len(row.Contributions))]
	}
	switch {
	case p.selectsFields():
		p.selected = append(p.selected, row)
		return nil
	case o.output.JSON:
		return p.printJSON(&row)
	case o.output.Quiet:
		return o.output.PrintLine(term.Escape(row.ID))
	}
	t := &term.Table{}
	if p.rows == 1 {
		t.Header = term.TextCells("row", "id", "class", "probability", "base", "column", "value", "contribution")
	}
	for _, c := range row.Contributions {
		t.Rows = append(t.Rows, term.TextCells(strconv.Itoa(row.Row), row.ID, row.Class, formatExact(row.Probability),
			formatExact(row.Base), c.Column, c.Value, formatExact(c.Contribution)))
	}
	return o.output.PrintTable(t)
}

// printsPictures reports whether the rows are printed as pictures, as on a terminal.
func (p *explanationPrinter) printsPictures() bool {
	o := &p.options.output
	return o.IsAligned() && !o.JSON && !o.Quiet && !p.selectsFields()
}

// selectsFields reports whether flags filter the JSON or select its fields.
func (p *explanationPrinter) selectsFields() bool {
	return len(p.options.output.Fields) > 0 || p.options.output.Filter != nil
}

// printJSON prints a row as an element of a JSON array. [explanationPrinter.flush] prints the end of
// the array.
func (p *explanationPrinter) printJSON(row *report.ExplainedRow) error {
	text, err := term.EncodeJSON([]*report.ExplainedRow{row})
	if err != nil {
		return err
	}
	if p.rows > 1 {
		text = append([]byte(","), bytes.TrimPrefix(text, []byte("["))...)
	}
	_, err = p.options.factory.Console.Out.Write(bytes.TrimSuffix(text, []byte("\n]\n")))
	return err
}

// flush prints the rows that add has kept, or the end of the JSON array that printJSON has begun.
func (p *explanationPrinter) flush() error {
	switch o := p.options; {
	case p.printsPictures():
		return o.output.WritePaged(bytes.NewBufferString(p.pictures.String()))
	case p.selectsFields():
		return cli.PrintList(&o.output, p.selected, "row", "id", "class", "probability")
	case o.output.JSON:
		return o.output.PrintLine("\n]")
	}
	return nil
}

func formatExact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
