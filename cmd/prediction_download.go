package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

type predictionsDownloadOptions struct {
	wait   waitFlags
	output output
	layout layoutFlags
	host   *factory
	target outputFile

	blind []string
}

func newPredictionsDownloadCmd(f *factory) *cobra.Command {
	opts := &predictionsDownloadOptions{host: f}
	cmd := &cobra.Command{
		Use: "download REF", Short: "Download and verify the result of a prediction",
		Long: `Downloads a result and verifies it. With --blind it is compared row by row with the
file that was predicted; without, it must be a complete CSV with as many rows as
were predicted.`,
		Args: positionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.bindWait(cmd, f)
	opts.output.bindItem(cmd, f, resultType[resultDocument]())
	opts.layout.bind(cmd)
	opts.target.bind(cmd, f)
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE` to verify the result against; several are joined")
	cmd.ValidArgsFunction = opts.wait.completeReference(predictionNames)
	return cmd
}

func (o *predictionsDownloadOptions) run(ctx context.Context, ref string) error {
	if err := o.target.checkStdout(&o.output); err != nil {
		return err
	}
	ctx, session, done, err := o.wait.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.predictionKey(ctx, ref)
	if err != nil {
		return err
	}
	if o.target.path == "" {
		o.target.path = key[:shortKey] + ".predictions.csv"
	}
	if err := o.target.checkFree(); err != nil {
		return err
	}
	prediction, err := session.awaitPrediction(ctx, key, o.target.resumeCommand(key, nil))
	if err != nil {
		return err
	}
	result := &resultDocument{
		PredictionKey: key, ModelKey: prediction.ModelKey, Path: o.target.path, Receipt: o.target.receiptPath(),
	}
	dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: prediction.DatasetKey})
	if err != nil {
		return err
	}
	found := provenance{classes: labelsOf(dataset), prediction: prediction, rows: &result.Rows}
	check := plausibilityCheck(ctx, prediction, found.classes, found.rows)
	if len(o.blind) > 0 {
		blind, err := o.layout.openInput(ctx, o.host, true, o.blind...)
		if err != nil {
			return err
		}
		defer blind.Close()
		p := &preflight{host: o.host, train: blind}
		if err := p.checkAgainstModel(ctx, session.progress, dataset); err != nil {
			return err
		}
		found.options = p.readOptions(&o.layout)
		if found.blind, err = blind.hashInput(ctx, int(prediction.Rows)); err != nil {
			return err
		}
		check = blind.resultVerifier(ctx, found.classes, found.rows)
	}
	if err := o.target.download(ctx, resultDownload{session, found, check}); err != nil {
		return err
	}
	return result.print(&o.output, &o.target)
}
