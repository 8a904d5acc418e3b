package prediction

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/gate"
	"foretell/internal/humanize"
	"foretell/internal/preflight"
	"foretell/internal/race"
	"foretell/internal/report"
	"foretell/internal/requirement"
	"foretell/internal/scoring"
	"foretell/internal/term"
)

type scoreOptions struct {
	output  cli.Output
	layout  preflight.LayoutFlags
	factory *cli.Factory

	columns scoring.Options
	metric  string
	gate    requirement.Flags
}

// NewScoreCmd returns the command score.
func NewScoreCmd(f *cli.Factory) *cobra.Command {
	opts := &scoreOptions{factory: f}
	cmd := &cobra.Command{
		Use: "score PREDICTIONS ANSWERS", Short: "Score predictions against the true labels",
		Long: `Compares a file of predictions with a file of the true labels, offline. Prints every
metric with its 95 % interval, the scores of each class, the confusion matrix, and
the baseline, which always predicts the most frequent class.

Predictions of any program can be scored. PREDICTIONS is a CSV with a column named
prediction, or a CSV with two columns: the ID and the prediction. The metrics rocAuc,
prAuc and logLoss require a column probability_<class> for each class. With two
classes, one of the two columns is sufficient. For logLoss, a probability below 2⁻²³
counts as 2⁻²³, so a row costs at most 15.94.

With two classes, prAuc is computed for the class with fewer rows in the training file.
The receipt of PREDICTIONS names this class. If no receipt names it, for example after
` + "`foretell predict --model`" + `, prAuc is computed for the class with fewer rows in ANSWERS.
If PREDICTIONS has changed since the receipt was written, the receipt is ignored, with a
note.

Rows of ANSWERS without a label are not scored. If the receipt names the classes of the
model, ANSWERS can contain labels that are not classes of the model. Such a label counts
as no label if it is a text such as NA or ?. A row with any other such label counts as
wrong for accuracy and macroF1; balancedAccuracy, rocAuc, prAuc and logLoss omit the row.

The rows of the two files are joined by their IDs, and can be in any order. The ID is the
first column of PREDICTIONS if ANSWERS has a column of this name, or else the first column
of ANSWERS if PREDICTIONS has a column of this name. If neither is the case, the ID is the
first column of each file. Other columns that are in both files, except the label, must
then have the same values.

If all IDs are integers, and the files write them in different ways, such as 901, 0901 and
901.0, they are compared as numbers, with a note. The exception is an ID with more than 15
digits before .0: then all IDs are compared as texts, because the program that wrote this
ID may have lost its last digits. An ID that is in only one of the files is an error. With
--partial, only the rows whose ID is in both files are scored, and a note shows their
number.

The rows are joined by their order in two cases: PREDICTIONS has no ID column, or foretell
generated its IDs and ANSWERS does not contain them. The command then prints a note.
Columns that are in both files, except the label, must have the same values. --in-order
always joins the rows by their order, and does not compare these columns.

The flags --delimiter, --encoding, --sheet and --skip-rows describe ANSWERS. The layout
of PREDICTIONS is detected; --encoding also applies to PREDICTIONS if that file is not
Unicode.

In a pipe, each score is one line with the columns metric, value, low, high and rows.
With --quiet, only the value of --metric is printed.

With --require, the exit status is 10 if the predictions miss a requirement, as in
` + "`foretell run`" + `. If all answers are of one class, only a requirement on a recall can be
met. A table on standard error lists the requirements if one is missed.`,
		Example: `  foretell score blind.predictions.csv answers.csv
  foretell score blind.predictions.csv answers.csv --metric rocAuc --quiet
  foretell score blind.predictions.csv answers.csv --require 'rocAuc>=0.75' --junit scores.xml
  foretell score submission.csv answers.csv --id ID --label class --json`,
		Args: cli.PositionalArgs("PREDICTIONS", "ANSWERS"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1]) },
	}
	opts.output.BindItem(cmd, f, cli.ResultType[scoring.Result]())
	cmd.Flags().Lookup("quiet").Usage = "print only the value of --metric; no notices"
	opts.layout.BindAnswersFormat(cmd, "ANSWERS")
	flags := cmd.Flags()
	flags.StringVar(&opts.columns.Label, "label", "", "`column` of ANSWERS with the true labels (default the column that PREDICTIONS lacks, or else the last column)")
	flags.StringVar(&opts.columns.ID, "id", "", "`column` that both files are joined by (default the first, see above)")
	flags.StringVar(&opts.columns.Prediction, "prediction", "", "`column` of PREDICTIONS with the predicted labels (default prediction)")
	flags.BoolVar(&opts.columns.InOrder, "in-order", false, "join the rows by their order instead of an ID, without comparing the columns of the files")
	flags.BoolVar(&opts.columns.Partial, "partial", false, "score only the rows whose ID is in both files, for example while labels are still arriving")
	flags.StringVar(&opts.metric, "metric", api.MetricAccuracy, "the `metric` that --quiet prints: "+race.DescribeScoreMetrics())
	opts.gate.BindScores(cmd, f)
	cmd.MarkFlagsMutuallyExclusive("id", "in-order")
	cmd.MarkFlagsMutuallyExclusive("partial", "in-order")
	cli.SetFlagCompletions(cmd, "metric", api.RaceMetrics()...)
	return cmd
}

func (o *scoreOptions) run(ctx context.Context, predictions, answers string) error {
	name, err := race.ParseScoreMetric(o.metric)
	if err != nil {
		return err
	}
	if err := cmp.Or(preflight.CheckOneStdin(predictions, answers), o.gate.Parse(), o.gate.CheckJUnitFile(nil, predictions, answers)); err != nil {
		return err
	}
	if !o.output.Quiet {
		if err := o.factory.CheckFlagsWithout("--quiet", "metric"); err != nil {
			return err
		}
	}
	result, err := o.score(ctx, predictions, answers)
	if err != nil {
		return err
	}
	name = result.MetricName(name)
	if err := checkMetricClass(name, result); err != nil {
		return err
	}
	o.gate.RenameClasses(result.ClassName)
	results, err := o.gate.EvaluateScores(predictions, classLabels(result), func(r *gate.Requirement) gate.Score { return requiredScore(result, r) })
	if err != nil {
		return err
	}
	if err := o.print(result, name); err != nil {
		return err
	}
	return o.gate.Publish(ctx, &o.output, results, nil)
}

// requiredScore returns the score of the metric that r names, such as recall[fraud]. The score has
// no value if result does not have this metric.
func requiredScore(result *scoring.Result, r *gate.Requirement) gate.Score {
	figure := result.Metric(r.MetricName())
	if figure == nil {
		return gate.Score{}
	}
	s := gate.Score{Value: &figure.Value, Rows: int64(cmp.Or(figure.Rows, result.Rows))}
	if figure.Low != nil && figure.High != nil {
		s.Interval = &api.Interval{Low: *figure.Low, High: *figure.High}
	}
	known := result.Rows // rows whose labels are classes of the model
	if result.UnknownLabels != nil {
		known -= result.UnknownLabels.Rows
	}
	for _, class := range result.Classes {
		if class.Label == r.Class && r.Class != "" {
			s.Rows = int64(cmp.Or(figure.Rows, class.Rows))
		}
		isUnknown := result.UnknownLabels != nil && slices.Contains(result.UnknownLabels.Labels, class.Label)
		s.OneClass = s.OneClass || class.Rows == result.Rows || class.Rows == known && !isUnknown
	}
	return s
}

// print prints the result. name is the metric that --quiet prints.
func (o *scoreOptions) print(result *scoring.Result, name string) error {
	switch {
	case o.output.JSON || len(o.output.Fields) > 0:
		return cli.PrintItem(&o.output, result, "accuracy")
	case o.output.Quiet:
		figure := result.Metric(name)
		if figure == nil {
			return exit.Errorf(exit.Rejected, "%s could not be computed", name).
				WithHint("rocAuc, prAuc and logLoss need rows of at least two classes, and a column probability_<class> for each class (for two classes, one such column is sufficient); a metric of one class, such as f1[CLASS], needs rows of this class")
		}
		return o.output.PrintLine(strconv.FormatFloat(figure.Value, 'f', 4, 64))
	case !o.factory.Console.OutTerminal:
		return o.output.PrintTable(report.AllScoresTable(result))
	}
	return printScore(&o.output, result)
}

// checkMetricClass returns a usage error if name is a metric of one class, such as f1[yes], and
// result does not have this class.
func checkMetricClass(name string, result *scoring.Result) error {
	return race.CheckMetricClass(name, classLabels(result))
}

// classLabels returns the labels of the classes of a result.
func classLabels(result *scoring.Result) []string {
	labels := make([]string, len(result.Classes))
	for i, class := range result.Classes {
		labels[i] = class.Label
	}
	return labels
}

// score opens the files, scores the predictions against the answers and returns the result.
func (o *scoreOptions) score(ctx context.Context, predictions, answers string) (*scoring.Result, error) {
	files := &scoreFiles{factory: o.factory, layout: &o.layout, hasAnswers: true}
	defer files.Close()
	rec := readReceiptOf(ctx, predictions, &o.output)
	if rec != nil {
		o.columns.Classes = rec.Classes
		if rec.Performance != nil {
			o.columns.PRAUCClass = rec.Performance.PRAUCClass
		}
		if rec.Options != nil {
			o.columns.ModelLabel = rec.Options.Label
		}
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
	if err == nil {
		noteJoinByOrder(&o.output, result.OrderReason)
		o.noteClasses(result, rec != nil)
	}
	if err == nil && rec != nil && rec.TrainingOverlap != nil {
		result.TrainingOverlap = rec.TrainingOverlap
		o.output.Note("warning: %s", rec.TrainingOverlap.Caution())
	}
	return result, files.fileError(err)
}

// noteClasses prints notes about IDs that were compared as numbers or are in one file only, rows
// without a label, probabilities that do not sum to 1, labels that are not classes of the model,
// and classes without probabilities. It also prints which class prAuc is about, if the predictions
// have a receipt (hasReceipt) or standard output is a terminal.
func (o *scoreOptions) noteClasses(result *scoring.Result, hasReceipt bool) {
	for _, note := range []string{result.IDNumbers.Note(), result.UnmatchedNote(), scoring.UnlabelledNote(result.UnlabelledRows), result.UnequalSumsNote()} {
		if note != "" {
			o.output.Note("%s", note)
		}
	}
	if result.UnknownLabels != nil {
		o.output.Note("%s", result.UnknownLabels.Note())
	}
	if len(result.WithoutProbability) > 0 {
		o.output.Note("rocAuc, prAuc and logLoss are not computed: the predictions have no probabilities of %s", humanize.List(result.WithoutProbability, 5))
	}
	if note := result.PRAUCNote(); note != "" && (hasReceipt || o.factory.Console.OutTerminal) {
		reason := "the class with fewer rows in the training file"
		if !result.IsPRAUCClassGiven {
			reason = "the class with fewer rows in the answers, because the class of the race is unknown"
		}
		o.output.Note("%s, %s", note, reason)
	}
}

// printScore prints a result on a terminal.
func printScore(o *cli.Output, r *scoring.Result) error {
	t := &term.Table{Right: []bool{false, true}}
	t.Header = []term.Cell{{Text: humanize.Count(r.Rows, "row")}, {Text: r.Label}, {Text: "95 % interval"}}
	for _, name := range api.RaceMetrics() {
		t.Rows = append(t.Rows, []term.Cell{{Text: name}, report.MetricCell(r.Metric(name)), report.IntervalCell(r.Metric(name))})
	}
	t.Rows = append(t.Rows, []term.Cell{{Text: fmt.Sprintf("always %q", r.Baseline.Label)}, report.ScoreCell(r.Baseline.Accuracy), {Text: "accuracy, the baseline"}})
	if err := o.PrintTable(t); err != nil {
		return err
	}
	fmt.Fprintln(o.Factory.Console.Out)
	if err := o.PrintTable(report.ClassTable(r)); err != nil {
		return err
	}
	if len(r.Classes) > report.MaxConfusionClasses {
		o.Note("the confusion matrix of %d classes is omitted; --json prints it", len(r.Classes))
		return nil
	}
	fmt.Fprintln(o.Factory.Console.Out)
	return o.PrintTable(report.ConfusionTable(r))
}
