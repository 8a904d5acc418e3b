// Package crud has the commands that every type of object has: commands that make one request about
// an object, such as get, and the commands wait and delete.
package crud

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/requirement"
)

// Resource is a type of object, such as a dataset, with the functions that resolve and list
// references to its objects. A reference is, for example, a name, a key or the beginning of a key.
type Resource struct {
	Resolve  func(session *connect.Session, ctx context.Context, ref string) (key string, err error)
	listRefs connect.ReferenceLister // lists the references that completions offer
}

// The types of objects. Datasets resolves the name of a series to its newest dataset.
// DatasetsByExactName prefers the dataset with exactly this name, if there is one.
var (
	Datasets            = Resource{(*connect.Session).DatasetKey, connect.ListDatasetRefs}
	DatasetsByExactName = Resource{(*connect.Session).DatasetKeyExact, connect.ListDatasetRefs}
	Trainings           = Resource{(*connect.Session).TrainingKey, connect.ListTrainingRefs}
	Models              = Resource{(*connect.Session).ModelKey, connect.ListModelRefs}
	Predictions         = Resource{(*connect.Session).PredictionKey, connect.ListPredictionRefs}
)

// RequestCommand is a command that finds an object, makes one request about it, and prints
// the response.
type RequestCommand[T any] struct {
	Use, Short string
	Resource   Resource
	// RunsJobs is set if the request changes the object and needs a job to run. A service in this
	// process then also runs jobs. If RunsJobs is not set, the request changes nothing.
	RunsJobs bool
	Fetch    func(ctx context.Context, c *client.Client, key string) (T, error)
	Print    func(o *cli.Output, answer T) error
	// HasRequirements adds --require and --beat to a command whose object is a model.
	HasRequirements bool
}

type requestOptions[T any] struct {
	service connect.ServiceFlags
	output  cli.Output
	gate    requirement.Flags
	command RequestCommand[T]
}

// NewRequestCmd returns the command that q describes.
func NewRequestCmd[T any](f *cli.Factory, q RequestCommand[T]) *cobra.Command {
	opts := &requestOptions[T]{service: connect.ServiceFlags{NoJobs: !q.RunsJobs, ReadOnly: !q.RunsJobs}, command: q}
	cmd := &cobra.Command{
		Use: q.Use, Short: q.Short, Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[T]())
	if q.HasRequirements {
		opts.gate.Bind(cmd, &opts.service)
	}
	cmd.ValidArgsFunction = opts.service.CompleteReference(q.Resource.listRefs)
	return cmd
}

func (o *requestOptions[T]) run(ctx context.Context, ref string) error {
	if err := cmp.Or(o.gate.Parse(), o.gate.CheckJUnitFile(nil)); err != nil {
		return err
	}
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	key, err := o.command.Resource.Resolve(session, ctx, ref)
	if err != nil {
		return err
	}
	answer, err := o.command.Fetch(ctx, session.Client, key)
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
	if err := o.command.Print(&o.output, answer); err != nil {
		return err
	}
	return o.gate.Publish(ctx, &o.output, verdicts, nil)
}

// WaitCommand is a command that waits until the job on an object, such as the preparation of a
// dataset, has ended, and then prints the object.
type WaitCommand[T any] struct {
	Short    string
	Resource Resource
	Await    func(session *connect.Session, ctx context.Context, key string) (T, error)
	Print    func(o *cli.Output, answer T) error
}

type waitOptions[T any] struct {
	wait    connect.WaitFlags
	output  cli.Output
	command WaitCommand[T]
}

// NewWaitCmd returns the command wait that w describes.
func NewWaitCmd[T any](f *cli.Factory, w WaitCommand[T]) *cobra.Command {
	opts := &waitOptions[T]{command: w}
	cmd := &cobra.Command{
		Use: "wait REF", Short: w.Short, Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.BindWait(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[T]())
	cmd.ValidArgsFunction = opts.wait.CompleteReference(w.Resource.listRefs)
	return cmd
}

func (o *waitOptions[T]) run(ctx context.Context, ref string) error {
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := o.command.Resource.Resolve(session, ctx, ref)
	if err != nil {
		return err
	}
	answer, err := o.command.Await(session, ctx, key)
	if err != nil {
		return err
	}
	return o.command.Print(&o.output, answer)
}

// DeleteCommand is a command that deletes an object after confirmation.
type DeleteCommand struct {
	Short    string
	Resource Resource
	// Question returns the confirmation prompt. It may request the object from the service.
	Question func(ctx context.Context, c *client.Client, key string) (string, error)
	Remove   func(ctx context.Context, c *client.Client, key string) (Deleted, error)
	// Column is the name of the output column with the key of the deleted object.
	Column string
}

type deleteOptions struct {
	service connect.ServiceFlags
	confirm cli.ConfirmFlag
	output  cli.Output
	command DeleteCommand
}

// NewDeleteCmd returns the command delete that r describes.
func NewDeleteCmd(f *cli.Factory, r DeleteCommand) *cobra.Command {
	opts := &deleteOptions{command: r}
	cmd := &cobra.Command{
		Use: "delete REF", Short: r.Short, Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.service.Bind(cmd, f)
	opts.confirm.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[Deleted]())
	cmd.ValidArgsFunction = opts.service.CompleteReference(r.Resource.listRefs)
	return cmd
}

func (o *deleteOptions) run(ctx context.Context, ref string) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	key, err := o.command.Resource.Resolve(session, ctx, ref)
	if err != nil {
		return err
	}
	question, err := o.command.Question(ctx, session.Client, key)
	if err != nil {
		return err
	}
	if err := o.confirm.Ask(ctx, question); err != nil {
		return err
	}
	gone, err := o.command.Remove(ctx, session.Client, key)
	if err != nil {
		return err
	}
	return cli.PrintItem(&o.output, gone, o.command.Column)
}

// Deleted is the output of a delete command. It has only the key of the deleted object; the other
// keys are "".
type Deleted struct {
	DatasetKey     string `json:"datasetKey,omitempty"`
	TrainingJobKey string `json:"trainingJobKey,omitempty"`
	ModelKey       string `json:"modelKey,omitempty"`
	PredictionKey  string `json:"predictionKey,omitempty"`
}
