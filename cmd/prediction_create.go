package cmd

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/frame"
	"foretell/internal/roles"
	"foretell/internal/scoring"
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
		Use: "create MODEL BLIND...", Short: "Predict a blind CSV and write the verified result",
		Long: `Sends a blind CSV to a model, waits, and writes the result beside the blind file
or where -o says. The path is printed. With --no-wait the key of the
prediction is printed instead.`,
		Args: takes("MODEL", "BLIND..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1:]) },
	}
	opts.bind(cmd, h)
	cmd.ValidArgsFunction = opts.waiter.complete(modelNames)
	return cmd
}

// bind adds the flags of a command that predicts.
func (o *predictionsCreateOptions) bind(cmd *cobra.Command, h *host) {
	o.waiter.bind(cmd, h)
	o.output.bindItem(cmd, h, prints[resultDocument](), prints[api.CreatedPrediction]())
	o.shaper.bind(cmd)
	o.target.bind(cmd, h)
	cmd.MarkFlagsMutuallyExclusive("no-wait", "output")
	cmd.MarkFlagsMutuallyExclusive("no-wait", "columns")
}

// run predicts the file at path with the model that ref means, the newest champion
// if it is empty.
func (o *predictionsCreateOptions) run(ctx context.Context, ref string, paths []string) error {
	if err := o.target.check(&o.output); err != nil {
		return err
	}
	ctx, walk, done, err := o.waiter.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	blind, err := o.shaper.input(ctx, o.host, true, paths...)
	if err != nil {
		return err
	}
	defer blind.Close()
	if !o.waiter.noWait {
		if err := o.target.settle(blind); err != nil {
			return err
		}
	}
	key, err := o.choose(ctx, walk, ref, blind)
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
	p, err := o.examine(ctx, walk.progress, blind, dataset)
	if err != nil {
		return err
	}
	profile := p.trained
	found := evidence{options: p.options(&o.shaper), classes: labelsOf(dataset)}
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
	label := cmp.Or(o.shaper.label, dataset.LabelName)
	known := truth{
		label:   labelOf(profile, label, namesOfColumns(dataset)),
		guessed: label == "", classes: found.classes,
	}
	if err := o.target.fetch(ctx, download{walk, found, known.after(ctx, blind.proof(ctx, found.classes, found.rows))}); err != nil {
		return err
	}
	known.tell(&o.output)
	result.Scores = known.score
	return result.print(&o.output, &o.target)
}

// examine reads a blind file before it is sent, and says how it is read and what may
// be wrong. It is an error if the file does not fit the dataset that the model learnt
// from, or lacks a column that the result must have.
func (o *predictionsCreateOptions) examine(ctx context.Context, progress *term.Progress, blind *input, dataset *api.Dataset) (*preflight, error) {
	p := &preflight{host: o.host, train: blind}
	if err := p.fit(ctx, progress, dataset); err != nil {
		return nil, err
	}
	p.tell(&o.output)
	if !o.output.json {
		p.warn(&o.output)
	}
	if err := p.verdict(); err != nil {
		return nil, err
	}
	return p, o.target.columns.fit(p.trained, labelsOf(dataset))
}

// namesOfColumns are the features of a dataset.
func namesOfColumns(d *api.Dataset) []string {
	names := make([]string, len(d.Columns))
	for i, column := range d.Columns {
		names[i] = column.Name
	}
	return names
}

// choose finds the model that ref means; for none it is the champion of what was
// trained last, and is named.
func (o *predictionsCreateOptions) choose(ctx context.Context, walk *walk, ref string, blind *input) (string, error) {
	if ref != "" {
		return walk.modelKey(ctx, ref)
	}
	best, err := walk.newestChampion(ctx)
	if err != nil {
		return "", err
	}
	if best == nil {
		return "", fail(ExitNotFound, "there is no model to predict with").
			advise("train one: `foretell run TRAIN.csv --blind %s`", argument(blind.name))
	}
	o.output.note("predicting with %s", modelTitle(best))
	return best.ModelKey, nil
}

// fit reads a blind file before it is sent: by itself, and whether it has the
// columns of the dataset that the model learnt from.
func (p *preflight) fit(ctx context.Context, progress *term.Progress, dataset *api.Dataset) error {
	p.model = roles.Known{Features: namesOfColumns(dataset), ID: dataset.IDName, Label: dataset.LabelName}
	if err := p.run(ctx, progress); err != nil || p.trained.Partial {
		return err
	}
	has := map[string]bool{p.trained.Schema.ID: true}
	for i := range p.trained.Columns {
		has[p.trained.Columns[i].Name] = true
	}
	for _, want := range p.model.Features {
		if !has[want] {
			p.add(p.train, frame.SeverityDefect, frame.Defect{
				Code: frame.CodeMissingColumn, Line: 1, Name: want,
				Message: "the column that the model learnt from is missing",
			}, "")
		}
	}
	return nil
}

// resultDocument is what a command prints that has written predictions.
type resultDocument struct {
	Path          string `json:"path"`
	Rows          int    `json:"rows"`
	PredictionKey string `json:"predictionKey,omitempty"`
	ModelKey      string `json:"modelKey,omitempty"`
	Receipt       string `json:"receipt,omitempty"`
	// Scores are there if the blind file has the label.
	Scores *scoring.Result `json:"scores,omitempty"`
}

// print prints the path of the result, or all of the document if JSON was asked
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

	blind []string
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
	cmd.Flags().StringArrayVar(&opts.blind, "blind", nil, "blind `FILE` to prove the result against; several make one table")
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
	dataset, err := client.Call(ctx, walk.Client, api.GetDataset, &api.DatasetInput{DatasetKey: prediction.DatasetKey})
	if err != nil {
		return err
	}
	found := evidence{classes: labelsOf(dataset), prediction: prediction, rows: &result.Rows}
	check := plausible(ctx, prediction, found.classes, found.rows)
	if len(o.blind) > 0 {
		blind, err := o.shaper.input(ctx, o.host, true, o.blind...)
		if err != nil {
			return err
		}
		defer blind.Close()
		p := &preflight{host: o.host, train: blind}
		if err := p.fit(ctx, walk.progress, dataset); err != nil {
			return err
		}
		found.options = p.options(&o.shaper)
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
