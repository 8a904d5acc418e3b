package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/gate"
	"foretell/internal/preflight"
	"foretell/internal/race"
	"foretell/internal/receipt"
	"foretell/internal/report"
	"foretell/internal/scoring"
	"foretell/internal/term"
)

// printSummary prints the scores of the model, the number of predicted rows and the reference to
// the model to standard error. took is the duration of the command.
func (p *runPipeline) printSummary(ctx context.Context, took time.Duration) {
	w, style := p.factory.Console.Err, p.factory.Console.ErrStyle
	// The report contains the components of a blend and the number of rows behind the scores. It is
	// an extension that another service may not have.
	figures, err := client.Call(ctx, p.Client, api.GetModelReport, &api.ModelReportInput{ModelInput: api.ModelInput{ModelKey: p.job.ModelKey}})
	if err != nil {
		figures = nil
	}
	lines := report.Summary(p.job, p.model.Algorithm, figures, term.FormatDuration(took))
	if p.result.Rows > 0 {
		lines = append(lines, fmt.Sprintf("  %-10s  %d, verified", "predicted", p.result.Rows))
	}
	lines = append(lines, fmt.Sprintf("  %-10s  %s", "model", p.modelTitle()))
	if p.factory.NotesAreEvents {
		p.factory.Note("%s", strings.Join(lines, "\n"))
		return
	}
	text := term.EscapeLines(strings.Join(lines, "\n"))
	if p.factory.Console.ErrTerminal {
		text = term.Reflow(text, p.factory.Console.ErrWidth())
	}
	winner, rest, _ := strings.Cut(text, " ")
	fmt.Fprintf(w, "%s %s\n", style.Bold(winner), rest)
}

// applyToChampion lets the results of --require and --beat decide whether the model can be the
// champion. It prints a note if the model is not the champion because its race was ended early or
// another model is promoted.
func (p *runPipeline) applyToChampion(ctx context.Context) error {
	m, err := p.gate.ApplyToChampion(ctx, &p.output, p.Session, p.job.ModelKey, p.gateReport)
	if err != nil {
		return err
	}
	if m != nil {
		p.model = m
	}
	switch p.model.ChampionReason {
	case api.ReasonCancelled:
		p.output.Note("the race was ended early, so its model is not the champion of the series; to make it the champion, use `foretell models promote %s`", term.ShellQuote(p.modelReference()))
	case api.ReasonAnotherPromoted:
		p.output.Note("another model of the series was promoted, so that model stays the champion; to let the scores decide, use `foretell models promote %s --automatic`", term.ShellQuote(p.model.Series))
	}
	return nil
}

// runDocument is the JSON output of run.
type runDocument struct {
	DatasetKey          string   `json:"datasetKey"`
	DatasetName         string   `json:"datasetName"`
	Series              string   `json:"series,omitempty"`
	SeriesVersion       int      `json:"seriesVersion,omitempty"`
	TrainingJobKey      string   `json:"trainingJobKey"`
	Status              string   `json:"status"`
	Outcome             string   `json:"outcome"`
	Metric              string   `json:"metric"`
	TargetPerformance   *float64 `json:"targetPerformance"`
	AchievedPerformance *float64 `json:"achievedPerformance"`
	TestPerformance     *float64 `json:"testPerformance"`
	TrainingPerformance *float64 `json:"trainingPerformance"`
	Algorithm           string   `json:"algorithm,omitempty"`
	AlgorithmName       string   `json:"algorithmName,omitempty"`
	ModelKey            string   `json:"modelKey"`
	Champion            bool     `json:"champion"`
	ChampionReason      string   `json:"championReason,omitempty"`
	PredictionKey       string   `json:"predictionKey,omitempty"`
	Rows                int      `json:"rows,omitempty"`
	Path                string   `json:"path,omitempty"`
	Receipt             string   `json:"receipt,omitempty"`

	Understood   *preflight.ColumnRoles `json:"understood,omitempty"`
	Requirements []gate.Result          `json:"requirements,omitempty"`
	Steps        []race.SearchStep      `json:"stairs,omitempty"`
	Scores       *scoring.Result        `json:"scores,omitempty"`
	Warnings     []receipt.Warning      `json:"warnings,omitempty"`
}

// print prints the path of the predictions or, if there is no blind file, the key of the model.
func (p *runPipeline) print() error {
	if p.target.ToStdout() {
		return nil
	}
	doc := runDocument{
		DatasetKey: p.dataset.DatasetKey, DatasetName: p.dataset.DatasetName, Series: p.dataset.Series, SeriesVersion: p.model.SeriesVersion,
		TrainingJobKey: p.job.TrainingJobKey, Status: p.job.Status, Outcome: p.job.Outcome, Metric: p.job.Metric,
		TargetPerformance: p.job.TargetPerformance, AchievedPerformance: p.job.AchievedPerformance,
		TestPerformance: p.job.TestPerformance, TrainingPerformance: p.job.TrainingPerformance,
		Algorithm: p.model.Algorithm, AlgorithmName: api.AlgorithmKind(p.model.Algorithm), ModelKey: p.job.ModelKey, Champion: p.model.Champion, ChampionReason: p.model.ChampionReason,
		PredictionKey: p.result.PredictionKey, Rows: p.result.Rows, Path: p.result.Path, Receipt: p.result.Receipt, Steps: p.steps,
		Understood: p.files.ColumnRoles(),
		Scores:     p.result.Scores, Warnings: p.files.Warnings(),
	}
	if p.gateReport != nil {
		doc.Requirements = p.gateReport.Results
	}
	switch {
	case p.output.JSON || len(p.output.Fields) > 0:
		return cli.PrintItem(&p.output, doc, "path")
	case p.files.Blind == nil:
		return p.output.PrintLine(doc.ModelKey)
	}
	return p.output.PrintLine(doc.Path)
}
