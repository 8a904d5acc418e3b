// Package prediction has the commands that predict tables, and that score and manage predictions:
// predict, score and predictions.
package prediction

import (
	"context"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"foretell/cmd/crud"
	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
)

// predictionListFields are the fields that `predictions list` prints, and predictionItemFields the
// fields that other commands print for a single prediction.
var (
	predictionListFields = []string{"predictionKey", "datasetName", "status", "rows", "achievedPerformance", "createdOn"}
	predictionItemFields = []string{
		"predictionKey", "modelKey", "datasetKey", "status", "failureReason", "rows",
		"targetPerformance", "achievedPerformance", "predictionResultUrl", "createdOn",
	}
)

// NewPredictionsCmd returns the command predictions.
func NewPredictionsCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "predictions", Aliases: []string{"prediction"},
		Short: "Manage predictions",
		Long: `REF selects a prediction. It has one of these forms:

  KEY    the key of the prediction, or at least its first 6 characters
  NAME   the newest prediction by a model of the dataset NAME
  @last  the newest prediction`,
	}
	cmd.AddCommand(
		newPredictionsListCmd(f), newPredictionsGetCmd(f), newPredictionsCreateCmd(f), newPredictionsWaitCmd(f),
		newPredictionsDownloadCmd(f), newPredictionsVerifyCmd(f), newPredictionsDiffCmd(f), newPredictionsDeleteCmd(f),
	)
	return cmd
}

type predictionsListOptions struct {
	service connect.ServiceFlags
	output  cli.Output
	list    cli.ListFlags

	dataset, model string
}

func newPredictionsListCmd(f *cli.Factory) *cobra.Command {
	opts := &predictionsListOptions{service: connect.ServiceFlags{NoJobs: true, ReadOnly: true}}
	cmd := &cobra.Command{
		Use: "list", Short: "List predictions, newest first within a dataset", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[connect.NamedPrediction]())
	opts.output.EmptyHint = cli.FirstRunHint
	opts.list.Bind(cmd)
	cmd.Flags().StringVar(&opts.dataset, "dataset", "", "list only predictions by models of this dataset")
	cmd.Flags().StringVar(&opts.model, "model", "", "list only predictions by this model")
	cmd.MarkFlagsMutuallyExclusive("dataset", "model")
	return cmd
}

func (o *predictionsListOptions) run(ctx context.Context) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	o.output.Filtered = o.dataset != "" || o.model != ""
	predictions, err := o.predictions(ctx, session)
	if err != nil {
		return err
	}
	rows, err := connect.CollectLimit(predictions, o.list.Limit)
	if err != nil {
		return err
	}
	return cli.PrintList(&o.output, rows, predictionListFields...)
}

// predictions returns the predictions that the flags select.
func (o *predictionsListOptions) predictions(ctx context.Context, session *connect.Session) (iter.Seq2[connect.NamedPrediction, error], error) {
	switch {
	case o.dataset != "":
		key, err := session.DatasetKey(ctx, o.dataset)
		if err != nil {
			return nil, err
		}
		return session.AddDatasetName(ctx, key, client.AllPredictionsOfDataset(ctx, session.Client, key))
	case o.model != "":
		key, err := session.ModelKey(ctx, o.model)
		if err != nil {
			return nil, err
		}
		model, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: key})
		if err != nil {
			return nil, err
		}
		return session.AddDatasetName(ctx, model.DatasetKey, client.AllPredictionsOfModel(ctx, session.Client, key))
	}
	return session.AllPredictions(ctx), nil
}

func newPredictionsGetCmd(f *cli.Factory) *cobra.Command {
	return crud.NewRequestCmd(f, crud.RequestCommand[*api.Prediction]{
		Use: "get REF", Short: "Show a prediction", Resource: crud.Predictions,
		Fetch: func(ctx context.Context, c *client.Client, key string) (*api.Prediction, error) {
			return client.Call(ctx, c, api.GetPrediction, &api.PredictionInput{PredictionKey: key})
		},
		Print: printPrediction,
	})
}

func newPredictionsWaitCmd(f *cli.Factory) *cobra.Command {
	return crud.NewWaitCmd(f, crud.WaitCommand[*api.Prediction]{
		Short: "Wait until a prediction is done", Resource: crud.Predictions,
		Await: func(session *connect.Session, ctx context.Context, key string) (*api.Prediction, error) {
			return session.AwaitPrediction(ctx, key, "foretell predictions wait "+key)
		},
		Print: printPrediction,
	})
}

// printPrediction prints a prediction.
func printPrediction(o *cli.Output, p *api.Prediction) error {
	return cli.PrintItem(o, p, predictionItemFields...)
}

func newPredictionsDeleteCmd(f *cli.Factory) *cobra.Command {
	return crud.NewDeleteCmd(f, crud.DeleteCommand{
		Short: "Delete a prediction and its files", Resource: crud.Predictions, Column: "predictionKey",
		Question: func(_ context.Context, _ *client.Client, key string) (string, error) {
			return fmt.Sprintf("Delete prediction %s?", key), nil
		},
		Remove: func(ctx context.Context, c *client.Client, key string) (crud.Deleted, error) {
			_, err := client.Call(ctx, c, api.DeletePrediction, &api.PredictionInput{PredictionKey: key})
			return crud.Deleted{PredictionKey: key}, err
		},
	})
}
