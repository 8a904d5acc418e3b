package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/client"
)

// resource is a type of the service's objects and how to find one.
type resource struct {
	find  func(session *session, ctx context.Context, ref string) (key string, err error)
	names nameLister // for shells
}

var (
	datasetResource      = resource{(*session).datasetKey, datasetNames}
	exactDatasetResource = resource{(*session).datasetKeyExact, datasetNames}
	trainingResource     = resource{(*session).trainingKey, trainingNames}
	modelResource        = resource{(*session).modelKey, modelNames}
	predictionResource   = resource{(*session).predictionKey, predictionNames}
)

// getCommand is a command that finds an object, makes one request about it, and prints
// the response.
type getCommand[T any] struct {
	use, short string
	resource   resource
	// startsWork is set if the request starts work of the service.
	startsWork bool
	fetch      func(ctx context.Context, c *client.Client, key string) (T, error)
	print      func(o *output, answer T) error
	// hasRequirements is set if the object is a model that --require and --beat apply to.
	hasRequirements bool
}

type getOptions[T any] struct {
	service serviceFlags
	output  output
	gate    requirementFlags
	command getCommand[T]
}

func newGetCmd[T any](f *factory, q getCommand[T]) *cobra.Command {
	opts := &getOptions[T]{service: serviceFlags{idle: !q.startsWork}, command: q}
	cmd := &cobra.Command{
		Use: q.use, Short: q.short, Args: positionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.service.bind(cmd, f)
	opts.output.bindItem(cmd, f, resultType[T]())
	if q.hasRequirements {
		opts.gate.bind(cmd, &opts.service)
	}
	cmd.ValidArgsFunction = opts.service.completeReference(q.resource.names)
	return cmd
}

func (o *getOptions[T]) run(ctx context.Context, ref string) error {
	if err := o.gate.parse(); err != nil {
		return err
	}
	session, err := o.service.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	key, err := o.command.resource.find(session, ctx, ref)
	if err != nil {
		return err
	}
	answer, err := o.command.fetch(ctx, session.Client, key)
	if err != nil {
		return err
	}
	if err := o.gate.findBaselineOf(ctx, session, key); err != nil {
		return err
	}
	verdicts, err := o.gate.evaluate(ctx, session, key)
	if err != nil {
		return err
	}
	if err := o.command.print(&o.output, answer); err != nil {
		return err
	}
	return o.gate.publish(&o.output, verdicts, nil)
}

// deleteCommand is a command that deletes an object after confirmation.
type deleteCommand struct {
	short    string
	resource resource
	// question returns the confirmation prompt; it may look the object up.
	question func(ctx context.Context, c *client.Client, key string) (string, error)
	remove   func(ctx context.Context, c *client.Client, key string) (deleted, error)
	// column is the name of the key's output column.
	column string
}

type deleteOptions struct {
	service serviceFlags
	confirm confirmFlag
	output  output
	command deleteCommand
}

func newDeleteCmd(f *factory, r deleteCommand) *cobra.Command {
	opts := &deleteOptions{command: r}
	cmd := &cobra.Command{
		Use: "delete REF", Short: r.short, Args: positionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.service.bind(cmd, f)
	opts.confirm.bind(cmd, f)
	opts.output.bindItem(cmd, f, resultType[deleted]())
	cmd.ValidArgsFunction = opts.service.completeReference(r.resource.names)
	return cmd
}

func (o *deleteOptions) run(ctx context.Context, ref string) error {
	session, err := o.service.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	key, err := o.command.resource.find(session, ctx, ref)
	if err != nil {
		return err
	}
	question, err := o.command.question(ctx, session.Client, key)
	if err != nil {
		return err
	}
	if err := o.confirm.ask(ctx, question); err != nil {
		return err
	}
	gone, err := o.command.remove(ctx, session.Client, key)
	if err != nil {
		return err
	}
	return printItem(&o.output, gone, o.command.column)
}

// deleted is the output of a delete command: the key of the deleted object.
type deleted struct {
	DatasetKey     string `json:"datasetKey,omitempty"`
	TrainingJobKey string `json:"trainingJobKey,omitempty"`
	ModelKey       string `json:"modelKey,omitempty"`
	PredictionKey  string `json:"predictionKey,omitempty"`
}
