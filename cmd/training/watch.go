package training

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/race"
	"foretell/internal/requirement"
	"foretell/internal/term"
)

type trainingCreateOptions struct {
	factory  *cli.Factory
	wait     connect.WaitFlags
	training race.Flags
	output   cli.Output
	gate     requirement.Flags
}

func newTrainingCreateCmd(f *cli.Factory) *cobra.Command {
	opts := &trainingCreateOptions{factory: f}
	cmd := &cobra.Command{
		Use: "create DATASET", Short: "Start a race on a dataset and watch it", Args: cli.PositionalArgs("DATASET"),
		Long: `Starts a race on a dataset and shows its progress until it ends. If standard input and
standard error are terminals, Enter ends the race and keeps its best model so far. With
the embedded service, the first Ctrl-C then has the same effect. With a server, Ctrl-C
leaves the race running, and prints the command that shows its progress again.`,
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.Bind(cmd, f)
	opts.training.Bind(cmd)
	opts.gate.Bind(cmd, &opts.wait.ServiceFlags)
	opts.output.BindItem(cmd, f, cli.ResultType[api.Training](), cli.ResultType[api.CreatedTraining]())
	for _, flag := range []string{"require", "beat", "junit"} {
		cmd.MarkFlagsMutuallyExclusive("no-wait", flag)
	}
	cmd.ValidArgsFunction = opts.wait.CompleteReference(connect.ListDatasetRefs)
	return cmd
}

func (o *trainingCreateOptions) run(ctx context.Context, ref string) error {
	limit := o.training.Deadline(o.factory.Now, o.factory.Now())
	body, err := o.training.Request()
	if err != nil {
		return err
	}
	if err := cmp.Or(o.gate.Parse(), o.gate.CheckJUnitFile(nil)); err != nil {
		return err
	}
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.DatasetKey(ctx, ref)
	if err != nil {
		return err
	}
	if err := session.ResumeEmbeddedPreparation(ctx, key); err != nil {
		return err
	}
	if err := o.gate.Prepare(ctx, session, key); err != nil {
		return err
	}
	o.gate.WarnIfIncomparableOn(ctx, &o.output, session, key, &body)
	if o.training.AutoThreshold {
		return o.searchThreshold(ctx, session, key, body, limit)
	}
	if body.TimeLimitSeconds != nil {
		dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
		if err != nil {
			return err
		}
		if err := limit.LimitRace(&body, 0, session.HasExtensions(dataset)); err != nil {
			return err
		}
	}
	created, err := session.StartRace(ctx, &api.CreateTrainingInput{
		DatasetInput: api.DatasetInput{DatasetKey: key}, Body: body,
	})
	if api.CodeFromError(err) == api.CodeWrongState {
		return exit.FromError(ctx, err).WithHint("upload its CSV with `foretell datasets upload %[1]s FILE`, or wait with `foretell datasets wait %[1]s`", term.ShellQuote(ref))
	}
	if err != nil {
		return err
	}
	if o.wait.NoWait {
		if session.Embedded {
			o.output.Note("the race only runs while a command waits for it; continue it with `foretell training watch %s`", created.TrainingJobKey)
		}
		return cli.PrintItem(&o.output, created, "trainingJobKey", "datasetKey", "status")
	}
	job, err := session.AwaitModel(ctx, created.TrainingJobKey)
	if err != nil {
		return err
	}
	return o.gate.PrintAndEvaluate(ctx, &o.output, session, job, o.training.ThresholdError(job))
}

// searchThreshold runs races with increasing thresholds, for --threshold auto.
func (o *trainingCreateOptions) searchThreshold(ctx context.Context, session *connect.Session, key string, body api.NewTraining, limit race.Deadline) error {
	if o.wait.NoWait {
		return exit.Usagef("--threshold auto cannot be combined with --no-wait: it runs several races one after the other, and waits for each").WithHint("omit --no-wait, or set --threshold to a number")
	}
	dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil {
		return err
	}
	c := &race.ThresholdSearch{Session: session, Output: &o.output, Body: body, First: race.DefaultFirstThreshold, Deadline: limit}
	job, err := c.Run(ctx, dataset)
	if err != nil {
		return err
	}
	return o.gate.PrintAndEvaluate(ctx, &o.output, session, job, nil)
}

type trainingWaitOptions struct {
	wait   connect.WaitFlags
	output cli.Output
	gate   requirement.Flags

	watch bool
}

func newTrainingWatchCmd(f *cli.Factory) *cobra.Command {
	return newWatchOrWaitCmd(f, true, "watch REF", "Watch a race until it ends")
}

func newTrainingWaitCmd(f *cli.Factory) *cobra.Command {
	return newWatchOrWaitCmd(f, false, "wait REF", "Wait until a race has ended")
}

func newWatchOrWaitCmd(f *cli.Factory, watch bool, use, short string) *cobra.Command {
	opts := &trainingWaitOptions{watch: watch}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.BindWait(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[api.Training]())
	opts.gate.Bind(cmd, &opts.wait.ServiceFlags)
	cmd.ValidArgsFunction = opts.wait.CompleteReference(connect.ListTrainingRefs)
	return cmd
}

func (o *trainingWaitOptions) run(ctx context.Context, ref string) error {
	if err := cmp.Or(o.gate.Parse(), o.gate.CheckJUnitFile(nil)); err != nil {
		return err
	}
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.TrainingKey(ctx, ref)
	if err != nil {
		return err
	}
	if away, err := session.RunsElsewhere(ctx, key); err != nil {
		return err
	} else if away {
		o.output.Note("waiting for race %s, which runs in another process; cancel it with `foretell training cancel %s`", key, key)
	}
	var job *api.Training
	if o.watch {
		job, err = session.WatchRace(ctx, key, true)
	} else {
		job, err = session.AwaitRaceSilently(ctx, key)
	}
	if err != nil {
		return session.WaitError(ctx, err, "race", key, "foretell training watch "+key)
	}
	if err := connect.TrainingError(job); err != nil {
		return err
	}
	if err := o.gate.SetBaselineForModel(ctx, session, job.ModelKey); err != nil {
		return err
	}
	return o.gate.PrintAndEvaluate(ctx, &o.output, session, job, race.BelowThresholdError(job))
}
