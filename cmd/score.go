package cmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/gate"
	"foretell/internal/humanize"
	"foretell/internal/receipt"
	"foretell/internal/report"
	"foretell/internal/scoring"
	"foretell/internal/term"
)

type scoreOptions struct {
	output output
	layout layoutFlags
	host   *factory

	columns scoring.Options
	metric  string
}

func newScoreCmd(f *factory) *cobra.Command {
	opts := &scoreOptions{host: f}
	cmd := &cobra.Command{
		Use: "score PREDICTIONS ANSWERS", Short: "Score predictions against the true labels",
		Long: `Compares a file of predictions with a file of the true labels: every metric with
its 95 % interval, each class, the confusion matrix, and the baseline of always
predicting the most frequent class.

Predictions of any program can be scored: a CSV with a column named prediction, or
with two columns, the ID and the prediction. rocAuc and logLoss need a
probability_<class> column for each class.

Rows are joined by the ID, whatever their order: the first column of PREDICTIONS,
and the column of that name in ANSWERS, else its first. IDs that only one file
has are an error. It works offline.

In a pipe each score is one line: metric, value, low, high, rows. With --quiet only
the value of --metric is printed.`,
		Example: `  foretell score blind.predictions.csv answers.csv
  foretell score blind.predictions.csv answers.csv --metric rocAuc --quiet
  foretell score submission.csv answers.csv --id ID --label class --json`,
		Args: positionalArgs("PREDICTIONS", "ANSWERS"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1]) },
	}
	opts.output.bindItem(cmd, f, resultType[scoring.Result]())
	cmd.Flags().Lookup("quiet").Usage = "print only the value of --metric; no notices"
	opts.layout.bindFormat(cmd)
	flags := cmd.Flags()
	flags.StringVar(&opts.columns.Label, "label", "", "`column` of ANSWERS with the true labels (default the one that PREDICTIONS lacks, else the last)")
	flags.StringVar(&opts.columns.ID, "id", "", "`column` that both files are joined by (default the first)")
	flags.StringVar(&opts.columns.Prediction, "prediction", "", "`column` of PREDICTIONS with the predicted labels (default prediction)")
	flags.BoolVar(&opts.columns.InOrder, "in-order", false, "join the rows by their order instead of an ID")
	flags.StringVar(&opts.metric, "metric", api.MetricAccuracy, "the `metric` that --quiet prints: "+strings.Join(scoring.Metrics, ", "))
	cmd.MarkFlagsMutuallyExclusive("id", "in-order")
	completeValues(cmd, "metric", scoring.Metrics...)
	return cmd
}

func (o *scoreOptions) run(ctx context.Context, predictions, answers string) error {
	if err := checkMetric(o.metric, scoring.Metrics); err != nil {
		return err
	}
	if err := checkOneStdin(predictions, answers); err != nil {
		return err
	}
	result, err := o.score(ctx, predictions, answers)
	if err != nil {
		return err
	}
	switch {
	case o.output.json || len(o.output.fields) > 0:
		return printItem(&o.output, result, "accuracy")
	case o.output.quiet:
		figure := result.Figure(o.metric)
		if figure == nil {
			return exitErrorf(ExitRejected, "%s was not measured", o.metric).
				withHint("it needs a probability_<class> column for each class, and rows of more than one class")
		}
		return o.output.printLine(strconv.FormatFloat(figure.Value, 'f', 4, 64))
	case !o.host.console.OutTerminal:
		return o.output.printTable(figureTable(result))
	}
	return printScore(&o.output, result)
}

// score opens and scores the files.
func (o *scoreOptions) score(ctx context.Context, predictions, answers string) (*scoring.Result, error) {
	files := &scoreFiles{host: o.host, layout: &o.layout}
	defer files.Close()
	if rec, err := receipt.Read(predictions + ".receipt.json"); err == nil && rec.Options != nil {
		o.columns.ModelLabel = rec.Options.Label
	}
	left, err := files.open(ctx, scoring.Predictions, predictions)
	if err != nil {
		return nil, err
	}
	right, err := files.open(ctx, scoring.Answers, answers)
	if err != nil {
		return nil, err
	}
	result, err := scoring.Score(ctx, left, right, o.columns)
	return result, files.fileError(err)
}

// figureTable returns every score, one per row.
func figureTable(r *scoring.Result) *term.Table {
	t := &term.Table{}
	for _, name := range []string{"metric", "value", "low", "high", "rows"} {
		t.Header = append(t.Header, term.Cell{Text: name})
	}
	add := func(name string, f *scoring.Figure, rows int) {
		row := []term.Cell{{Text: name}, {}, {}, {}, {Text: strconv.Itoa(rows)}}
		if f != nil {
			row[1] = scoreCell(f.Value)
			if f.Low != nil {
				row[2], row[3] = scoreCell(*f.Low), scoreCell(*f.High)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for _, name := range scoring.Metrics {
		add(name, r.Figure(name), r.Rows)
	}
	add("baseline", &scoring.Figure{Value: r.Baseline.Accuracy}, r.Rows)
	for _, c := range r.Classes {
		add(gate.Precision+"["+c.Label+"]", c.Precision, c.Rows)
		add(gate.Recall+"["+c.Label+"]", c.Recall, c.Rows)
		add(gate.F1+"["+c.Label+"]", c.F1, c.Rows)
	}
	return t
}

// printScore prints a result on a terminal.
func printScore(o *output, r *scoring.Result) error {
	t := &term.Table{Right: []bool{false, true}}
	t.Header = []term.Cell{{Text: humanize.Count(r.Rows, "row")}, {Text: r.Label}, {Text: "95 % interval"}}
	for _, name := range scoring.Metrics {
		t.Rows = append(t.Rows, []term.Cell{{Text: name}, figureCell(r.Figure(name)), intervalCell(r.Figure(name))})
	}
	t.Rows = append(t.Rows, []term.Cell{{Text: fmt.Sprintf("always %q", r.Baseline.Label)}, scoreCell(r.Baseline.Accuracy), {Text: "accuracy, the baseline"}})
	if err := o.printTable(t); err != nil {
		return err
	}
	fmt.Fprintln(o.host.console.Out)
	if err := o.printTable(classTable(r)); err != nil {
		return err
	}
	if len(r.Classes) > report.MaxConfusionClasses {
		o.note("--json has the confusion matrix of %d classes", len(r.Classes))
		return nil
	}
	fmt.Fprintln(o.host.console.Out)
	return o.printTable(confusionTable(r))
}

// classTable returns the scores of each class.
func classTable(r *scoring.Result) *term.Table {
	t := &term.Table{Right: []bool{false, true, true, false, true, false, true, false}}
	for _, name := range []string{"class", "rows", gate.Precision, "95 %", gate.Recall, "95 %", gate.F1, "95 %"} {
		t.Header = append(t.Header, term.Cell{Text: name})
	}
	for _, c := range r.Classes {
		row := []term.Cell{{Text: c.Label}, {Text: strconv.Itoa(c.Rows)}}
		for _, f := range []*scoring.Figure{c.Precision, c.Recall, c.F1} {
			row = append(row, figureCell(f), narrowInterval(f))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// confusionTable counts the rows by their true and predicted class.
func confusionTable(r *scoring.Result) *term.Table {
	t := &term.Table{Header: []term.Cell{{Text: "true \\ predicted"}}, Right: []bool{false}}
	for i, c := range r.Classes {
		t.Header, t.Right = append(t.Header, term.Cell{Text: c.Label}), append(t.Right, true)
		row := []term.Cell{{Text: c.Label}}
		for _, n := range r.Confusion[i] {
			row = append(row, term.Cell{Text: strconv.Itoa(n)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// figureCell formats a score; nil as a dash.
func figureCell(f *scoring.Figure) term.Cell {
	if f == nil {
		return term.Cell{Text: "-"}
	}
	return scoreCell(f.Value)
}

// intervalCell formats the interval of a score; "" if there is none.
func intervalCell(f *scoring.Figure) term.Cell {
	if f == nil || f.Low == nil {
		return term.Cell{}
	}
	return term.Cell{Text: fmt.Sprintf("%.4f–%.4f", *f.Low, *f.High), Short: narrowInterval(f).Text}
}

// narrowInterval is intervalCell for a table of many columns.
func narrowInterval(f *scoring.Figure) term.Cell {
	if f == nil || f.Low == nil {
		return term.Cell{}
	}
	return term.Cell{Text: (&api.Interval{Low: *f.Low, High: *f.High}).String()}
}
