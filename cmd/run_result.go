package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/gate"
	"foretell/internal/report"
	"foretell/internal/scoring"
	"foretell/internal/term"
)

// summarize prints for a person how it went.
func (j *journey) summarize(ctx context.Context, took time.Duration) {
	w, style := j.host.console.Err, j.host.console.ErrStyle
	// The report, an extension that another deployment may not have, says what a
	// blend is made of and how many rows the figures come from.
	figures, err := client.Call(ctx, j.Client, api.GetModelReport, &api.ModelInput{ModelKey: j.job.ModelKey})
	if err != nil {
		figures = nil
	}
	lines := report.Summary(j.job, j.model.Algorithm, figures, term.Duration(took))
	if j.result.Rows > 0 {
		lines = append(lines, fmt.Sprintf("  %-10s  %d, verified", "predicted", j.result.Rows))
	}
	lines = append(lines, fmt.Sprintf("  %-10s  %s", "model", j.named()))
	text := term.EscapeLines(strings.Join(lines, "\n"))
	if j.host.console.ErrTerminal {
		text = term.Reflow(text, j.host.console.ErrWidth())
	}
	winner, rest, _ := strings.Cut(text, " ")
	fmt.Fprintf(w, "%s %s\n", style.Bold(winner), rest)
}

// runDocument is what run prints as JSON.
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
	PredictionKey       string   `json:"predictionKey,omitempty"`
	Rows                int      `json:"rows,omitempty"`
	Path                string   `json:"path,omitempty"`
	Receipt             string   `json:"receipt,omitempty"`

	Understood   *understood     `json:"understood,omitempty"`
	Requirements []gate.Verdict  `json:"requirements,omitempty"`
	Stairs       []stair         `json:"stairs,omitempty"`
	Scores       *scoring.Result `json:"scores,omitempty"`
}

// print prints the path of the predictions, or without any the model's key.
func (j *journey) print() error {
	if j.target.toStdout() {
		return nil
	}
	doc := runDocument{
		DatasetKey: j.table.DatasetKey, DatasetName: j.table.DatasetName, Series: j.table.Series, SeriesVersion: j.model.SeriesVersion,
		TrainingJobKey: j.job.TrainingJobKey, Status: j.job.Status, Outcome: j.job.Outcome, Metric: j.job.Metric,
		TargetPerformance: j.job.TargetPerformance, AchievedPerformance: j.job.AchievedPerformance,
		TestPerformance: j.job.TestPerformance, TrainingPerformance: j.job.TrainingPerformance,
		Algorithm: j.model.Algorithm, AlgorithmName: api.AlgorithmWord(j.model.Algorithm), ModelKey: j.job.ModelKey,
		PredictionKey: j.result.PredictionKey, Rows: j.result.Rows, Path: j.result.Path, Receipt: j.result.Receipt, Stairs: j.stairs,
		Understood: j.files.understood(),
		Scores:     j.result.Scores,
	}
	if j.verdicts != nil {
		doc.Requirements = j.verdicts.Verdicts
	}
	switch {
	case j.output.json || len(j.output.fields) > 0:
		return item(&j.output, doc, "path")
	case j.files.blind == nil:
		return j.output.line(doc.ModelKey)
	}
	return j.output.line(doc.Path)
}
