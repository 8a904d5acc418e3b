package cmd

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/report"
	"foretell/internal/term"
)

var (
	modelColumns = []string{"modelKey", "datasetName", "version", "algorithm", "achievedPerformance", "champion", "createdOn"}
	modelMembers = []string{
		"modelKey", "version", "algorithm", "achievedPerformance", "champion", "datasetKey", "trainingJobKey", "createdOn",
	}
)

func newModelsCmd(h *host) *cobra.Command {
	cmd := &cobra.Command{
		Use: "models", Aliases: []string{"model"},
		Short: "Models that races have left",
		Long: `REF is a model's key, at least 6 characters of it, NAME or NAME@champion for the
best model of a dataset, NAME@v3 for its third, or @last.`,
	}
	cmd.AddCommand(newModelsListCmd(h), newModelsGetCmd(h), newModelsReportCmd(h), newModelsDeleteCmd(h))
	return cmd
}

type modelsListOptions struct {
	connector connector
	output    output
	lister    lister
}

func newModelsListCmd(h *host) *cobra.Command {
	opts := &modelsListOptions{connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "list [DATASET]", Short: "List models, those of a dataset newest first", Args: takes("[DATASET]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindList(cmd, h)
	opts.lister.bind(cmd)
	cmd.ValidArgsFunction = opts.connector.complete(datasetNames)
	return cmd
}

func (o *modelsListOptions) run(ctx context.Context, args []string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	models := conn.allModels(ctx, "")
	if len(args) > 0 {
		key, err := conn.datasetKey(ctx, args[0])
		if err != nil {
			return err
		}
		models, err = conn.modelsOf(ctx, key)
		if err != nil {
			return err
		}
	}
	rows, err := collectSome(models, o.lister.limit)
	if err != nil {
		return err
	}
	return list(&o.output, rows, modelColumns...)
}

type modelsGetOptions struct {
	connector connector
	output    output
}

func newModelsGetCmd(h *host) *cobra.Command {
	opts := &modelsGetOptions{connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "get REF", Short: "Show a model", Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindItem(cmd, h)
	cmd.ValidArgsFunction = opts.connector.complete(modelNames)
	return cmd
}

func (o *modelsGetOptions) run(ctx context.Context, ref string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key, err := conn.modelKey(ctx, ref)
	if err != nil {
		return err
	}
	model, err := client.Call(ctx, conn.Client, api.GetModel, &api.ModelInput{ModelKey: key})
	if err != nil {
		return err
	}
	return item(&o.output, model, modelMembers...)
}

type modelsReportOptions struct {
	connector connector
	output    output
}

func newModelsReportCmd(h *host) *cobra.Command {
	opts := &modelsReportOptions{connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "report REF", Short: "Show how good a model is and what it looks at", Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindItem(cmd, h)
	cmd.ValidArgsFunction = opts.connector.complete(modelNames)
	return cmd
}

func (o *modelsReportOptions) run(ctx context.Context, ref string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key, err := conn.modelKey(ctx, ref)
	if err != nil {
		return err
	}
	r, err := client.Call(ctx, conn.Client, api.GetModelReport, &api.ModelInput{ModelKey: key})
	if err != nil {
		return err
	}
	if o.output.json || o.output.quiet || len(o.output.fields) > 0 {
		return item(&o.output, r, "modelKey")
	}
	var text bytes.Buffer
	if err := report.WriteText(&text, r, reportWidth); err != nil {
		return err
	}
	_, err = fmt.Fprint(o.output.host.console.Out, term.EscapeLines(text.String()))
	return err
}

// reportWidth is the same on a terminal and in a pipe, as all content is.
const reportWidth = 80

type modelsDeleteOptions struct {
	connector connector
	asker     asker
	output    output
}

func newModelsDeleteCmd(h *host) *cobra.Command {
	opts := &modelsDeleteOptions{}
	cmd := &cobra.Command{
		Use: "delete REF", Short: "Delete a model and its predictions", Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.connector.bind(cmd, h)
	opts.asker.bind(cmd, h)
	opts.output.bindItem(cmd, h)
	cmd.ValidArgsFunction = opts.connector.complete(modelNames)
	return cmd
}

func (o *modelsDeleteOptions) run(ctx context.Context, ref string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	key, err := conn.modelKey(ctx, ref)
	if err != nil {
		return err
	}
	if err := o.asker.confirm(ctx, fmt.Sprintf("Delete model %s with its predictions?", key)); err != nil {
		return err
	}
	if _, err := client.Call(ctx, conn.Client, api.DeleteModel, &api.ModelInput{ModelKey: key}); err != nil {
		return err
	}
	return printDeleted(&o.output, deleted{ModelKey: key}, "modelKey")
}
