package cmd

import (
	"context"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

var (
	predictionColumns = []string{"predictionKey", "datasetName", "status", "rows", "achievedPerformance", "createdOn"}
	predictionMembers = []string{
		"predictionKey", "modelKey", "datasetKey", "status", "failureReason", "rows",
		"targetPerformance", "achievedPerformance", "predictionResultUrl", "createdOn",
	}
)

func newPredictionsCmd(f *factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "predictions", Aliases: []string{"prediction"},
		Short: "Manage predictions",
		Long: `REF is a prediction's key, at least 6 characters of it, the name of its dataset
(its newest prediction), or @last.`,
	}
	cmd.AddCommand(
		newPredictionsListCmd(f), newPredictionsGetCmd(f), newPredictionsCreateCmd(f), newPredictionsWaitCmd(f),
		newPredictionsDownloadCmd(f), newPredictionsVerifyCmd(f), newPredictionsDiffCmd(f), newPredictionsDeleteCmd(f),
	)
	return cmd
}

type predictionsListOptions struct {
	service serviceFlags
	output  output
	list    listFlags

	dataset, model string
}

func newPredictionsListCmd(f *factory) *cobra.Command {
	opts := &predictionsListOptions{service: serviceFlags{idle: true}}
	cmd := &cobra.Command{
		Use: "list", Short: "List predictions, newest first within a dataset", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.service.bind(cmd, f)
	opts.output.bindList(cmd, f, resultType[namedPrediction]())
	opts.output.emptyHint = firstRunHint
	opts.list.bind(cmd)
	cmd.Flags().StringVar(&opts.dataset, "dataset", "", "only predictions by models of this dataset")
	cmd.Flags().StringVar(&opts.model, "model", "", "only predictions by this model")
	cmd.MarkFlagsMutuallyExclusive("dataset", "model")
	return cmd
}

func (o *predictionsListOptions) run(ctx context.Context) error {
	session, err := o.service.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	predictions, err := o.predictions(ctx, session)
	if err != nil {
		return err
	}
	rows, err := collectLimit(predictions, o.list.limit)
	if err != nil {
		return err
	}
	return printList(&o.output, rows, predictionColumns...)
}

// predictions returns the predictions that the flags select.
func (o *predictionsListOptions) predictions(ctx context.Context, session *session) (iter.Seq2[namedPrediction, error], error) {
	switch {
	case o.dataset != "":
		key, err := session.datasetKey(ctx, o.dataset)
		if err != nil {
			return nil, err
		}
		return session.withDatasetName(ctx, key, client.AllPredictionsOfDataset(ctx, session.Client, key))
	case o.model != "":
		key, err := session.modelKey(ctx, o.model)
		if err != nil {
			return nil, err
		}
		model, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: key})
		if err != nil {
			return nil, err
		}
		return session.withDatasetName(ctx, model.DatasetKey, client.AllPredictionsOfModel(ctx, session.Client, key))
	}
	return session.allPredictions(ctx), nil
}

func newPredictionsGetCmd(f *factory) *cobra.Command {
	return newGetCmd(f, getCommand[*api.Prediction]{
		use: "get REF", short: "Show a prediction", resource: predictionResource,
		fetch: func(ctx context.Context, c *client.Client, key string) (*api.Prediction, error) {
			return client.Call(ctx, c, api.GetPrediction, &api.PredictionInput{PredictionKey: key})
		},
		print: func(o *output, p *api.Prediction) error { return printItem(o, p, predictionMembers...) },
	})
}

type predictionsWaitOptions struct {
	wait   waitFlags
	output output
}

func newPredictionsWaitCmd(f *factory) *cobra.Command {
	opts := &predictionsWaitOptions{}
	cmd := &cobra.Command{
		Use: "wait REF", Short: "Wait until a prediction is done", Args: positionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.bindWait(cmd, f)
	opts.output.bindItem(cmd, f, resultType[api.Prediction]())
	cmd.ValidArgsFunction = opts.wait.completeReference(predictionNames)
	return cmd
}

func (o *predictionsWaitOptions) run(ctx context.Context, ref string) error {
	ctx, session, done, err := o.wait.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.predictionKey(ctx, ref)
	if err != nil {
		return err
	}
	prediction, err := session.awaitPrediction(ctx, key, "foretell predictions wait "+key)
	if err != nil {
		return err
	}
	return printItem(&o.output, prediction, predictionMembers...)
}

func newPredictionsDeleteCmd(f *factory) *cobra.Command {
	return newDeleteCmd(f, deleteCommand{
		short: "Delete a prediction and its files", resource: predictionResource, column: "predictionKey",
		question: func(_ context.Context, _ *client.Client, key string) (string, error) {
			return fmt.Sprintf("Delete prediction %s?", key), nil
		},
		remove: func(ctx context.Context, c *client.Client, key string) (deleted, error) {
			_, err := client.Call(ctx, c, api.DeletePrediction, &api.PredictionInput{PredictionKey: key})
			return deleted{PredictionKey: key}, err
		},
	})
}
