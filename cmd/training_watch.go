package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/term"
)

type trainingCreateOptions struct {
	host   *host
	waiter waiter
	racer  racer
	output output
	gate   gater
}

func newTrainingCreateCmd(h *host) *cobra.Command {
	opts := &trainingCreateOptions{host: h}
	cmd := &cobra.Command{
		Use: "create DATASET", Short: "Start a race on a dataset and watch it", Args: takes("DATASET"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.waiter.bind(cmd, h)
	opts.racer.bind(cmd)
	opts.gate.bind(cmd, &opts.waiter.connector)
	opts.output.bindItem(cmd, h, prints[api.Training](), prints[api.CreatedTraining]())
	for _, flag := range []string{"require", "beat", "junit"} {
		cmd.MarkFlagsMutuallyExclusive("no-wait", flag)
	}
	cmd.ValidArgsFunction = opts.waiter.complete(datasetNames)
	return cmd
}

func (o *trainingCreateOptions) run(ctx context.Context, ref string) error {
	limit := o.racer.deadline(o.host.now, o.host.now())
	body, err := o.racer.request()
	if err != nil {
		return err
	}
	if err := o.gate.read(); err != nil {
		return err
	}
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := walk.datasetKey(ctx, ref)
	if err != nil {
		return err
	}
	if err := walk.finishPreparing(ctx, key); err != nil {
		return err
	}
	if err := o.gate.prepare(ctx, walk.connection, key, body.Metric); err != nil {
		return err
	}
	if o.racer.climbs {
		return o.climb(ctx, walk, key, body, limit)
	}
	if body.TimeLimitSeconds != nil {
		dataset, err := client.Call(ctx, walk.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
		if err != nil {
			return err
		}
		if err := limit.race(&body, 0, walk.extended(dataset)); err != nil {
			return err
		}
	}
	created, err := walk.CreateTraining(ctx, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: key}, Body: body,
	})
	if api.CodeOf(err) == api.CodeWrongState {
		return explain(ctx, err).advise("give it a CSV with `foretell datasets upload %[1]s FILE`, or wait with `foretell datasets wait %[1]s`", quote(ref))
	}
	if err != nil {
		return err
	}
	if o.waiter.noWait {
		if walk.embedded {
			o.output.note("the race goes on with `foretell training watch %s`", created.TrainingJobKey)
		}
		return item(&o.output, created, "trainingJobKey", "datasetKey", "status")
	}
	job, err := walk.race(ctx, created.TrainingJobKey)
	if err != nil {
		return err
	}
	return o.gate.conclude(ctx, &o.output, walk.connection, job, o.racer.verdict(job))
}

// climb races for ever higher thresholds.
func (o *trainingCreateOptions) climb(ctx context.Context, walk *walk, key string, body api.NewTraining, limit deadline) error {
	if o.waiter.noWait {
		return usage("--threshold auto with --no-wait: each race begins where the one before has ended").advise("wait, or name a threshold")
	}
	dataset, err := client.Call(ctx, walk.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return err
	}
	c := &climb{walk: walk, output: &o.output, body: body, floor: firstStair, limits: limit}
	job, err := c.up(ctx, dataset)
	if err != nil {
		return err
	}
	return o.gate.conclude(ctx, &o.output, walk.connection, job, nil)
}

type trainingWaitOptions struct {
	waiter waiter
	output output
	gate   gater

	watch bool
}

func newTrainingWatchCmd(h *host) *cobra.Command {
	return newTrainingWaiter(h, true, "watch REF", "Watch a race until it ends")
}

func newTrainingWaitCmd(h *host) *cobra.Command {
	return newTrainingWaiter(h, false, "wait REF", "Wait until a race has ended")
}

func newTrainingWaiter(h *host, watch bool, use, short string) *cobra.Command {
	opts := &trainingWaitOptions{watch: watch}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.waiter.bindWait(cmd, h)
	opts.output.bindItem(cmd, h, prints[api.Training]())
	opts.gate.bind(cmd, &opts.waiter.connector)
	cmd.ValidArgsFunction = opts.waiter.complete(trainingNames)
	return cmd
}

func (o *trainingWaitOptions) run(ctx context.Context, ref string) error {
	if err := o.gate.read(); err != nil {
		return err
	}
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := walk.trainingKey(ctx, ref)
	if err != nil {
		return err
	}
	if away, err := walk.elsewhere(ctx, key); err != nil {
		return err
	} else if away {
		o.output.note("waiting for race %s, which runs in another process; drop it: foretell training cancel %s", key, key)
	}
	var job *api.Training
	if o.watch {
		job, err = walk.watch(ctx, key, true)
	} else {
		job, err = walk.training(ctx, key)
	}
	if err != nil {
		return walk.left(ctx, err, "training", key, "foretell training watch "+key)
	}
	if err := trainingFailed(job); err != nil {
		return err
	}
	if err := o.gate.seekBefore(ctx, walk.connection, job.ModelKey); err != nil {
		return err
	}
	return o.gate.conclude(ctx, &o.output, walk.connection, job, belowTarget(job))
}

// race watches a race that the command started. Ctrl-C leaves a race on another
// machine alone; one in this process could not go on, so it is cancelled and
// its best model kept.
func (w *walk) race(ctx context.Context, key string) (*api.Training, error) {
	job, err := w.sit(ctx, key)
	return job, failedOr(job, err)
}

// sit is race for one that may leave no model.
func (w *walk) sit(ctx context.Context, key string) (*api.Training, error) {
	job, err := w.watch(ctx, key, false)
	if err == nil {
		return job, nil
	}
	var stopped *interruption
	if !w.embedded || !errors.As(context.Cause(ctx), &stopped) {
		return nil, w.left(ctx, err, "training", key, w.further("foretell training watch "+key, key))
	}
	f := &failure{exit: stopped.exit(), fact: "interrupted: the race was stopped", cause: err}
	kept, err := w.stopRace(context.WithoutCancel(ctx), key)
	switch {
	case err != nil:
		f.fact = fmt.Sprintf("interrupted: the race could not be stopped: %v", err)
	case kept.ModelKey != "":
		f.fact += fmt.Sprintf("; its best model so far is kept (%s %.4f)", kept.Metric, performance(kept.AchievedPerformance))
		f = f.advise("predict with it: `%s`", w.further("foretell predictions create "+kept.ModelKey+" BLIND.csv", key))
	default:
		f.fact += " before there was a model"
		f = f.advise("start another with `%s`", w.further("foretell training create "+kept.DatasetKey, ""))
	}
	return nil, f
}

// stopPatience is how long a cancelled race may take to keep its model.
const stopPatience = 3 * time.Second

// stopRace cancels a race in this process and waits until it has ended.
func (w *walk) stopRace(ctx context.Context, key string) (*api.Training, error) {
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	if _, err := client.Call(ctx, w.Client, api.CancelTraining, &api.TrainingInput{TrainingJobKey: key}); err != nil {
		if api.CodeOf(err) != api.CodeWrongState { // it has just ended
			return nil, err
		}
	}
	return w.WaitTraining(ctx, key, nil)
}

// watch shows a race until it has ended, from its start on; replay shows also
// one that has ended.
func (w *walk) watch(ctx context.Context, key string, replay bool) (*api.Training, error) {
	job, err := client.Call(ctx, w.Client, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
	if err != nil {
		return nil, err
	}
	if err := w.takeUp(ctx, cmp.Or(job.ParentTrainingJobKey, key)); err != nil {
		return nil, err
	}
	opts := term.RaceOptions{
		Name: job.DatasetName, Metric: job.Metric, Target: job.TargetPerformance,
		Limit: time.Duration(job.TimeLimitSeconds) * time.Second, Replay: replay,
	}
	if began, err := time.Parse(api.TimeLayout, job.StartedOn); err == nil {
		opts.Start = began
	}
	if ended, err := time.Parse(api.TimeLayout, job.FinishedOn); err == nil {
		opts.End = ended
	}
	race := w.progress.Race(opts)
	defer race.Done()
	doing := w.doing(ctx)
	ended, err := w.WaitTraining(ctx, key, func(p *api.TrainingProgress) {
		race.Update(lanesOf(p.Jobs, job.TargetPerformance), doing(p))
	})
	if err == nil && ended.ModelKey != "" && ended.Algorithm != "" {
		race.Won(term.Lane{
			Name: ended.Algorithm, Title: api.AlgorithmTitle(ended.Algorithm), Word: "kept", Ended: true,
			Kept: ended.AchievedPerformance, LogLoss: ended.LogLoss,
		})
	}
	return ended, err
}

// doing returns a function that says what goes on in a race while no algorithm
// learns: what it waits for before it begins, or that the model is made; empty in
// between and at its end.
func (w *walk) doing(ctx context.Context) func(p *api.TrainingProgress) string {
	learns := func(run api.AlgorithmRun) bool {
		return run.Status == api.TrainingPending || run.Status == api.TrainingRunning
	}
	remedy := sync.OnceValue(func() string { return w.queueRemedy(ctx) })
	return func(p *api.TrainingProgress) string {
		switch {
		case p.Status == api.TrainingPending && p.QueuedBehind > 0:
			return "queued behind " + plural(p.QueuedBehind, "race") + remedy()
		case p.Status == api.TrainingRunning && len(p.Jobs) > 0 && !slices.ContainsFunc(p.Jobs, learns):
			return "making the model"
		}
		return ""
	}
}

// queueRemedy names the command that stops the race that is run first, if it is
// of the same account.
func (w *walk) queueRemedy(ctx context.Context) string {
	for job, err := range client.AllTrainings(ctx, w.Client, true) {
		if err != nil {
			return "" // the wait itself will say so
		}
		if job.Status == api.TrainingRunning {
			return ", yours on " + job.DatasetName + ": stop it with `foretell training cancel " + job.TrainingJobKey + "`"
		}
	}
	return ""
}

// lanesOf says where the algorithms of a race for the threshold, nil for none,
// are.
func lanesOf(jobs []api.AlgorithmRun, threshold *float64) []term.Lane {
	lanes := make([]term.Lane, len(jobs))
	for i, job := range jobs {
		l := term.Lane{
			Name: job.Algorithm, Title: api.AlgorithmTitle(job.Algorithm), State: job.Status, Recent: job.RecentPerformances, Steps: job.Steps,
			Kept: job.KeptPerformance, LogLoss: job.LogLoss,
			Word: api.OutcomeText(job.Outcome, threshold), Ended: true,
		}
		if len(job.Performances) > 0 {
			l.Recent = job.Performances
		}
		switch job.Outcome {
		case api.OutcomePending:
			l.Word, l.Ended = "waiting", false
		case api.OutcomeRunning, "": // nothing for a state that only another deployment knows
			l.Word, l.Ended = "learning", false
		}
		lanes[i] = l
	}
	return lanes
}

// training waits for a race without showing it.
func (w *walk) training(ctx context.Context, key string) (*api.Training, error) {
	if err := w.takeUp(ctx, key); err != nil {
		return nil, err
	}
	phase := w.progress.Phase("the race is under way")
	defer phase.Done()
	doing := w.doing(ctx)
	return w.WaitTraining(ctx, key, func(p *api.TrainingProgress) { phase.Tick(doing(p)) })
}

// trainingFailed is an error for a race that left nothing to work with.
func trainingFailed(job *api.Training) error {
	switch {
	case job.Status == api.TrainingFailed, job.Status == api.TrainingCancelled:
	case job.ModelKey == "":
	default:
		return nil
	}
	f := fail(ExitJobFailed, "training %s ended as %s", job.TrainingJobKey, job.Status)
	if job.FailureReason != "" {
		f.fact += ": " + job.FailureReason
	}
	if job.ModelKey != "" {
		return f.advise("its best model so far is %s: see `foretell models get %s`", job.ModelKey, job.ModelKey)
	}
	return f.advise("see `foretell training progress %s`", job.TrainingJobKey)
}

// belowTarget is an error for a race that ended under the threshold that was
// asked for, though its best model was kept.
func belowTarget(job *api.Training) error {
	if job.Status == api.TrainingCompleted || job.TargetPerformance == nil {
		return nil
	}
	f := fail(ExitBelowTarget, "the race ended as %s: the best %s is %.4f, under the threshold of %g",
		job.Status, job.Metric, performance(job.AchievedPerformance), *job.TargetPerformance)
	return f.advise("the best model is kept; see `foretell models report %s`", job.ModelKey)
}

// performance is a figure that may be absent.
func performance(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}
