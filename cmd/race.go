package cmd

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
)

// racer holds the parameters of a race.
type racer struct {
	threshold     float64
	climbs        bool // --threshold auto
	scalingFactor int
	metric        string
	seed          int64
	algorithms    []string
	timeLimit     time.Duration
	cmd           *cobra.Command
}

var metrics = []string{api.MetricAccuracy, api.MetricBalancedAccuracy, api.MetricMacroF1, api.MetricROCAUC}

func (r *racer) bind(cmd *cobra.Command) {
	r.cmd = cmd
	flags := cmd.Flags()
	flags.Var((*thresholdFlag)(r), "threshold", "performance from 0 to 1 that wins the race, or auto to climb as high as can be; without it the best model wins")
	flags.IntVar(&r.scalingFactor, "scaling-factor", 0, "capacity of the algorithms that partition the space, 4 to 400; 0 chooses from the data")
	flags.StringVar(&r.metric, "metric", "", "what performance means: "+strings.Join(metrics, ", ")+" (default accuracy)")
	flags.Int64Var(&r.seed, "seed", 0, "the same data and seed give the same model")
	flags.StringSliceVar(&r.algorithms, "algorithm", nil, "race only these `names`, such as BSIX01")
	flags.DurationVar(&r.timeLimit, "time-limit", 0, "end the race after this time with the best model so far (default 1h)")
	_ = cmd.RegisterFlagCompletionFunc("metric", cobra.FixedCompletions(metrics, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("algorithm", completeMore(append(api.Algorithms(2), api.Algorithms(3)...)))
}

// auto as --threshold has it asks for a climb.
const auto = "auto"

// thresholdFlag is the flag --threshold of a racer.
type thresholdFlag racer

func (f *thresholdFlag) String() string {
	if f.climbs {
		return auto
	}
	return strconv.FormatFloat(f.threshold, 'g', -1, 64)
}

// Set takes a number or auto.
func (f *thresholdFlag) Set(text string) (err error) {
	f.threshold = 0
	if f.climbs = text == auto; f.climbs {
		return nil
	}
	f.threshold, err = strconv.ParseFloat(text, 64)
	return err
}

// Type is what pflag calls the value.
func (f *thresholdFlag) Type() string { return "float" }

// verdict is an error for a race that ended under a threshold that the user has
// named.
func (r *racer) verdict(job *api.Training) error {
	if r.climbs {
		return nil
	}
	return belowTarget(job)
}

// explicit tells whether the user named a threshold.
func (r *racer) explicit() bool { return r.cmd.Flags().Changed("threshold") && !r.climbs }

// fits tells whether the algorithms that were named race on so many classes,
// before anything is made on the service.
func (r *racer) fits(classes int) error {
	known := api.Algorithms(classes)
	for _, name := range r.algorithms {
		if !slices.Contains(known, name) {
			return usage("--algorithm %q: for %d classes there are %s", name, classes, strings.Join(known, ", "))
		}
	}
	return nil
}

// request is what the service is asked for.
func (r *racer) request() (api.NewTraining, error) {
	target := 1.0 // no algorithm reaches it on data worth learning from, so the best wins
	if r.explicit() {
		target = r.threshold
	}
	body := api.NewTraining{ScalingFactor: r.scalingFactor, PerformanceThreshold: &target, Metric: r.metric, Algorithms: r.algorithms}
	if target < 0 || target > 1 || target != target {
		return body, usage("--threshold %v: must be from 0 to 1", r.threshold)
	}
	if r.metric != "" && !slices.Contains(metrics, r.metric) {
		return body, usage("--metric %q: it takes %s", r.metric, strings.Join(metrics, ", "))
	}
	if r.scalingFactor < 0 || r.scalingFactor > api.MaxScalingFactor {
		return body, usage("--scaling-factor %d: must be from 0 to %d", r.scalingFactor, api.MaxScalingFactor)
	}
	if r.cmd.Flags().Changed("seed") {
		if r.seed < 0 {
			return body, usage("--seed %d: must not be negative", r.seed)
		}
		body.Seed = &r.seed
	}
	if r.cmd.Flags().Changed("time-limit") {
		seconds := int(r.timeLimit / time.Second)
		if seconds < 1 {
			return body, usage("--time-limit %s: must be at least 1s", r.timeLimit)
		}
		body.TimeLimitSeconds = &seconds
	}
	return body, nil
}
