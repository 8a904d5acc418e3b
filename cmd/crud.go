package cmd

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/requirement"
)

// resource is a type of object, such as a dataset, with the functions that resolve and list
// references to its objects.
type resource struct {
	resolve  func(session *connect.Session, ctx context.Context, ref string) (key string, err error)
	listRefs connect.ReferenceLister // completes references
}

var (
	datasetResource      = resource{(*connect.Session).DatasetKey, connect.ListDatasetRefs}
	exactDatasetResource = resource{(*connect.Session).DatasetKeyExact, connect.ListDatasetRefs}
	trainingResource     = resource{(*connect.Session).TrainingKey, connect.ListTrainingRefs}
	modelResource        = resource{(*connect.Session).ModelKey, connect.ListModelRefs}
	predictionResource   = resource{(*connect.Session).PredictionKey, connect.ListPredictionRefs}
)

// getCommand is a command that finds an object, makes one request about it, and prints
// the response.
type getCommand[T any] struct {
	use, short string
	resource   resource
	// runsJobs is set if the embedded service must run jobs for the request.
	runsJobs bool
	fetch    func(ctx context.Context, c *client.Client, key string) (T, error)
	print    func(o *cli.Output, answer T) error
	// hasRequirements adds --require and --beat to a command whose object is a model.
	hasRequirements bool
}

type getOptions[T any] struct {
	service connect.ServiceFlags
	output  cli.Output
	gate    requirement.Flags
	command getCommand[T]
}

func newGetCmd[T any](f *cli.Factory, q getCommand[T]) *cobra.Command {
	opts := &getOptions[T]{service: connect.ServiceFlags{NoJobs: !q.runsJobs}, command: q}
	cmd := &cobra.Command{
		Use: q.use, Short: q.short, Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[T]())
	if q.hasRequirements {
		opts.gate.Bind(cmd, &opts.service)
	}
	cmd.ValidArgsFunction = opts.service.CompleteReference(q.resource.listRefs)
	return cmd
}

func (o *getOptions[T]) run(ctx context.Context, ref string) error {
	if err := cmp.Or(o.gate.Parse(), o.gate.CheckJUnitFile("")); err != nil {
		return err
	}
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	key, err := o.command.resource.resolve(session, ctx, ref)
	if err != nil {
		return err
	}
	answer, err := o.command.fetch(ctx, session.Client, key)
	if err != nil {
		return err
	}
	if err := o.gate.SetBaselineForModel(ctx, session, key); err != nil {
		return err
	}
	verdicts, err := o.gate.Evaluate(ctx, session, key)
	if err != nil {
		return err
	}
	if err := o.command.print(&o.output, answer); err != nil {
		return err
	}
	return o.gate.Publish(&o.output, verdicts, nil)
}

// waitCommand is a command that waits for the job on an object and prints the object.
type waitCommand[T any] struct {
	short    string
	resource resource
	await    func(session *connect.Session, ctx context.Context, key string) (T, error)
	print    func(o *cli.Output, answer T) error
}

type waitOptions[T any] struct {
	wait    connect.WaitFlags
	output  cli.Output
	command waitCommand[T]
}

func newWaitCmd[T any](f *cli.Factory, w waitCommand[T]) *cobra.Command {
	opts := &waitOptions[T]{command: w}
	cmd := &cobra.Command{
		Use: "wait REF", Short: w.short, Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.BindWait(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[T]())
	cmd.ValidArgsFunction = opts.wait.CompleteReference(w.resource.listRefs)
	return cmd
}

func (o *waitOptions[T]) run(ctx context.Context, ref string) error {
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := o.command.resource.resolve(session, ctx, ref)
	if err != nil {
		return err
	}
	answer, err := o.command.await(session, ctx, key)
	if err != nil {
		return err
	}
	return o.command.print(&o.output, answer)
}

// deleteCommand is a command that deletes an object after confirmation.
type deleteCommand struct {
	short    string
	resource resource
	// question returns the confirmation prompt. It may request the object from the service.
	question func(ctx context.Context, c *client.Client, key string) (string, error)
	remove   func(ctx context.Context, c *client.Client, key string) (deleted, error)
	// column is the name of the output column with the key of the deleted object.
	column string
}

type deleteOptions struct {
	service connect.ServiceFlags
	confirm cli.ConfirmFlag
	output  cli.Output
	command deleteCommand
}

func newDeleteCmd(f *cli.Factory, r deleteCommand) *cobra.Command {
	opts := &deleteOptions{command: r}
	cmd := &cobra.Command{
		Use: "delete REF", Short: r.short, Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.service.Bind(cmd, f)
	opts.confirm.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[deleted]())
	cmd.ValidArgsFunction = opts.service.CompleteReference(r.resource.listRefs)
	return cmd
}

func (o *deleteOptions) run(ctx context.Context, ref string) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	key, err := o.command.resource.resolve(session, ctx, ref)
	if err != nil {
		return err
	}
	question, err := o.command.question(ctx, session.Client, key)
	if err != nil {
		return err
	}
	if err := o.confirm.Ask(ctx, question); err != nil {
		return err
	}
	gone, err := o.command.remove(ctx, session.Client, key)
	if err != nil {
		return err
	}
	return cli.PrintItem(&o.output, gone, o.command.column)
}

// deleted is the output of a delete command: the key of the deleted object.
type deleted struct {
	DatasetKey     string `json:"datasetKey,omitempty"`
	TrainingJobKey string `json:"trainingJobKey,omitempty"`
	ModelKey       string `json:"modelKey,omitempty"`
	PredictionKey  string `json:"predictionKey,omitempty"`
}
