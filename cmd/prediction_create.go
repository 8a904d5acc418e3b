package cmd

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/scoring"
	"foretell/internal/term"
)

type predictionsCreateOptions struct {
	wait   waitFlags
	output output
	layout layoutFlags
	host   *factory
	target outputFile
}

func newPredictionsCreateCmd(f *factory) *cobra.Command {
	opts := &predictionsCreateOptions{host: f}
	cmd := &cobra.Command{
		Use: "create MODEL BLIND...", Short: "Predict a blind CSV and write the verified result",
		Long: `Sends a blind CSV to a model, waits, and writes the result beside the blind file or
to the file named by -o. The path is printed. With --no-wait the key of the
prediction is printed instead.`,
		Args: positionalArgs("MODEL", "BLIND..."),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0], args[1:]) },
	}
	opts.bind(cmd, f)
	cmd.ValidArgsFunction = opts.wait.completeReference(modelNames)
	return cmd
}

// bind adds the flags of a predicting command.
func (o *predictionsCreateOptions) bind(cmd *cobra.Command, f *factory) {
	o.wait.bind(cmd, f)
	o.output.bindItem(cmd, f, resultType[resultDocument](), resultType[api.CreatedPrediction]())
	o.layout.bind(cmd)
	o.target.bind(cmd, f)
	cmd.MarkFlagsMutuallyExclusive("no-wait", "output")
	cmd.MarkFlagsMutuallyExclusive("no-wait", "columns")
}

// run predicts the files at paths with the model ref; "" is the newest champion.
func (o *predictionsCreateOptions) run(ctx context.Context, ref string, paths []string) error {
	if err := o.target.checkStdout(&o.output); err != nil {
		return err
	}
	ctx, session, done, err := o.wait.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	blind, err := o.layout.openInput(ctx, o.host, true, paths...)
	if err != nil {
		return err
	}
	defer blind.Close()
	if !o.wait.noWait {
		if err := o.target.resolvePath(blind); err != nil {
			return err
		}
	}
	key, err := o.chooseModel(ctx, session, ref, blind)
	if err != nil {
		return err
	}
	model, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: key})
	if err != nil {
		return err
	}
	dataset, err := client.Call(ctx, session.Client, api.GetDataset, &api.DatasetInput{DatasetKey: model.DatasetKey})
	if err != nil {
		return err
	}
	p, err := o.preflight(ctx, session.progress, blind, dataset)
	if err != nil {
		return err
	}
	profile := p.trainProfile
	found := provenance{options: p.readOptions(&o.layout), classes: labelsOf(dataset)}
	if !o.wait.noWait && o.target.receiptPath() != "" {
		if found.blind, err = blind.hashInput(ctx, profile.Rows); err != nil {
			return err
		}
	}
	created, err := session.submitPrediction(ctx, key, &upload{in: blind, size: profile.Bytes})
	if err != nil {
		return err
	}
	if o.wait.noWait {
		return printItem(&o.output, created, "predictionKey", "status")
	}
	prediction, err := session.awaitPrediction(ctx, created.PredictionKey, o.target.resumeCommand(created.PredictionKey, blind))
	if err != nil {
		return err
	}
	result := &resultDocument{
		PredictionKey: created.PredictionKey, ModelKey: key, Path: o.target.path, Receipt: o.target.receiptPath(),
	}
	found.prediction, found.rows = prediction, &result.Rows
	label := cmp.Or(o.layout.label, dataset.LabelName)
	known := blindLabel{
		column:   findLabel(profile, label, featureNames(dataset)),
		inferred: label == "", classes: found.classes,
	}
	if err := o.target.download(ctx, resultDownload{session, found, known.scoreAfter(ctx, blind.resultVerifier(ctx, found.classes, found.rows))}); err != nil {
		return err
	}
	known.noteScore(&o.output)
	result.Scores = known.score
	return result.print(&o.output, &o.target)
}

// preflight checks a blind file before it is sent and prints how it is read. It returns
// an error if the file does not fit the model's dataset, or lacks a column for the
// result.
func (o *predictionsCreateOptions) preflight(ctx context.Context, progress *term.Progress, blind *input, dataset *api.Dataset) (*preflight, error) {
	p := &preflight{host: o.host, train: blind}
	if err := p.checkAgainstModel(ctx, progress, dataset); err != nil {
		return nil, err
	}
	p.noteRoles(&o.output)
	if !o.output.json {
		p.noteWarnings(&o.output)
	}
	if err := p.defectError(); err != nil {
		return nil, err
	}
	return p, o.target.columns.check(p.trainProfile, labelsOf(dataset))
}

// chooseModel resolves ref. For "" it returns the champion of the series trained last,
// and prints it.
func (o *predictionsCreateOptions) chooseModel(ctx context.Context, session *session, ref string, blind *input) (string, error) {
	if ref != "" {
		return session.modelKey(ctx, ref)
	}
	best, err := session.newestChampion(ctx)
	if err != nil {
		return "", err
	}
	if best == nil {
		return "", exitErrorf(ExitNotFound, "no model to predict with").
			withHint("train one: `foretell run TRAIN.csv --blind %s`", shellArgument(blind.name))
	}
	o.output.note("predicting with %s", modelTitle(best))
	return best.ModelKey, nil
}

// resultDocument is the output of a predicting command.
type resultDocument struct {
	Path          string `json:"path"`
	Rows          int    `json:"rows"`
	PredictionKey string `json:"predictionKey,omitempty"`
	ModelKey      string `json:"modelKey,omitempty"`
	Receipt       string `json:"receipt,omitempty"`
	// Scores is set if the blind file has the label.
	Scores *scoring.Result `json:"scores,omitempty"`
}

// print prints the path of the result, or the document as JSON. If the result itself went
// to standard output, it prints nothing.
func (r *resultDocument) print(o *output, t *outputFile) error {
	switch {
	case t.toStdout():
		return nil
	case o.json || len(o.fields) > 0:
		return printItem(o, r, "path")
	}
	return o.printLine(r.Path)
}
