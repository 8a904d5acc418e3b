// Package model implements the command models and its subcommands, such as models list, report,
// diff and export.
package model

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/cmd/crud"
	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
)

// modelListFields are the fields that `models list` prints, and modelItemFields the fields that other
// commands print for a single model.
var (
	modelListFields = []string{"modelKey", "series", "seriesVersion", "algorithm", "achievedPerformance", "testPerformance", "champion", "createdOn"}
	modelItemFields = []string{
		"modelKey", "series", "seriesVersion", "version", "algorithm", "metric", "achievedPerformance", "testPerformance", "champion", "championReason",
		"datasetKey", "trainingJobKey", "createdOn",
	}
)

// NewModelsCmd returns the command models.
func NewModelsCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "models", Aliases: []string{"model"},
		Short: "Manage trained models",
		Long: `REF selects a model. It has one of these forms:

  KEY                  the key of the model, or at least its first 6 characters
  NAME, NAME@champion  the champion of the series NAME
  NAME@v3              the third model of the series NAME
  @last                the newest model

A series contains all models that were trained under the same name. The models are
numbered across the datasets of the series.

The champion of a series is the model with the highest validation performance, among
the models with the dataset, the metric, the class weights, --group and --time of the
newest model. A model that met --beat champion ranks before the other models of its
dataset. A model of a cancelled race is the champion only if the series has no other
model.

A model that missed --require or --beat is rejected: it cannot be the champion until it is
promoted. ` + "`foretell models promote`" + ` makes any model the champion. The field
championReason says why a model is the champion, or why it is not.

The datasets of the series NAME are called NAME, NAME-2 and so on. NAME-2 as REF selects
only models of this dataset.`,
	}
	cmd.AddCommand(newModelsListCmd(f), newModelsGetCmd(f), newModelsReportCmd(f), newModelsDiffCmd(f), newModelsExportCmd(f), newModelsPromoteCmd(f), newModelsDeleteCmd(f))
	return cmd
}

type modelsListOptions struct {
	service connect.ServiceFlags
	output  cli.Output
	list    cli.ListFlags
}

func newModelsListCmd(f *cli.Factory) *cobra.Command {
	opts := &modelsListOptions{service: connect.ServiceFlags{NoJobs: true, ReadOnly: true}}
	cmd := &cobra.Command{
		Use: "list [DATASET]", Short: "List models, newest first within a series", Args: cli.PositionalArgs("[DATASET]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[client.SeriesModel]())
	opts.output.EmptyHint = cli.FirstRunHint
	opts.list.Bind(cmd)
	cmd.ValidArgsFunction = opts.service.CompleteReference(connect.ListDatasetRefs)
	return cmd
}

func (o *modelsListOptions) run(ctx context.Context, args []string) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	models := session.AllModels(ctx)
	if o.output.Filtered = len(args) > 0; o.output.Filtered {
		series, err := session.ResolveSeries(ctx, args[0])
		if err != nil {
			return err
		}
		models = session.Models(ctx, []client.Series{*series})
	}
	rows, err := connect.CollectLimit(models, o.list.Limit)
	if err != nil {
		return err
	}
	return cli.PrintList(&o.output, rows, modelListFields...)
}

func newModelsGetCmd(f *cli.Factory) *cobra.Command {
	return crud.NewRequestCmd(f, crud.RequestCommand[*api.Model]{
		Use: "get REF", Short: "Show a model", Resource: crud.Models, HasRequirements: true,
		Fetch: func(ctx context.Context, c *client.Client, key string) (*api.Model, error) {
			return client.Call(ctx, c, api.GetModel, &api.ModelInput{ModelKey: key})
		},
		Print: func(o *cli.Output, m *api.Model) error { return cli.PrintItem(o, m, modelItemFields...) },
	})
}

func newModelsDeleteCmd(f *cli.Factory) *cobra.Command {
	return crud.NewDeleteCmd(f, crud.DeleteCommand{
		Short: "Delete a model and its predictions", Resource: crud.Models, Column: "modelKey",
		Question: func(_ context.Context, _ *client.Client, key string) (string, error) {
			return fmt.Sprintf("Delete model %s with its predictions?", key), nil
		},
		Remove: func(ctx context.Context, c *client.Client, key string) (crud.Deleted, error) {
			_, err := client.Call(ctx, c, api.DeleteModel, &api.ModelInput{ModelKey: key})
			return crud.Deleted{ModelKey: key}, err
		},
	})
}
