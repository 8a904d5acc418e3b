// Package race has what commands that start a race share: its flags, the time limit, the
// search for the highest threshold and the plan. The run, training and plan commands use
// it.
package race

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/exit"
)

// Flags holds the parameters of a race.
type Flags struct {
	Threshold     *float64 // nil: the best model wins
	AutoThreshold bool     // --threshold auto
	scalingFactor int
	metric        string
	seed          int64
	algorithms    []string
	TimeLimit     time.Duration
	cmd           *cobra.Command
}

var raceMetrics = []string{api.MetricAccuracy, api.MetricBalancedAccuracy, api.MetricMacroF1, api.MetricROCAUC}

// Bind adds the flags to cmd, with completion.
func (r *Flags) Bind(cmd *cobra.Command) {
	r.cmd = cmd
	flags := cmd.Flags()
	flags.Var((*thresholdFlag)(r), "threshold", "performance from 0 to 1 that ends the race, or auto to search for the highest; by default the best model wins")
	flags.IntVar(&r.scalingFactor, "scaling-factor", 0, "capacity of the algorithms that partition the space, 4 to 400; 0 chooses from the data")
	flags.StringVar(&r.metric, "metric", "", "performance `metric`: "+strings.Join(raceMetrics, ", ")+" (default accuracy)")
	flags.Int64Var(&r.seed, "seed", 0, "random seed: the same data and seed give the same model")
	flags.StringSliceVar(&r.algorithms, "algorithm", nil, "race only these `names`: for two classes BSEV01 (neural network), BFIF01 (forest), BSIX01 (boosting), BSEV02 (symmetric boosting); for more, M instead of B")
	flags.DurationVar(&r.TimeLimit, "time-limit", 0, "end after this time with the best model so far; time in the queue counts (default 1h of racing)")
	_ = cmd.RegisterFlagCompletionFunc("metric", cobra.FixedCompletions(raceMetrics, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("algorithm", cli.CompleteList(algorithmNames()))
}

// maxTimeLimit is the longest time limit that a service accepts.
const maxTimeLimit = 7 * 24 * time.Hour

// thresholdAuto is the value of --threshold that searches for the highest threshold.
const thresholdAuto = "auto"

// thresholdFlag is the value of --threshold.
type thresholdFlag Flags

func (f *thresholdFlag) String() string {
	switch {
	case f.AutoThreshold:
		return thresholdAuto
	case f.Threshold == nil:
		return ""
	}
	return strconv.FormatFloat(*f.Threshold, 'g', -1, 64)
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

// ThresholdError returns an error if a race ended below the threshold of the user.
func (r *Flags) ThresholdError(job *api.Training) error {
	if r.AutoThreshold {
		return nil
	}
	return BelowTarget(job)
}

// CheckAlgorithms returns an error if an algorithm does not support this number of
// classes, before anything is created on the service.
func (r *Flags) CheckAlgorithms(classes int) error {
	known := api.Algorithms(classes)
	for _, name := range r.algorithms {
		if !slices.Contains(known, name) {
			return exit.Usagef("invalid --algorithm %q: for %d classes want %s", name, classes, strings.Join(known, ", "))
		}
	}
	return nil
}

// Request returns the request for a race.
func (r *Flags) Request() (api.NewTraining, error) {
	body := api.NewTraining{
		ScalingFactor: r.scalingFactor, PerformanceThreshold: api.NewThreshold(r.Threshold), Metric: r.metric, Algorithms: r.algorithms,
	}
	if !api.ValidThreshold(r.Threshold) {
		return body, exit.Usagef("--threshold %v: must be from 0 to 1", *r.Threshold)
	}
	if err := CheckMetric(r.metric, raceMetrics); r.metric != "" && err != nil {
		return body, err
	}
	if r.scalingFactor < 0 || r.scalingFactor > api.MaxScalingFactor {
		return body, exit.Usagef("--scaling-factor %d: must be from 0 to %d", r.scalingFactor, api.MaxScalingFactor)
	}
	if r.cmd.Flags().Changed("seed") {
		if r.seed < 0 {
			return body, exit.Usagef("--seed %d: must not be negative", r.seed)
		}
		body.Seed = &r.seed
	}
	if r.cmd.Flags().Changed("time-limit") {
		if r.TimeLimit < time.Second || r.TimeLimit > maxTimeLimit {
			return body, exit.Usagef("--time-limit %s: must be from 1s to 168h", r.TimeLimit)
		}
		seconds := int(r.TimeLimit / time.Second)
		body.TimeLimitSeconds = &seconds
	}
	return body, nil
}

// CheckMetric returns a usage error, with a suggestion, if --metric is not in known.
func CheckMetric(name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	e := exit.Usagef("invalid --metric %q: want %s", name, strings.Join(known, ", "))
	if meant := api.MetricByAlias(name); slices.Contains(known, meant) {
		return e.WithHint("did you mean --metric %s?", meant)
	}
	return e
}

// algorithmNames returns the completions of --algorithm.
func algorithmNames() []string {
	var names []string
	for _, code := range append(api.Algorithms(2), api.Algorithms(3)...) {
		names = append(names, cobra.CompletionWithDesc(code, api.AlgorithmKind(code)))
	}
	return names
}

// BelowTarget returns an error for a race that ended below the requested threshold,
// although its best model was kept.
func BelowTarget(job *api.Training) error {
	if job.Status == api.TrainingCompleted || job.TargetPerformance == nil {
		return nil
	}
	e := exit.Errorf(exit.BelowTarget, "the race ended as %s: the best %s is %.4f, below the threshold of %g",
		job.Status, job.Metric, connect.Performance(job.AchievedPerformance), *job.TargetPerformance)
	return e.WithHint("the best model is kept; see `foretell models report %s`", job.ModelKey)
}
