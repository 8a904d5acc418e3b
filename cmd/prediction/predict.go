package prediction

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/download"
	"foretell/internal/learn/model"
	"foretell/internal/modelfile"
	"foretell/internal/preflight"
	"foretell/internal/receipt"
	"foretell/internal/term"
)

type predictOptions struct {
	predictionsCreateOptions

	with  string
	model string
	// modelPath is the path of model or, if model is a stream, of a temporary copy.
	modelPath string
}

// NewPredictCmd returns the command predict.
func NewPredictCmd(f *cli.Factory) *cobra.Command {
	opts := &predictOptions{predictionsCreateOptions: predictionsCreateOptions{factory: f}}
	cmd := &cobra.Command{
		Use: "predict BLIND...", Short: "Predict a CSV with an existing model",
		Long: `Predicts a blind CSV, verifies the result, writes it next to the blind file or to the
file of -o, and prints its path.

The default model is the champion of the series that was trained last: the best model
on its newest training file. --with MODEL selects another model.

--model FILE predicts with a model file that ` + "`foretell models export`" + ` has written. The
command then needs no service and no data folder, and writes the same result.

If the blind file has the ID column of the training file, its IDs must be unique and
complete. With --id -, new IDs are generated, and the existing ID column is renamed.

If the blind file has the label column, the predictions are scored against these labels, as
by ` + "`foretell score`" + `. Rows without a label are not scored. If the model was trained on rows
of the file, the command prints a warning.

With --explain N, each row of the result also names the N columns that contribute most to
the probability of its predicted class, such as ` + "`income=52000 (+0.1312)`" + `.
` + "`foretell explain`" + ` shows the contributions of all columns.`,
		Example: `  foretell predict blind.csv
  foretell predict blind.csv --with train@v1 -o out.csv
  foretell predict blind.csv --model train.model -o out.csv
  foretell predict blind.csv --columns id,prediction -o out.csv
  foretell predict blind.csv --explain 3`,
		Args: cli.PositionalArgs("BLIND..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.bind(cmd, f)
	flags := cmd.Flags()
	flags.StringVar(&opts.with, "with", "", "`model` to predict with (default the champion of the series trained last)")
	flags.StringVar(&opts.model, "model", "", "model `FILE` to predict with, without a service; - is standard input")
	for _, name := range []string{"with", "no-wait", "timeout"} {
		cmd.MarkFlagsMutuallyExclusive("model", name)
	}
	opts.wait.ForbidWithModelFile()
	_ = cmd.RegisterFlagCompletionFunc("with", opts.wait.CompleteReferenceOrWord(cli.LastRef, connect.ListModelRefs)) // fails only if the flag is not defined
	return cmd
}

func (o *predictOptions) run(ctx context.Context, paths []string) error {
	if o.model == "" {
		return o.predictionsCreateOptions.run(ctx, o.with, paths)
	}
	if err := cmp.Or(o.target.CheckStdout(&o.output), o.target.CheckExtension(), o.target.CheckReasons(), preflight.CheckOneStdin(append(slices.Clone(paths), o.model)...)); err != nil {
		return err
	}
	ctx, progress, done, err := o.wait.StartProgress(ctx)
	if err != nil {
		return err
	}
	defer done()
	path, remove, err := modelfile.LocalCopy(ctx, o.model, o.factory.Console.In)
	if err != nil {
		return err
	}
	defer remove()
	o.modelPath = path
	m, err := modelfile.ReadNamed(path, o.model)
	if err != nil {
		return err
	}
	blind, err := o.layout.OpenInput(ctx, o.factory, true, paths...)
	if err != nil {
		return err
	}
	defer blind.Close()
	if err := o.target.ResolvePath(blind, preflight.NormalizedInput(o.model, o.model, true)); err != nil {
		return err
	}
	p, err := o.preflight(ctx, progress, blind, modelfile.Dataset(m))
	if err != nil {
		return err
	}
	return o.predictWithModel(ctx, progress, m, p)
}

// predictWithModel predicts the rows of the blind file with a model that was read from a file.
func (o *predictOptions) predictWithModel(ctx context.Context, progress *term.Progress, m *model.Model, p *preflight.Preflight) error {
	blind, profile := p.Train, p.TrainProfile
	result := &Result{Path: o.target.Path, Receipt: o.target.ReceiptPath(), Warnings: p.Warnings()}
	rec, err := o.newReceipt(ctx, m, p)
	if err != nil {
		return err
	}
	classes := m.Schema().Classes
	known := download.BlindLabel{Column: download.FindLabelColumn(profile, m.Schema().Label, nil), Classes: classes, FindOverlap: download.FindOverlapOfModel(m)}
	err = o.target.DownloadFile(ctx, download.FileDownload{
		Progress: progress, DefaultName: "result.csv", Retry: term.CommandLine(o.factory.Args),
		Get: func(w io.Writer) (int64, error) {
			src, err := blind.OpenChecked(ctx, profile.Bytes)
			if err != nil {
				return 0, err
			}
			defer src.Close()
			rows, err := m.Predict(ctx, src, w, model.PredictOptions{Reasons: o.target.Reasons})
			return rows, modelfile.AddOldModelHint(err)
		},
		Check:   known.ScoreAfterCheck(ctx, download.ResultVerifier(ctx, blind, classes, &result.Rows)),
		Classes: classes,
		Install: func(tempPath, finalPath string) error {
			if o.target.NoReceipt {
				return o.target.InstallWithoutReceipt(tempPath, finalPath)
			}
			rec.TrainingOverlap = known.TrainingOverlap()
			return o.target.InstallWithReceipt(ctx, tempPath, finalPath, rec, result.Rows)
		},
	})
	if err != nil {
		return err
	}
	known.NoteScore(&o.output)
	result.Scores = known.Score
	return result.Print(&o.output, &o.target)
}

// newReceipt returns the receipt of a prediction with a model file, without the digests of
// the result.
func (o *predictOptions) newReceipt(ctx context.Context, m *model.Model, p *preflight.Preflight) (*receipt.Receipt, error) {
	build := build.Current()
	file, err := receipt.DigestFiles(ctx, o.modelPath)
	if err != nil {
		return nil, err
	}
	r := &receipt.Receipt{
		Version: receipt.Version, Options: p.ReceiptOptions(&o.layout), Classes: m.Schema().Classes, Warnings: p.ReceiptWarnings(),
		Model:   receipt.Model{Algorithm: m.Algorithm(), File: &receipt.Input{Name: receipt.InputName(o.model), Digest: file}},
		Binary:  receipt.Binary{Version: build.Version, Commit: build.Commit, Go: build.Go, Platform: build.Platform},
		Service: receipt.Service{Address: receipt.NoService},
	}
	r.Blind, err = p.Train.ReceiptInput(ctx, p.TrainProfile.Rows)
	return r, err
}

// describeModel formats a model's series, version, dataset, test score and key.
func describeModel(m *client.SeriesModel) string {
	text := fmt.Sprintf("%s, version %d", m.Series, m.SeriesVersion)
	if m.DatasetName != m.Series {
		text += ", of dataset " + m.DatasetName
	}
	if m.TestPerformance != nil {
		text += fmt.Sprintf(", test %s %.4f", api.PerformanceName(m.Metric), *m.TestPerformance)
	}
	return text + " (" + m.ModelKey + ")"
}
