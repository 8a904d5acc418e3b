package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/learn"
	"foretell/internal/receipt"
	"foretell/internal/term"
)

type predictOptions struct {
	predictionsCreateOptions

	with  string
	model string
}

func newPredictCmd(f *factory) *cobra.Command {
	opts := &predictOptions{predictionsCreateOptions: predictionsCreateOptions{host: f}}
	cmd := &cobra.Command{
		Use: "predict BLIND...", Short: "Predict a CSV with an existing model",
		Long: `Predicts a blind CSV and writes the verified result beside it, or to the file named
by -o. The path is printed.

The model defaults to the champion of the series that was trained last; --with names\nanother.
--model FILE uses a file that ` + "`foretell models export`" + ` wrote. That needs no
service and no data folder, and writes the same bytes.

If the blind file has the label, the predictions are scored against it.`,
		Example: `  foretell predict blind.csv
  foretell predict blind.csv --with train@v1 -o out.csv
  foretell predict blind.csv --model train.model -o out.csv
  foretell predict blind.csv --columns id,prediction -o out.csv`,
		Args: positionalArgs("BLIND..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.bind(cmd, f)
	flags := cmd.Flags()
	flags.StringVar(&opts.with, "with", "", "`model` to predict with (default the champion of the series trained last)")
	flags.StringVar(&opts.model, "model", "", "`FILE` of a model, to predict without a service")
	for _, name := range []string{"with", "no-wait", "timeout", "dry-run"} {
		cmd.MarkFlagsMutuallyExclusive("model", name)
	}
	_ = cmd.RegisterFlagCompletionFunc("with", opts.wait.completeReference(modelNames)) // the flag is there
	return cmd
}

func (o *predictOptions) run(ctx context.Context, paths []string) error {
	if o.model == "" {
		return o.predictionsCreateOptions.run(ctx, o.with, paths)
	}
	if err := o.target.checkStdout(&o.output); err != nil {
		return err
	}
	ctx, progress, done, err := o.wait.start(ctx)
	if err != nil {
		return err
	}
	defer done()
	model, err := readModel(o.model)
	if err != nil {
		return err
	}
	blind, err := o.layout.openInput(ctx, o.host, true, paths...)
	if err != nil {
		return err
	}
	defer blind.Close()
	if err := o.target.resolvePath(blind, normalizedInput(o.model, o.model, true)); err != nil {
		return err
	}
	p, err := o.preflight(ctx, progress, blind, datasetOf(model))
	if err != nil {
		return err
	}
	return o.predict(ctx, progress, model, p)
}

// predict predicts with a model file.
func (o *predictOptions) predict(ctx context.Context, progress *term.Progress, model *learn.Model, p *preflight) error {
	blind, profile := p.train, p.trainProfile
	result := &resultDocument{Path: o.target.path, Receipt: o.target.receiptPath()}
	rec, err := o.newReceipt(ctx, model, p)
	if err != nil {
		return err
	}
	classes := model.Schema().Classes
	known := blindLabel{column: findLabel(profile, model.Schema().Label, nil), classes: classes}
	err = o.target.writeTemp(ctx, fileDownload{
		progress: progress, defaultName: "result.csv", retry: commandLine(o.host.args),
		get: func(w io.Writer) (int64, error) {
			src, err := blind.open(ctx)
			if err != nil {
				return 0, err
			}
			defer src.Close()
			return model.Predict(ctx, src, w, learn.PredictOptions{})
		},
		check: known.scoreAfter(ctx, blind.resultVerifier(ctx, classes, &result.Rows)),
		install: func(part, end string) error {
			if o.target.noReceipt {
				return installFile(part, end)
			}
			return o.target.installWithReceipt(ctx, part, end, rec, result.Rows)
		},
	})
	if err != nil {
		return err
	}
	known.noteScore(&o.output)
	result.Scores = known.score
	return result.print(&o.output, &o.target)
}

// newReceipt returns the receipt for a prediction with a model file, without the result.
func (o *predictOptions) newReceipt(ctx context.Context, model *learn.Model, p *preflight) (*receipt.Receipt, error) {
	build := currentBuild()
	file, err := receipt.DigestFiles(ctx, o.model)
	if err != nil {
		return nil, err
	}
	r := &receipt.Receipt{
		Version: receipt.Version, Options: p.readOptions(&o.layout), Classes: model.Schema().Classes,
		Model:   receipt.Model{Algorithm: model.Algorithm(), File: &receipt.Input{Name: filepath.Base(o.model), Digest: file}},
		Binary:  receipt.Binary{Version: build.Version, Commit: build.Commit, Go: build.Go, Platform: build.Platform},
		Service: receipt.Service{Address: receipt.NoService},
	}
	r.Blind, err = p.train.hashInput(ctx, p.trainProfile.Rows)
	return r, err
}

// readModel reads a model file.
func readModel(path string) (*learn.Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, usageErrorf("%s is a folder", path).withHint("name a model file in it")
	}
	model, err := learn.ReadModel(file, info.Size())
	if err != nil {
		return nil, exitErrorf(ExitRejected, "%s: %w", path, err).at(path, 0, 0).
			withHint("export it again with `foretell models export REF`")
	}
	return model, nil
}

// datasetOf describes a model file's training data like a dataset of the service.
func datasetOf(model *learn.Model) *api.Dataset {
	schema := model.Schema()
	dataset := &api.Dataset{IDName: schema.ID, LabelName: schema.Label}
	fields := schema.Fields
	if fields == nil {
		for i := range schema.Columns {
			fields = append(fields, schema.Columns[i].Field())
		}
	}
	for _, name := range fields {
		dataset.Columns = append(dataset.Columns, api.Column{Name: name})
	}
	for _, class := range schema.Classes {
		dataset.Classes = append(dataset.Classes, api.Class{Label: class})
	}
	return dataset
}

// newestChampion returns the champion of the series that was trained last; nil if there
// is no model.
func (c *session) newestChampion(ctx context.Context) (*client.SeriesModel, error) {
	models, err := collect(c.allModels(ctx))
	if err != nil || len(models) == 0 {
		return nil, err
	}
	newest := slices.MaxFunc(models, func(a, b client.SeriesModel) int { return cmp.Compare(a.CreatedOn, b.CreatedOn) })
	i := slices.IndexFunc(models, func(m client.SeriesModel) bool { return m.Champion && m.Series == newest.Series })
	return &models[i], nil
}

// modelTitle describes a model for people: series, version and test score.
func modelTitle(m *client.SeriesModel) string {
	text := fmt.Sprintf("%s, version %d", m.Series, m.SeriesVersion)
	if m.TestPerformance != nil {
		text += fmt.Sprintf(", test %s %.4f", m.Metric, *m.TestPerformance)
	}
	return text + " (" + m.ModelKey + ")"
}
