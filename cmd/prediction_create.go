package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/frame"
	"foretell/internal/term"
)

type predictionsCreateOptions struct {
	waiter waiter
	output output
	shaper shaper
	host   *host
	target target
}

func newPredictionsCreateCmd(h *host) *cobra.Command {
	opts := &predictionsCreateOptions{host: h}
	cmd := &cobra.Command{
		Use: "create MODEL BLIND", Short: "Predict a blind CSV and write the verified result",
		Long: `Sends a blind CSV to a model, waits, and writes the result beside the blind file
or where -o says. The path is printed. With --no-wait the prediction's key is.`,
		Args: takes("MODEL", "BLIND"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1]) },
	}
	opts.waiter.bind(cmd, h)
	opts.output.bindItem(cmd, h, prints[resultDocument](), prints[api.CreatedPrediction]())
	opts.shaper.bind(cmd)
	opts.target.bind(cmd, h)
	cmd.MarkFlagsMutuallyExclusive("no-wait", "output")
	cmd.ValidArgsFunction = opts.waiter.complete(modelNames)
	return cmd
}

func (o *predictionsCreateOptions) run(ctx context.Context, ref, path string) error {
	if err := o.target.check(&o.output); err != nil {
		return err
	}
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	blind, err := o.shaper.input(o.host, path, true)
	if err != nil {
		return err
	}
	defer blind.Close()
	if !o.waiter.noWait {
		if err := o.target.settle(blind); err != nil {
			return err
		}
	}
	key, err := walk.modelKey(ctx, ref)
	if err != nil {
		return err
	}
	model, err := client.Call(ctx, walk.Client, api.GetModel, &api.ModelInput{ModelKey: key})
	if err != nil {
		return err
	}
	dataset, err := client.Call(ctx, walk.Client, api.GetDataset, &api.DatasetInput{DatasetKey: model.DatasetKey})
	if err != nil {
		return err
	}
	profile, err := blind.fit(ctx, walk.progress, dataset)
	if err != nil {
		return err
	}
	found := evidence{options: o.shaper.options(), classes: labelsOf(dataset)}
	if !o.waiter.noWait && o.target.receiptPath() != "" {
		if found.blind, err = blind.witness(ctx, profile.Rows); err != nil {
			return err
		}
	}
	created, err := walk.predict(ctx, key, &upload{in: blind, size: profile.Bytes})
	if err != nil {
		return err
	}
	if o.waiter.noWait {
		return item(&o.output, created, "predictionKey", "status")
	}
	prediction, err := walk.prediction(ctx, created.PredictionKey, o.target.later(created.PredictionKey, blind))
	if err != nil {
		return err
	}
	result := &resultDocument{
		PredictionKey: created.PredictionKey, ModelKey: key, Path: o.target.path, Receipt: o.target.receiptPath(),
	}
	found.prediction, found.rows = prediction, &result.Rows
	if err := o.target.fetch(ctx, download{walk, found, blind.proof(ctx, found.classes, found.rows)}); err != nil {
		return err
	}
	return result.print(&o.output, &o.target)
}

// fit checks a blind file before it is sent: by itself, and that it has the
// columns of the dataset that the model learnt from.
func (in *input) fit(ctx context.Context, progress *term.Progress, dataset *api.Dataset) (*frame.Profile, error) {
	profile, err := in.profile(ctx, progress, frame.ScanOptions{})
	if err != nil {
		return nil, err
	}
	p := &preflight{train: in, trained: profile}
	p.collect(in, profile)
	for _, want := range dataset.Columns {
		has := func(c frame.ColumnProfile) bool { return c.Name == want.Name }
		if !profile.Partial && profile.Schema.ID != want.Name && !slices.ContainsFunc(profile.Columns, has) {
			p.add(in, frame.SeverityDefect, frame.Defect{
				Code: frame.CodeMissingColumn, Line: 1, Name: want.Name,
				Message: "the column that the model learnt from is missing",
			}, "")
		}
	}
	return profile, p.verdict()
}

// resultDocument is what a command prints that has written predictions.
type resultDocument struct {
	Path          string `json:"path"`
	Rows          int    `json:"rows"`
	PredictionKey string `json:"predictionKey"`
	ModelKey      string `json:"modelKey"`
	Receipt       string `json:"receipt,omitempty"`
}

// print gives the path of the result, or all of the document if JSON was asked
// for. A result on standard output is all that stands there.
func (r *resultDocument) print(o *output, t *target) error {
	switch {
	case t.toStdout():
		return nil
	case o.json || len(o.fields) > 0:
		return item(o, r, "path")
	}
	return o.line(r.Path)
}

type predictionsDownloadOptions struct {
	waiter waiter
	output output
	shaper shaper
	host   *host
	target target

	blind string
}

func newPredictionsDownloadCmd(h *host) *cobra.Command {
	opts := &predictionsDownloadOptions{host: h}
	cmd := &cobra.Command{
		Use: "download REF", Short: "Download the result of a prediction, checked",
		Long: `Downloads a result, checks it, and gives it its name. With --blind it is proved
row by row against the file that was predicted; without, that it is a whole CSV
with as many rows as were predicted.`,
		Args: takes("REF"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.waiter.bindWait(cmd, h)
	opts.output.bindItem(cmd, h, prints[resultDocument]())
	opts.shaper.bind(cmd)
	opts.target.bind(cmd, h)
	cmd.Flags().StringVar(&opts.blind, "blind", "", "blind `FILE` to prove the result against")
	cmd.ValidArgsFunction = opts.waiter.complete(predictionNames)
	return cmd
}

func (o *predictionsDownloadOptions) run(ctx context.Context, ref string) error {
	if err := o.target.check(&o.output); err != nil {
		return err
	}
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	key, err := walk.predictionKey(ctx, ref)
	if err != nil {
		return err
	}
	if o.target.path == "" {
		o.target.path = key[:shortKey] + ".predictions.csv"
	}
	if err := o.target.free(); err != nil {
		return err
	}
	prediction, err := walk.prediction(ctx, key, o.target.later(key, nil))
	if err != nil {
		return err
	}
	result := &resultDocument{
		PredictionKey: key, ModelKey: prediction.ModelKey, Path: o.target.path, Receipt: o.target.receiptPath(),
	}
	found := evidence{options: o.shaper.options(), prediction: prediction, rows: &result.Rows}
	if found.classes, err = walk.classes(ctx, prediction.DatasetKey); err != nil {
		return err
	}
	check := plausible(ctx, prediction, found.classes, found.rows)
	if o.blind != "" {
		blind, err := o.shaper.input(o.host, o.blind, true)
		if err != nil {
			return err
		}
		defer blind.Close()
		if found.blind, err = blind.witness(ctx, int(prediction.Rows)); err != nil {
			return err
		}
		check = blind.proof(ctx, found.classes, found.rows)
	}
	if err := o.target.fetch(ctx, download{walk, found, check}); err != nil {
		return err
	}
	return result.print(&o.output, &o.target)
}

// plural counts things in words.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
