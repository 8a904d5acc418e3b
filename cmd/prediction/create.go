package prediction

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/download"
	"foretell/internal/exit"
	"foretell/internal/preflight"
	"foretell/internal/receipt"
	"foretell/internal/scoring"
	"foretell/internal/table/profile"
	"foretell/internal/term"
)

type predictionsCreateOptions struct {
	wait    connect.WaitFlags
	output  cli.Output
	layout  preflight.LayoutFlags
	factory *cli.Factory
	target  download.OutputFile
}

func newPredictionsCreateCmd(f *cli.Factory) *cobra.Command {
	opts := &predictionsCreateOptions{factory: f}
	cmd := &cobra.Command{
		Use: "create MODEL BLIND...", Short: "Predict a blind CSV and write the verified result",
		Long: `Predicts the rows of a blind CSV with a model, verifies the result and prints its path.
The result is written next to the blind file, or to the file named by -o. With
--no-wait, the command only starts the prediction, and prints its key.`,
		Args: cli.PositionalArgs("MODEL", "BLIND..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1:]) },
	}
	opts.bind(cmd, f)
	cmd.ValidArgsFunction = opts.wait.CompleteReference(connect.ListModelRefs)
	return cmd
}

// bind adds the flags of a command that predicts.
func (o *predictionsCreateOptions) bind(cmd *cobra.Command, f *cli.Factory) {
	o.wait.Bind(cmd, f)
	o.output.BindItem(cmd, f, cli.ResultType[Result](), cli.ResultType[api.CreatedPrediction]())
	o.layout.Bind(cmd, preflight.BlindRoles)
	o.target.Bind(cmd, f)
	o.target.BindExplain(cmd)
	cmd.MarkFlagsMutuallyExclusive("no-wait", "output")
	cmd.MarkFlagsMutuallyExclusive("no-wait", "columns")
}

// run predicts the files at paths with the model that ref refers to. If ref is "", it uses
// the champion of the series trained last.
func (o *predictionsCreateOptions) run(ctx context.Context, ref string, paths []string) error {
	if err := cmp.Or(o.target.CheckStdout(&o.output), o.target.CheckExtension(), o.target.CheckReasons()); err != nil {
		return err
	}
	ctx, session, done, err := o.wait.Open(ctx)
	if err != nil {
		return err
	}
	defer done()
	blind, err := o.layout.OpenInput(ctx, o.factory, true, paths...)
	if err != nil {
		return err
	}
	defer blind.Close()
	if !o.wait.NoWait {
		if err := o.target.ResolvePath(blind); err != nil {
			return err
		}
	}
	key, err := o.chooseModel(ctx, session, ref, blind)
	if err != nil {
		return err
	}
	dataset, err := session.DatasetOfModel(ctx, key)
	if err != nil {
		return err
	}
	p, err := o.preflight(ctx, session.Progress, blind, dataset)
	if err != nil {
		return err
	}
	read := p.TrainProfile
	provenance := download.Provenance{Options: p.ReceiptOptions(&o.layout), Classes: connect.DatasetClassLabels(dataset), Warnings: p.ReceiptWarnings()}
	if !o.wait.NoWait && o.target.ReceiptPath() != "" {
		if provenance.Blind, err = blind.ReceiptInput(ctx, read.Rows); err != nil {
			return err
		}
	}
	created, err := preflight.SubmitPrediction(ctx, session, o.target.NewPredictionRequest(key), &preflight.Upload{In: blind, Size: read.Bytes})
	if err != nil {
		return preflight.LostPredictionError(ctx, err, o.target.ResumeCommand("KEY", blind), "run the command again")
	}
	if o.wait.NoWait {
		return cli.PrintItem(&o.output, created, "predictionKey", "status")
	}
	return o.fetchResult(ctx, session, submittedPrediction{created: created, model: key, dataset: dataset, blind: blind, profile: read, warnings: p.Warnings(), provenance: provenance})
}

// submittedPrediction is a submitted prediction with its model and its blind file.
type submittedPrediction struct {
	created    *api.CreatedPrediction
	model      string // key of the model
	dataset    *api.Dataset
	blind      *preflight.InputTable
	profile    *profile.Profile // profile of the blind file
	warnings   []receipt.Warning
	provenance download.Provenance
}

// fetchResult waits for the prediction, downloads and verifies its result, and scores the
// result if the blind file has the label column.
func (o *predictionsCreateOptions) fetchResult(ctx context.Context, session *connect.Session, b submittedPrediction) error {
	again := o.target.ResumeCommand(b.created.PredictionKey, b.blind)
	prediction, err := session.AwaitPrediction(ctx, b.created.PredictionKey, again)
	if err != nil {
		return err
	}
	result := &Result{
		PredictionKey: b.created.PredictionKey, ModelKey: b.model, Path: o.target.Path, Receipt: o.target.ReceiptPath(), Warnings: b.warnings,
	}
	o.target.NoteMissingReasons(&o.output, prediction)
	provenance := b.provenance
	provenance.Prediction, provenance.Rows = prediction, &result.Rows
	label := cmp.Or(o.layout.Label, b.dataset.LabelName)
	known := download.BlindLabel{
		Column:   download.FindLabelColumn(b.profile, label, preflight.FeatureNames(b.dataset)),
		Inferred: label == "", Classes: provenance.Classes, PRAUCClass: b.dataset.PRAUCClass(), FindOverlap: download.FindOverlapOfPrediction(session, b.dataset, prediction),
	}
	provenance.Label = &known
	verify := download.ResultVerifier(ctx, b.blind, provenance.Classes, provenance.Rows)
	if err := o.target.Download(ctx, download.ResultDownload{Session: session, Provenance: provenance, Check: known.ScoreAfterCheck(ctx, verify), Retry: again}); err != nil {
		return err
	}
	known.NoteScore(&o.output)
	result.Scores = known.Score
	return result.Print(&o.output, &o.target)
}

// preflight checks a blind file before it is sent, and prints how the file is read. It
// returns an error if the file does not fit the dataset of the model, or if --columns selects
// a column that the result will not have.
func (o *predictionsCreateOptions) preflight(ctx context.Context, progress *term.Progress, blind *preflight.InputTable, dataset *api.Dataset) (*preflight.Preflight, error) {
	blind.HashWhileChecking()
	p := &preflight.Preflight{Factory: o.factory, Train: blind}
	if err := p.CheckAgainstModel(ctx, progress, dataset); err != nil {
		return nil, err
	}
	p.NoteRoles(&o.output)
	p.NoteWarnings(&o.output)
	if err := p.DefectError(); err != nil {
		return nil, err
	}
	return p, o.target.Columns.CheckAvailable(p.TrainProfile, connect.DatasetClassLabels(dataset), o.target.Reasons)
}

// chooseModel returns the key of the model that ref refers to. If ref is "", it chooses the
// champion of the series trained last, and prints which model that is. If there is no model, the
// hint of the error names the files of blind.
func (o *predictionsCreateOptions) chooseModel(ctx context.Context, session *connect.Session, ref string, blind *preflight.InputTable) (key string, err error) {
	if ref != "" {
		return session.ModelKey(ctx, ref)
	}
	best, err := session.NewestChampion(ctx)
	if err != nil {
		return "", err
	}
	if best == nil {
		return "", exit.Errorf(exit.NotFound, "no model to predict with").
			WithHint("train a model with `foretell run TRAIN.csv --blind %s`", preflight.ShellArgument(blind.Name))
	}
	o.output.Note("predicting with %s", describeModel(best))
	return best.ModelKey, nil
}

// Result is the output of a command that predicts.
type Result struct {
	Path          string `json:"path"`
	Rows          int    `json:"rows"`
	PredictionKey string `json:"predictionKey,omitempty"`
	ModelKey      string `json:"modelKey,omitempty"`
	Receipt       string `json:"receipt,omitempty"`
	// Warnings are the warnings about the blind file.
	Warnings []receipt.Warning `json:"warnings,omitempty"`
	// Scores is set if the blind file has the label column.
	Scores *scoring.Result `json:"scores,omitempty"`
}

// Print prints the path of the predictions, or r as JSON. If the predictions were written to
// standard output, it prints nothing.
func (r *Result) Print(o *cli.Output, t *download.OutputFile) error {
	switch {
	case t.ToStdout():
		return nil
	case o.JSON || len(o.Fields) > 0:
		return cli.PrintItem(o, r, "path")
	}
	return o.PrintLine(r.Path)
}
