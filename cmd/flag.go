package cmd

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/term"
)

// lister is the flag of every list.
type lister struct {
	limit int
}

func (l *lister) bind(cmd *cobra.Command) {
	cmd.Flags().IntVar(&l.limit, "limit", 0, "print at most `N`, the newest; 0 prints all")
}

// waiter holds the flags of a command that waits for jobs.
type waiter struct {
	connector
	noWait bool
}

// bind adds the flags of a command that can also leave the job to itself.
func (w *waiter) bind(cmd *cobra.Command, h *host) {
	w.bindWait(cmd, h)
	cmd.Flags().BoolVar(&w.noWait, "no-wait", false, "do not wait for the job")
}

// bindWait adds the flags of a command that is there to wait.
func (w *waiter) bindWait(cmd *cobra.Command, h *host) {
	w.connector.bind(cmd, h)
	cmd.Flags().Duration(keyTimeout, 0, "stop waiting after this time; the job runs on (exit status 8)")
	w.bindProgress(cmd)
}

func (w *waiter) bindProgress(cmd *cobra.Command) {
	cmd.Flags().String(keyProgress, string(term.Auto), "how to show progress: "+strings.Join(term.Modes(), ", "))
	_ = cmd.RegisterFlagCompletionFunc(keyProgress, cobra.FixedCompletions(term.Modes(), cobra.ShellCompDirectiveNoFileComp))
}

// start reads the settings of a wait: a context that ends with --timeout, and
// the progress to show.
func (w *waiter) start(ctx context.Context) (context.Context, context.CancelFunc, *term.Progress, error) {
	s, err := w.host.settings(w.cmd.Flags())
	if err != nil {
		return nil, nil, nil, err
	}
	mode := term.Mode(s.GetString(keyProgress))
	switch mode {
	case "":
		mode = term.Auto
	case term.Auto, term.Bar, term.Plain, term.JSON, term.None:
	default:
		return nil, nil, nil, usage("--progress %q: %s", mode, strings.Join(term.Modes(), ", "))
	}
	if quiet(w.cmd) {
		mode = term.None
	}
	progress := w.host.console.NewProgress(mode, w.host.now)
	cancel := context.CancelFunc(func() {})
	if text := s.GetString(keyTimeout); text != "" {
		timeout, err := time.ParseDuration(text)
		if err != nil || timeout < 0 {
			return nil, nil, nil, usage("--timeout %q: a duration such as 90s, 30m or 2h", text)
		}
		if timeout > 0 {
			ctx, cancel = context.WithTimeout(ctx, timeout)
		}
	}
	return ctx, cancel, progress, nil
}

// left explains why a wait ended before the job: by --timeout or by Ctrl-C. The
// job runs on, and again is the command that goes on with it.
func (w *waiter) left(ctx context.Context, err error, conn *connection, what, again string) error {
	where := "it runs on"
	if conn.embedded {
		where = "it goes on with the next command that waits"
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		f := fail(ExitStillRunning, "%s is not done after --timeout: %s", what, where)
		return f.advise("go on with `%s`", again)
	}
	var stopped *interruption
	if errors.As(context.Cause(ctx), &stopped) {
		f := &failure{exit: stopped.exit(), fact: "interrupted while waiting for " + what + ": " + where, cause: err}
		return f.advise("go on with `%s`", again)
	}
	return err
}

// racer holds the parameters of a race.
type racer struct {
	threshold     float64
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
	flags.Float64Var(&r.threshold, "threshold", 0, "performance from 0 to 1 that wins the race; without it the best model wins")
	flags.IntVar(&r.scalingFactor, "scaling-factor", 0, "capacity of the algorithms that partition the space, 4 to 400; 0 chooses from the data")
	flags.StringVar(&r.metric, "metric", "", "what performance means: "+strings.Join(metrics, ", ")+" (default accuracy)")
	flags.Int64Var(&r.seed, "seed", 0, "the same data and seed give the same model")
	flags.StringSliceVar(&r.algorithms, "algorithm", nil, "race only these `names`, such as BSIX01")
	flags.DurationVar(&r.timeLimit, "time-limit", 0, "end the race after this time with the best model so far (default 1h)")
	_ = cmd.RegisterFlagCompletionFunc("metric", cobra.FixedCompletions(metrics, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("algorithm", cobra.FixedCompletions(
		append(api.Algorithms(2), api.Algorithms(3)...), cobra.ShellCompDirectiveNoFileComp))
}

// explicit tells whether the user named a threshold.
func (r *racer) explicit() bool { return r.cmd.Flags().Changed("threshold") }

// request is what the service is asked for.
func (r *racer) request() (api.NewTraining, error) {
	target := 1.0 // no algorithm reaches it on data worth learning from, so the best wins
	if r.explicit() {
		target = r.threshold
	}
	body := api.NewTraining{ScalingFactor: r.scalingFactor, PerformanceThreshold: &target, Metric: r.metric, Algorithms: r.algorithms}
	if target < 0 || target > 1 || target != target {
		return body, usage("--threshold %v: from 0 to 1", r.threshold)
	}
	if r.scalingFactor < 0 || r.scalingFactor > api.MaxScalingFactor {
		return body, usage("--scaling-factor %d: from 0 to %d", r.scalingFactor, api.MaxScalingFactor)
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
			return body, usage("--time-limit %s: at least 1s", r.timeLimit)
		}
		body.TimeLimitSeconds = &seconds
	}
	return body, nil
}

// asker holds the flags of a command that asks before it does harm.
type asker struct {
	host *host
	cmd  *cobra.Command
	yes  bool
}

func (a *asker) bind(cmd *cobra.Command, h *host) {
	a.host, a.cmd = h, cmd
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "answer the question with yes")
	cmd.Flags().Bool(keyNoInput, false, "never ask; a question that is needed is an error")
}

// confirm asks unless --yes answers. A question that may not be asked is a
// wrong use that names the flag.
func (a *asker) confirm(ctx context.Context, question string) error {
	if a.yes {
		return nil
	}
	if mute, err := a.host.mute(a.cmd); err != nil {
		return err
	} else if mute {
		return usage("%s There is nobody to ask.", question).advise("add --yes to do it")
	}
	ok, err := a.host.console.Confirm(ctx, question)
	if err != nil {
		return err
	}
	if !ok {
		return fail(ExitUsage, "not done: the answer was no")
	}
	return nil
}

// mute tells whether questions may not be asked.
func (h *host) mute(cmd *cobra.Command) (bool, error) {
	s, err := h.settings(cmd.Flags())
	if err != nil {
		return false, err
	}
	return s.GetBool(keyNoInput) || !h.console.CanAsk(), nil
}
