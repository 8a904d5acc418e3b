package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

type trainingCreateOptions struct {
	host     *factory
	wait     waitFlags
	training trainFlags
	output   output
	gate     requirementFlags
}

func newTrainingCreateCmd(f *factory) *cobra.Command {
	opts := &trainingCreateOptions{host: f}
	cmd := &cobra.Command{
		Use: "create DATASET", Short: "Start a race on a dataset and watch it", Args: positionalArgs("DATASET"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.bind(cmd, f)
	opts.training.bind(cmd)
	opts.gate.bind(cmd, &opts.wait.serviceFlags)
	opts.output.bindItem(cmd, f, resultType[api.Training](), resultType[api.CreatedTraining]())
	for _, flag := range []string{"require", "beat", "junit"} {
		cmd.MarkFlagsMutuallyExclusive("no-wait", flag)
	}
	cmd.ValidArgsFunction = opts.wait.completeReference(datasetNames)
	return cmd
}

func (o *trainingCreateOptions) run(ctx context.Context, ref string) error {
	limit := o.training.deadline(o.host.now, o.host.now())
	body, err := o.training.request()
	if err != nil {
		return err
	}
	if err := o.gate.parse(); err != nil {
		return err
	}
	ctx, session, done, err := o.wait.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.datasetKey(ctx, ref)
	if err != nil {
		return err
	}
	if err := session.resumePreparation(ctx, key); err != nil {
		return err
	}
	if err := o.gate.prepare(ctx, session, key, body.Metric); err != nil {
		return err
	}
	if o.training.autoThreshold {
		return o.searchThreshold(ctx, session, key, body, limit)
	}
	if body.TimeLimitSeconds != nil {
		dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
		if err != nil {
			return err
		}
		if err := limit.limitRace(&body, 0, session.hasExtensions(dataset)); err != nil {
			return err
		}
	}
	created, err := session.CreateTraining(ctx, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: key}, Body: body,
	})
	if api.CodeOf(err) == api.CodeWrongState {
		return asCLIError(ctx, err).withHint("upload its CSV with `foretell datasets upload %[1]s FILE`, or wait with `foretell datasets wait %[1]s`", shellQuote(ref))
	}
	if err != nil {
		return err
	}
	if o.wait.noWait {
		if session.embedded {
			o.output.note("continue the race with `foretell training watch %s`", created.TrainingJobKey)
		}
		return printItem(&o.output, created, "trainingJobKey", "datasetKey", "status")
	}
	job, err := session.awaitModel(ctx, created.TrainingJobKey)
	if err != nil {
		return err
	}
	return o.gate.finish(ctx, &o.output, session, job, o.training.thresholdError(job))
}

// searchThreshold races with increasing thresholds.
func (o *trainingCreateOptions) searchThreshold(ctx context.Context, session *session, key string, body api.NewTraining, limit deadline) error {
	if o.wait.noWait {
		return usageErrorf("--threshold auto cannot be combined with --no-wait: each race depends on the one before").withHint("omit --no-wait, or set a threshold")
	}
	dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return err
	}
	c := &thresholdSearch{session: session, output: &o.output, body: body, first: defaultFirstThreshold, deadline: limit}
	job, err := c.run(ctx, dataset)
	if err != nil {
		return err
	}
	return o.gate.finish(ctx, &o.output, session, job, nil)
}

type trainingWaitOptions struct {
	wait   waitFlags
	output output
	gate   requirementFlags

	watch bool
}

func newTrainingWatchCmd(f *factory) *cobra.Command {
	return newTrainingWaitingCmd(f, true, "watch REF", "Watch a race until it ends")
}

func newTrainingWaitCmd(f *factory) *cobra.Command {
	return newTrainingWaitingCmd(f, false, "wait REF", "Wait until a race has ended")
}

func newTrainingWaitingCmd(f *factory, watch bool, use, short string) *cobra.Command {
	opts := &trainingWaitOptions{watch: watch}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: positionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.bindWait(cmd, f)
	opts.output.bindItem(cmd, f, resultType[api.Training]())
	opts.gate.bind(cmd, &opts.wait.serviceFlags)
	cmd.ValidArgsFunction = opts.wait.completeReference(trainingNames)
	return cmd
}

func (o *trainingWaitOptions) run(ctx context.Context, ref string) error {
	if err := o.gate.parse(); err != nil {
		return err
	}
	ctx, session, done, err := o.wait.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.trainingKey(ctx, ref)
	if err != nil {
		return err
	}
	if away, err := session.runsElsewhere(ctx, key); err != nil {
		return err
	} else if away {
		o.output.note("waiting for race %s, which runs in another process; cancel it with: foretell training cancel %s", key, key)
	}
	var job *api.Training
	if o.watch {
		job, err = session.watchRace(ctx, key, true)
	} else {
		job, err = session.awaitTraining(ctx, key)
	}
	if err != nil {
		return session.waitError(ctx, err, "training", key, "foretell training watch "+key)
	}
	if err := trainingFailed(job); err != nil {
		return err
	}
	if err := o.gate.findBaselineOf(ctx, session, job.ModelKey); err != nil {
		return err
	}
	return o.gate.finish(ctx, &o.output, session, job, belowTarget(job))
}
