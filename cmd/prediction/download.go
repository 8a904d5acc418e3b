package prediction

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/download"
	"foretell/internal/preflight"
)

type predictionsDownloadOptions struct {
	wait    connect.WaitFlags
	output  cli.Output
	layout  preflight.LayoutFlags
	factory *cli.Factory
	target  download.OutputFile

	blind []string
}

func newPredictionsDownloadCmd(f *cli.Factory) *cobra.Command {
	opts := &predictionsDownloadOptions{factory: f}
	cmd := &cobra.Command{
		Use: "download REF", Short: "Download and verify the result of a prediction",
		Long: `Downloads a result and verifies it. With --blind the result is compared row by row
with the file that was predicted. Without --blind it must be a complete CSV with the
expected number of rows.`,
		Args: cli.PositionalArgs("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.wait.BindWait(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[Result]())
	opts.layout.Bind(cmd, preflight.BlindRoles)
	opts.target.Bind(cmd, f)
	cmd.Flags().Lookup("output").Usage = "`file` to write the predictions to as CSV, or - for standard output (default KEY.predictions.csv, where KEY is the first 8 characters of the key)"
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE` to verify the result against; if repeated, the files are joined into one table")
	cmd.ValidArgsFunction = opts.wait.CompleteReference(connect.ListPredictionRefs)
	return cmd
}

func (o *predictionsDownloadOptions) run(ctx context.Context, ref string) error {
	if err := cmp.Or(o.target.CheckStdout(&o.output), o.target.CheckExtension()); err != nil {
		return err
	}
	if len(o.blind) == 0 {
		if err := o.factory.CheckReadingFlags("--blind FILE"); err != nil {
			return err
		}
	}
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := session.PredictionKey(ctx, ref)
	if err != nil {
		return err
	}
	var blind *preflight.InputTable
	if len(o.blind) > 0 {
		if blind, err = o.layout.OpenInput(ctx, o.factory, true, o.blind...); err != nil {
			return err
		}
		defer blind.Close()
	}
	if err := o.resolvePath(key, blind); err != nil {
		return err
	}
	again := o.target.ResumeCommand(key, nil)
	prediction, err := session.AwaitPrediction(ctx, key, again)
	if err != nil {
		return err
	}
	result := &Result{
		PredictionKey: key, ModelKey: prediction.ModelKey, Path: o.target.Path, Receipt: o.target.ReceiptPath(),
	}
	dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: prediction.DatasetKey})
	if err != nil {
		return err
	}
	found := download.Provenance{Classes: connect.DatasetClassLabels(dataset), Prediction: prediction, Rows: &result.Rows}
	check := download.PlausibilityVerifier(ctx, prediction, found.Classes, found.Rows, again)
	if blind != nil {
		if prediction.ModelKey != "" {
			if dataset, err = session.DatasetOfModel(ctx, prediction.ModelKey); err != nil {
				return err
			}
		}
		p := &preflight.Preflight{Factory: o.factory, Train: blind}
		if err := p.CheckAgainstModel(ctx, session.Progress, dataset); err != nil {
			return err
		}
		found.Options = p.ReceiptOptions(&o.layout)
		if found.Blind, err = blind.ReceiptInput(ctx, int(prediction.Rows)); err != nil {
			return err
		}
		check = download.ResultVerifier(ctx, blind, found.Classes, found.Rows)
	}
	if err := o.target.Download(ctx, download.ResultDownload{Session: session, Provenance: found, Check: check}); err != nil {
		return err
	}
	return result.Print(&o.output, &o.target)
}

// resolvePath sets an empty path of the output to its default, which begins with the key of the
// prediction. It returns an error if the file must not be written. blind is nil without --blind.
func (o *predictionsDownloadOptions) resolvePath(key string, blind *preflight.InputTable) error {
	if o.target.Path == "" {
		o.target.Path = api.ShortKey(key) + ".predictions.csv"
	}
	if blind == nil {
		return o.target.CheckMayWrite()
	}
	return o.target.ResolvePath(blind)
}
