package cmd

import (
	"context"
	"errors"

	"foretell/cmd/prediction"
	"foretell/internal/download"
	"foretell/internal/exit"
	"foretell/internal/preflight"
	"foretell/internal/term"
)

// predict predicts the blind file and downloads the verified result.
func (p *runPipeline) predict(ctx context.Context) error {
	blind := &preflight.Upload{In: p.files.Blind, Size: p.files.BlindProfile.Bytes}
	created, err := preflight.SubmitPrediction(ctx, p.Session, p.target.NewPredictionRequest(p.job.ModelKey), blind)
	if preflight.IsFileChanged(err) {
		return exit.FromError(ctx, err).WithHint("the model is kept; when the blind file no longer changes, predict it with `%s`", p.predictCommand())
	}
	if !p.gate.IsSet() { // with requirements, only the whole run can be continued
		err = preflight.LostPredictionError(ctx, err, p.target.ResumeCommand("KEY", p.files.Blind), "continue with `"+p.predictCommand()+"`")
	}
	if err != nil {
		return exit.WithContinueCommand(ctx, err, p.predictCommand())
	}
	again := p.repeatCommand(p.target.ResumeCommand(created.PredictionKey, p.files.Blind))
	predicted, err := p.AwaitPrediction(ctx, created.PredictionKey, again)
	var failed *exit.Error
	if errors.As(err, &failed) && failed.Status == exit.JobFailed {
		return failed.WithHint("%s; the model is kept; to predict with it, use `%s`", failed.Hint, p.predictCommand())
	}
	if err != nil {
		return err
	}
	p.target.NoteMissingReasons(&p.output, predicted)
	p.result = prediction.Result{
		Path: p.target.Path, PredictionKey: created.PredictionKey, ModelKey: p.job.ModelKey, Receipt: p.target.ReceiptPath(),
	}
	p.provenance.Classes = p.files.ClassLabels()
	p.provenance.Prediction, p.provenance.Rows = predicted, &p.result.Rows
	known := download.BlindLabel{
		Column:  download.FindLabelColumn(p.files.BlindProfile, p.files.TrainProfile.Schema.Label, nil),
		Classes: p.provenance.Classes, PRAUCClass: p.dataset.PRAUCClass(), FindOverlap: download.FindOverlapOfPrediction(p.Session, p.dataset, predicted),
	}
	p.provenance.Label = &known
	proof := known.ScoreAfterCheck(ctx, download.ResultVerifier(ctx, p.files.Blind, p.provenance.Classes, p.provenance.Rows))
	if err := p.target.Download(ctx, download.ResultDownload{Session: p.Session, Provenance: p.provenance, Check: proof, Retry: again}); err != nil {
		return err
	}
	known.NoteScore(&p.output)
	p.result.Scores = known.Score
	return nil
}

// keepExistingOutput is called if the model missed a requirement. If the output file OUT.csv
// exists, it changes the output path to OUT.rejected.csv, so that a failed scheduled job does not
// lose the last good result. It returns the path of OUT.csv, or "" if there is no such file.
func (p *runPipeline) keepExistingOutput() (kept string) {
	if !p.target.IsExistingFile() {
		return ""
	}
	kept, p.target.Path = p.target.Path, p.target.RejectedPath(p.files.Train, p.files.Blind)
	return kept
}

// addKeptOutputHint extends the hint of err, the error for a missed requirement. It adds that the file
// at the path kept was not replaced. If kept is "", it returns err unchanged.
func (p *runPipeline) addKeptOutputHint(kept string, err error) error {
	var missed *exit.Error
	if kept == "" || !errors.As(err, &missed) {
		return err
	}
	return missed.WithHint("the file %s was not replaced; the predictions of this model are in %s; %s", kept, p.target.Path, missed.Hint)
}

// predictCommand returns the command with which the user can later predict the blind file with the
// model of the race.
func (p *runPipeline) predictCommand() string {
	return p.repeatCommand(p.target.PredictCommand(p.files.Blind, term.ShellQuote(p.modelReference())))
}

// repeatCommand returns the command that continues an interrupted run. This is the given command
// or, if the run has requirements, the command line of the run with --resume, because only
// `foretell run` checks the requirements.
func (p *runPipeline) repeatCommand(command string) string {
	if p.gate.IsSet() && p.RunCommand != nil {
		return p.RunCommand(p.job.TrainingJobKey)
	}
	return command
}
