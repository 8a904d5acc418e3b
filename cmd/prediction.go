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

func newPredictionsCmd(h *host) *cobra.Command {
	cmd := &cobra.Command{
		Use: "predictions", Aliases: []string{"prediction"},
		Short: "Labels that models have predicted",
		Long: `REF is a prediction's key, at least 6 characters of it, the name of its dataset
(its newest prediction), or @last.`,
	}
	cmd.AddCommand(
		newPredictionsListCmd(h), newPredictionsGetCmd(h), newPredictionsCreateCmd(h), newPredictionsWaitCmd(h),
		newPredictionsDownloadCmd(h), newPredictionsVerifyCmd(h), newPredictionsDiffCmd(h), newPredictionsDeleteCmd(h),
	)
	return cmd
}

type predictionsListOptions struct {
	connector connector
	output    output
	lister    lister

	dataset, model string
}

func newPredictionsListCmd(h *host) *cobra.Command {
	opts := &predictionsListOptions{connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "list", Short: "List predictions, those of a dataset newest first", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindList(cmd, h, prints[predictionOf]())
	opts.output.first = firstRun
	opts.lister.bind(cmd)
	cmd.Flags().StringVar(&opts.dataset, "dataset", "", "only those made with a model of this dataset")
	cmd.Flags().StringVar(&opts.model, "model", "", "only those made with this model")
	cmd.MarkFlagsMutuallyExclusive("dataset", "model")
	return cmd
}

func (o *predictionsListOptions) run(ctx context.Context) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	predictions, err := o.choose(ctx, conn)
	if err != nil {
		return err
	}
	rows, err := collectSome(predictions, o.lister.limit)
	if err != nil {
		return err
	}
	return list(&o.output, rows, predictionColumns...)
}

// choose lists the predictions that the flags ask for.
func (o *predictionsListOptions) choose(ctx context.Context, conn *connection) (iter.Seq2[predictionOf, error], error) {
	switch {
	case o.dataset != "":
		key, err := conn.datasetKey(ctx, o.dataset)
		if err != nil {
			return nil, err
		}
		return conn.predictionsOf(ctx, key, client.AllPredictionsOfDataset(ctx, conn.Client, key))
	case o.model != "":
		key, err := conn.modelKey(ctx, o.model)
		if err != nil {
			return nil, err
		}
		model, err := client.Call(ctx, conn.Client, api.GetModel, &api.ModelInput{ModelKey: key})
		if err != nil {
			return nil, err
		}
		return conn.predictionsOf(ctx, model.DatasetKey, client.AllPredictionsOfModel(ctx, conn.Client, key))
	}
	return conn.allPredictions(ctx), nil
}

func newPredictionsGetCmd(h *host) *cobra.Command {
	return newInquiryCmd(h, inquiry[*api.Prediction]{
		use: "get REF", short: "Show a prediction", noun: predictionNoun,
		ask: func(ctx context.Context, c *client.Client, key string) (*api.Prediction, error) {
			return client.Call(ctx, c, api.GetPrediction, &api.PredictionInput{PredictionKey: key})
		},
		print: func(o *output, p *api.Prediction) error { return item(o, p, predictionMembers...) },
	})
}

type predictionsWaitOptions struct {
	waiter waiter
	output output
}

func newPredictionsWaitCmd(h *host) *cobra.Command {
	opts := &predictionsWaitOptions{}
	cmd := &cobra.Command{
		Use: "wait REF", Short: "Wait until a prediction is done", Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.waiter.bindWait(cmd, h)
	opts.output.bindItem(cmd, h, prints[api.Prediction]())
	cmd.ValidArgsFunction = opts.waiter.complete(predictionNames)
	return cmd
}

func (o *predictionsWaitOptions) run(ctx context.Context, ref string) error {
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := walk.predictionKey(ctx, ref)
	if err != nil {
		return err
	}
	prediction, err := walk.prediction(ctx, key, "foretell predictions wait "+key)
	if err != nil {
		return err
	}
	return item(&o.output, prediction, predictionMembers...)
}

func newPredictionsDeleteCmd(h *host) *cobra.Command {
	return newRemovalCmd(h, removal{
		short: "Delete a prediction and its files", noun: predictionNoun, column: "predictionKey",
		question: func(_ context.Context, _ *client.Client, key string) (string, error) {
			return fmt.Sprintf("Delete prediction %s?", key), nil
		},
		remove: func(ctx context.Context, c *client.Client, key string) (deleted, error) {
			_, err := client.Call(ctx, c, api.DeletePrediction, &api.PredictionInput{PredictionKey: key})
			return deleted{PredictionKey: key}, err
		},
	})
}
