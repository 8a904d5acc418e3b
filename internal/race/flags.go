// Package race implements what the commands that start races have in common: the flags, the time
// limit, the search for the highest threshold, and the races of run --plan.
package race

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/gate"
	"foretell/internal/humanize"
	"foretell/internal/learn/metric"
	"foretell/internal/preflight"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// Flags holds the flags that set the parameters of a race.
type Flags struct {
	Threshold     *float64 // nil means no threshold
	AutoThreshold bool     // --threshold auto
	scalingFactor int
	metric        string
	seed          int64
	algorithms    []string
	groupColumn   string
	timeColumn    string
	effort        string
	classWeight   string
	monotone      []string
	TimeLimit     time.Duration
	cmd           *cobra.Command
}

// Bind adds the flags to cmd, with completion.
func (f *Flags) Bind(cmd *cobra.Command) {
	f.cmd = cmd
	flags := cmd.Flags()
	flags.Var((*thresholdFlag)(f), "threshold", "score between 0 and 1 at which the race ends (default none: the model is a blend of the algorithms); auto searches for the highest threshold that a race reaches, for services that require a threshold")
	flags.IntVar(&f.scalingFactor, "scaling-factor", 0, "number of leaves of a BSIX01 tree, and of a BFIF01 tree per 1,000 training rows, at most 499; 0 chooses it from the data")
	flags.StringVar(&f.metric, "metric", "", "`metric` by which the race scores its models: "+DescribeMetrics()+" (default accuracy); the score for logLoss is exp(-logLoss)")
	flags.Int64Var(&f.seed, "seed", 0, "random seed; the same data, options and seed produce the same model, with the same program and kind of processor")
	flags.StringSliceVar(&f.algorithms, "algorithm", nil, "race only these `algorithms`: for two classes BSEV01 (neural network), BFIF01 (forest), BSIX01 (boosting), BSEV02 (symmetric boosting); for more classes MSEV01, MFIF01, MSIX01, MSEV02")
	flags.StringVar(&f.groupColumn, "group", "", "keep rows with the same value in this `column` together: all of them are either trained on or scored; with a column of customer IDs, the scores apply to new customers")
	flags.StringVar(&f.timeColumn, "time", "", "train on the earlier rows and score on the later rows, by this `column` of dates or numbers")
	flags.StringVar(&f.effort, "effort", "", "how much to train: fast, default or best; fast trains only the two boosting algorithms, or the algorithms of --algorithm; best trains the neural network longer")
	flags.StringVar(&f.classWeight, "class-weight", "", "cost of a wrong prediction for rows of each class: balanced, or `weights` such as yes=5; the cost for the other classes is 1")
	flags.StringArrayVar(&f.monotone, "monotone", nil, "`direction` in which the probability of the second class is allowed to change as a column grows and the other columns stay the same, such as income=increasing or age=decreasing; may be repeated")
	flags.DurationVar(&f.TimeLimit, "time-limit", 0, "end the race after this time, including its time in the queue, and keep the best model (default 1h after the race leaves the queue)")
	_ = cmd.RegisterFlagCompletionFunc("metric", cobra.FixedCompletions(api.RaceMetrics(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("class-weight", cobra.FixedCompletions([]string{api.ClassWeightsBalanced}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("effort", cobra.FixedCompletions(api.Efforts(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("algorithm", cli.CompleteList(algorithmNames()))
}

// maxTimeLimit is the longest time limit that a service accepts.
const maxTimeLimit = 7 * 24 * time.Hour

// thresholdAuto is the value of --threshold that requests a search for the highest
// threshold.
const thresholdAuto = "auto"

// thresholdFlag is the value of --threshold.
type thresholdFlag Flags

func (f *thresholdFlag) String() string {
	if f.AutoThreshold {
		return thresholdAuto
	}
	return formatThreshold(f.Threshold)
}

// Set parses a number or auto.
func (f *thresholdFlag) Set(text string) error {
	f.Threshold = nil
	if f.AutoThreshold = text == thresholdAuto; f.AutoThreshold {
		return nil
	}
	value, err := strconv.ParseFloat(text, 64)
	f.Threshold = &value
	return err
}

// Type returns the name of the type for pflag.
func (f *thresholdFlag) Type() string { return "float" }

// ThresholdError returns an error if a race ended below the value of --threshold.
func (f *Flags) ThresholdError(job *api.Training) error {
	if f.AutoThreshold {
		return nil
	}
	return BelowThresholdError(job)
}

// CheckAlgorithms returns a usage error if an algorithm of --algorithm does not support
// this number of classes. If --monotone is set, the algorithms must support it, too.
func (f *Flags) CheckAlgorithms(classes int) error {
	known := api.Algorithms(classes)
	for _, name := range f.algorithms {
		if !slices.Contains(known, name) {
			return exit.Usagef("invalid --algorithm %q: for %d classes it must be %s", name, classes, humanize.JoinOr(known))
		}
		if len(f.monotone) > 0 && !api.SupportsMonotone(name) {
			return exit.Usagef("--algorithm %s does not support --monotone", name).WithHint("omit one of the flags")
		}
	}
	return nil
}

// CheckColumnFlags returns a usage error if --group or --time is not a column of the training file,
// or if --monotone names a column in which a model cannot be monotone. files must have been
// checked.
func (f *Flags) CheckColumnFlags(files *preflight.Preflight) error {
	train, hint := files.TrainProfile, "see the columns with `"+files.CheckCommand()+"`"
	names := train.Schema.FieldNames()
	for _, flag := range []struct{ name, column string }{{"group", f.groupColumn}, {"time", f.timeColumn}} {
		switch {
		case flag.column == "" || slices.Contains(names, flag.column):
		case flag.column == train.Schema.ID || flag.column == train.Schema.Label:
			if flag.column == train.Schema.Label {
				return exit.Usagef("--%s: %q is the label; name another column", flag.name, flag.column)
			}
			return exit.Usagef("--%s: %q is the ID; name another column", flag.name, flag.column).
				WithHint("if the column is not an ID, generate IDs: `%s`", files.Factory.CommandWith("id", "-"))
		default:
			return exit.Usagef("--%s: %q is not a column of the training file%s", flag.name, flag.column, csvfile.DidYouMean(flag.column, names)).
				WithHint("%s", hint)
		}
	}
	for i := range train.Warnings {
		if w := &train.Warnings[i]; w.Code == csvfile.CodeNumericDates && w.Name == f.timeColumn {
			return exit.Usagef("--time: in the column %q, %s", f.timeColumn, w.Message).
				WithHint("in all files, write the months as year-month, such as 2024-01, or the days as year-month-day, such as 2024-01-31")
		}
	}
	return f.checkMonotone(train.Schema, hint)
}

// checkMonotone returns a usage error if --monotone is invalid. It requires a label with two
// classes. Each of its columns must be a numeric feature of schema, and not the column of --group.
// hint is the hint of the error for a column without such a feature.
func (f *Flags) checkMonotone(schema *frame.Schema, hint string) error {
	columns, err := api.ParseMonotone(f.monotone)
	if err != nil {
		return exit.Usagef("invalid --monotone %w", err)
	}
	if n := len(schema.Classes); columns != nil && n != 2 {
		return exit.Usagef("--monotone %s: the label has %d classes, but must have 2", f.monotone[0], n)
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if _, err := schema.OrderedFeature(name); err != nil {
			return exit.Usagef("--monotone: %w", err).WithHint("%s", hint)
		}
		if name == f.groupColumn {
			return exit.Usagef("--monotone: %q is the column of --group, so it is not a feature; name another column", name)
		}
	}
	return nil
}

// CheckGroupAndTime returns a usage error if the columns of --group and --time cannot divide the rows
// of the training file, for example because all values are equal. The service would report this
// only after the upload. If one of the flags is set, CheckGroupAndTime reads the training file.
// files must have been checked.
func (f *Flags) CheckGroupAndTime(ctx context.Context, files *preflight.Preflight) error {
	columns := frame.SplitColumns{Group: f.groupColumn, Time: f.timeColumn}
	if columns == (frame.SplitColumns{}) {
		return nil
	}
	src, err := files.Train.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	_, err = frame.ReadSplitKeys(ctx, src, files.TrainProfile.Schema, columns)
	var problem *frame.SplitColumnError
	if !errors.As(err, &problem) {
		return err
	}
	flag := "group"
	if problem.Column == columns.Time && problem.Column != columns.Group {
		flag = "time"
	}
	return exit.Usagef("--%s %q: %s", flag, problem.Column, problem.Reason).WithHint("see the columns with `%s`", files.CheckCommand())
}

// RemoveWarnings removes warnings that do not apply with --group or --time: warnings that suggest a
// flag that is already set, and warnings about the column of --group as a feature. With --group,
// this column is not a feature, so it may predict the label, and may have new values in the blind
// file. RemoveWarnings also excludes it from the printed number of features.
func (f *Flags) RemoveWarnings(files *preflight.Preflight) {
	files.GroupColumn = f.groupColumn
	if f.groupColumn != "" {
		files.RemoveFindings(csvfile.CodeGroupColumn, "")
		for _, code := range []string{csvfile.CodeLeakingColumn, csvfile.CodeUnseenCategory, csvfile.CodeMovedRange} {
			files.RemoveFindings(code, f.groupColumn)
		}
	}
	if f.timeColumn != "" {
		files.RemoveFindings(csvfile.CodeTimeColumn, "")
	}
}

// Request returns the request that starts a race. An invalid flag is a usage error.
func (f *Flags) Request() (api.NewTraining, error) {
	body := api.NewTraining{
		ScalingFactor: f.scalingFactor, PerformanceThreshold: api.NewThreshold(f.Threshold), Metric: f.metric, Algorithms: f.algorithms,
		GroupColumn: f.groupColumn, TimeColumn: f.timeColumn, Effort: f.effort,
	}
	if !api.ValidThreshold(f.Threshold) {
		return body, exit.Usagef("invalid --threshold %v: must be between 0 and 1", *f.Threshold)
	}
	if f.metric != "" {
		var err error
		if body.Metric, err = ParseMetric(f.metric); err != nil {
			return body, err
		}
	}
	var err error
	if body.ClassWeights, err = api.ParseClassWeights(f.classWeight); err != nil {
		return body, exit.Usagef("invalid --class-weight %w", err)
	}
	if body.Monotone, err = api.ParseMonotone(f.monotone); err != nil {
		return body, exit.Usagef("invalid --monotone %w", err)
	}
	if f.effort != "" && !slices.Contains(api.Efforts(), f.effort) {
		return body, exit.Usagef("invalid --effort %q: must be %s", f.effort, humanize.JoinOr(api.Efforts()))
	}
	if f.scalingFactor < 0 || f.scalingFactor > api.MaxScalingFactor {
		return body, exit.Usagef("invalid --scaling-factor %d: must be between 0 and %d", f.scalingFactor, api.MaxScalingFactor)
	}
	if f.cmd.Flags().Changed("seed") {
		if f.seed < 0 {
			return body, exit.Usagef("invalid --seed %d: must not be negative", f.seed)
		}
		body.Seed = &f.seed
	}
	if f.cmd.Flags().Changed("time-limit") {
		if f.TimeLimit < time.Second || f.TimeLimit > maxTimeLimit {
			return body, exit.Usagef("invalid --time-limit %q: must be between 1s and 168h", f.TimeLimit.String())
		}
		seconds := int(f.TimeLimit / time.Second)
		body.TimeLimitSeconds = &seconds
	}
	return body, nil
}

// DescribeMetrics returns a text that lists the metrics of races.
func DescribeMetrics() string {
	return humanize.JoinOr(api.RaceMetrics()) + ", or, for one class, f1[CLASS], rocAuc[CLASS] or prAuc[CLASS]"
}

// DescribeScoreMetrics returns a text that lists the metrics of existing predictions.
func DescribeScoreMetrics() string {
	return humanize.JoinOr(api.RaceMetrics()) + ", or, for one class, precision[CLASS], recall[CLASS], f1[CLASS], rocAuc[CLASS] or prAuc[CLASS]"
}

// ParseMetric parses the value of --metric. It returns a metric of races, such as logLoss, or f1[yes]
// for one class, whose label may be in quotes. Any other value is a usage error.
func ParseMetric(text string) (string, error) { return parseMetric(text, DescribeMetrics()) }

// parseMetric is like ParseMetric, but takes the list of known metrics for its error.
func parseMetric(text, known string) (string, error) {
	if base, class := metric.SplitName(text); class != "" {
		name := base + "[" + gate.Unquote(class) + "]"
		if metric.CheckName(name, nil) == nil {
			return name, nil
		}
	}
	if slices.Contains(api.RaceMetrics(), text) {
		return text, nil
	}
	e := exit.Usagef("invalid --metric %q: must be %s", text, known)
	if text == metric.NameF1 {
		return "", e.WithHint("name the class, as in --metric 'f1[yes]', or use --metric macroF1")
	}
	if meant := api.MetricByAlias(text); meant != "" {
		return "", e.WithHint("did you mean --metric %s?", meant)
	}
	return "", e
}

// ParseScoreMetric is like ParseMetric, but for metrics of existing predictions. It also accepts
// the precision and the recall of a class, which a race cannot maximise: a model that always or
// hardly ever predicts the class would win.
func ParseScoreMetric(text string) (string, error) {
	if base, class := metric.SplitName(text); class != "" && (base == gate.Precision || base == gate.Recall) {
		return base + "[" + gate.Unquote(class) + "]", nil
	}
	return parseMetric(text, DescribeScoreMetrics())
}

// CheckClassFlags returns a usage error if --metric or --class-weight names a class that is not in
// labels, or if a weight is invalid.
func (f *Flags) CheckClassFlags(labels []string) error {
	classes := make([]api.Class, len(labels))
	for i, label := range labels {
		classes[i].Label = label
	}
	weights, err := api.ParseClassWeights(f.classWeight)
	if err == nil {
		_, err = weights.Resolve(classes)
	}
	if err != nil {
		return exit.Usagef("invalid --class-weight %q: %w", f.classWeight, err)
	}
	if f.metric == "" {
		return nil
	}
	name, err := ParseMetric(f.metric)
	if err != nil {
		return err
	}
	return CheckMetricClass(name, labels)
}

// CheckMetricClass returns a usage error if a metric names a class that is not in labels. If labels
// is empty, the classes are unknown, and it returns nil. name is the result of [ParseMetric], so
// quotes in it belong to the label.
func CheckMetricClass(name string, labels []string) error {
	_, class := metric.SplitName(name)
	if class == "" || len(labels) == 0 || slices.Contains(labels, class) {
		return nil
	}
	return exit.Usagef("invalid --metric: unknown class %q; known classes: %s", class, humanize.List(labels, 20))
}

// algorithmNames returns the completions of --algorithm.
func algorithmNames() []string {
	var names []string
	for _, code := range append(api.Algorithms(2), api.Algorithms(3)...) {
		names = append(names, cobra.CompletionWithDesc(code, api.AlgorithmKind(code)))
	}
	return names
}

// BelowThresholdError returns an error if a race ended below its threshold. The service
// nevertheless keeps the best model of such a race.
func BelowThresholdError(job *api.Training) error {
	if job.Status == api.TrainingCompleted || job.TargetPerformance == nil {
		return nil
	}
	why := fmt.Sprintf("the %s of the model could not be measured", api.PerformanceName(job.Metric))
	switch achieved := job.AchievedPerformance; {
	case achieved == nil:
	case *achieved >= *job.TargetPerformance: // the status does not count the blend of the algorithms
		why = fmt.Sprintf("only the blend of the algorithms did: its %s is %.4f", api.PerformanceName(job.Metric), *achieved)
	default:
		why = fmt.Sprintf("the %s of the model is %.4f", api.PerformanceName(job.Metric), *achieved)
	}
	e := exit.Errorf(exit.BelowTarget, "the race ended in state %s: no algorithm reached the threshold of %g; %s", job.Status, *job.TargetPerformance, why)
	return e.WithHint("the model is kept; see `foretell models report %s`", job.ModelKey)
}
