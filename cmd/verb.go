package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/client"
)

// noun is one kind of the service's things, by how a command finds one.
type noun struct {
	find  func(conn *connection, ctx context.Context, ref string) (key string, err error)
	names namesOf // for shells
}

var (
	datasetNoun    = noun{(*connection).datasetKey, datasetNames}
	oneDatasetNoun = noun{(*connection).datasetKeyExact, datasetNames}
	trainingNoun   = noun{(*connection).trainingKey, trainingNames}
	modelNoun      = noun{(*connection).modelKey, modelNames}
	predictionNoun = noun{(*connection).predictionKey, predictionNames}
)

// inquiry is a command that finds one thing, asks the service once about it,
// and prints the answer.
type inquiry[T any] struct {
	use, short string
	noun       noun
	// working is set where the service has work to do on the answer.
	working bool
	ask     func(ctx context.Context, c *client.Client, key string) (T, error)
	print   func(o *output, answer T) error
	// gated is set where the thing is a model that can be held to requirements.
	gated bool
}

type inquiryOptions[T any] struct {
	connector connector
	output    output
	gate      gater
	inquiry   inquiry[T]
}

func newInquiryCmd[T any](h *host, q inquiry[T]) *cobra.Command {
	opts := &inquiryOptions[T]{connector: connector{idle: !q.working}, inquiry: q}
	cmd := &cobra.Command{
		Use: q.use, Short: q.short, Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindItem(cmd, h, prints[T]())
	if q.gated {
		opts.gate.bind(cmd, &opts.connector)
	}
	cmd.ValidArgsFunction = opts.connector.complete(q.noun.names)
	return cmd
}

func (o *inquiryOptions[T]) run(ctx context.Context, ref string) error {
	if err := o.gate.read(); err != nil {
		return err
	}
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key, err := o.inquiry.noun.find(conn, ctx, ref)
	if err != nil {
		return err
	}
	answer, err := o.inquiry.ask(ctx, conn.Client, key)
	if err != nil {
		return err
	}
	if err := o.gate.seekBefore(ctx, conn, key); err != nil {
		return err
	}
	verdicts, err := o.gate.judge(ctx, conn, key)
	if err != nil {
		return err
	}
	if err := o.inquiry.print(&o.output, answer); err != nil {
		return err
	}
	return o.gate.publish(&o.output, verdicts, nil)
}

// removal is a command that deletes one thing, and asks before.
type removal struct {
	short string
	noun  noun
	// question is put before the thing goes; it may look the thing up.
	question func(ctx context.Context, c *client.Client, key string) (string, error)
	remove   func(ctx context.Context, c *client.Client, key string) (deleted, error)
	// column is what the key is called in what is printed.
	column string
}

type removalOptions struct {
	connector connector
	asker     asker
	output    output
	removal   removal
}

func newRemovalCmd(h *host, r removal) *cobra.Command {
	opts := &removalOptions{removal: r}
	cmd := &cobra.Command{
		Use: "delete REF", Short: r.short, Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.connector.bind(cmd, h)
	opts.asker.bind(cmd, h)
	opts.output.bindItem(cmd, h, prints[deleted]())
	cmd.ValidArgsFunction = opts.connector.complete(r.noun.names)
	return cmd
}

func (o *removalOptions) run(ctx context.Context, ref string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key, err := o.removal.noun.find(conn, ctx, ref)
	if err != nil {
		return err
	}
	question, err := o.removal.question(ctx, conn.Client, key)
	if err != nil {
		return err
	}
	if err := o.asker.confirm(ctx, question); err != nil {
		return err
	}
	gone, err := o.removal.remove(ctx, conn.Client, key)
	if err != nil {
		return err
	}
	return item(&o.output, gone, o.removal.column)
}

// deleted is what a delete prints: the key of what is gone.
type deleted struct {
	DatasetKey     string `json:"datasetKey,omitempty"`
	TrainingJobKey string `json:"trainingJobKey,omitempty"`
	ModelKey       string `json:"modelKey,omitempty"`
	PredictionKey  string `json:"predictionKey,omitempty"`
}
