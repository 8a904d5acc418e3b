package report

import (
	"cmp"
	"fmt"
	"strings"

	"foretell/internal/api"
	"foretell/internal/humanize"
)

// Summary returns the lines that summarise a race: the model and why it was kept, its scores with
// intervals and rows, and the baseline. The first line starts with the algorithm. took is the
// formatted duration. If the service has no reports, r is nil, and the lines only have the values
// in job.
func Summary(job *api.Training, algorithm string, r *api.ModelReport, took string) []string {
	if r == nil {
		r = &api.ModelReport{}
	}
	name := cmp.Or(algorithm, r.Algorithm)
	lines := []string{api.AlgorithmTitle(name) + strings.TrimPrefix(winReason(job, name, r), name) + ", after " + took}
	if len(r.Blend) > 0 {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "made of", r.FormatBlend()))
	}
	if text := formatFeatures(r); text != "" {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "features", text))
	}
	add := func(name string, value *float64, s *api.Scores, rows int64, why string) {
		switch {
		case value != nil:
			line := fmt.Sprintf("  %-10s  %s %s", name, api.PerformanceName(job.Metric), formatScore(*value))
			if i := s.PerformanceInterval(job.Metric); i != nil {
				line += fmt.Sprintf(" (%s)", i)
			}
			if rows > 0 {
				line += " on " + humanize.Count(rows, "row")
			}
			lines = append(lines, line)
		case r.Rows > 0: // there is a report
			if why == "" { // the rows were scored
				why = fmt.Sprintf("%s cannot be computed on the %s", api.PerformanceName(job.Metric), humanize.Count(rows, name+" row"))
			}
			lines = append(lines, fmt.Sprintf("  %-10s  not measured: %s", name, why))
		}
	}
	add("test", job.TestPerformance, r.Test, r.TestRows, r.TestMissingReason())
	add("validation", job.AchievedPerformance, r.Validation, r.ValidationRows, r.ValidationMissingReason())
	if r.Validation != nil {
		loss := formatBothScores(r.Validation, r.Test, api.MetricLogLoss)
		if c := findCandidate(r, r.Algorithm); c != nil && formatScore(c.LogLoss) != formatMetric(r.Validation, api.MetricLogLoss) {
			loss += fmt.Sprintf(" (before calibration %s)", formatScore(c.LogLoss)) // a race that is cut short compares uncalibrated log losses
		}
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "log loss", loss))
	}
	if b := r.Baseline; b != nil && b.Validation != nil {
		lines = append(lines, fmt.Sprintf("  %-10s  %s: %s %s", "baseline", baselineName(b.Label, 16), api.PerformanceName(job.Metric), formatBothPerformances(b.Validation, b.Test, job.Metric)))
	}
	if text := describeUsedRows(r); text != "" {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "warning", text))
	}
	if text := describeSingletons(r); text != "" {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "warning", text))
	}
	if text, isWorse := compareWithBaseline(r); isWorse {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "warning", text))
	}
	if scores, _, _, _ := testOrValidationScores(r); scores != nil && scores.Accuracy >= suspiciousAccuracy {
		if text := describeDominantColumn(r); text != "" {
			lines = append(lines, fmt.Sprintf("  %-10s  %s: is it known before the label is?", "warning", text))
		}
	}
	if text := describeUnpredicted(r); text != "" {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "warning", text))
	}
	for _, note := range r.Notes {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", "note", note))
	}
	return lines
}

// formatFeatures describes how many features each fold used. It returns "" if every fold used all
// features.
func formatFeatures(r *api.ModelReport) string {
	if r.ScreenedFeatures == 0 {
		return ""
	}
	return fmt.Sprintf("each fold's %d most informative of %d", r.ScreenedFeatures, r.Features)
}

// formatBothPerformances is like formatBothScores, but for the log loss it formats exp(−log loss),
// as races do. test may be nil.
func formatBothPerformances(validation, test *api.Scores, name string) string {
	format := func(s *api.Scores) string {
		value, known := s.Performance(name)
		if !known {
			return "-"
		}
		return formatScore(value)
	}
	text := "validation " + format(validation)
	if test != nil {
		text = "test " + format(test) + ", " + text
	}
	return text
}

// formatBothScores formats the score called name on two sets of rows: "test 0.4021, validation
// 0.3987". test may be nil.
func formatBothScores(validation, test *api.Scores, name string) string {
	text := "validation " + formatMetric(validation, name)
	if test != nil {
		text = "test " + formatMetric(test, name) + ", " + text
	}
	return text
}

// baselineName returns the name of the baseline that always predicts label, such as
// `always "good"`.
func baselineName(label string, width int) string {
	return `always "` + strings.ReplaceAll(escapeAndTruncate(label, width), `"`, `\"`) + `"`
}

// winReason returns the reason why the model was kept. It is the sentence of [ExplainWin] or, if
// that is "", a shorter sentence made from job.
func winReason(job *api.Training, algorithm string, r *api.ModelReport) string {
	name := cmp.Or(algorithm, "the best model")
	text := ExplainWin(r)
	switch {
	case text == "" && job.Outcome == api.OutcomeReached && job.TargetPerformance != nil:
		text = fmt.Sprintf("%s reached %g", name, *job.TargetPerformance)
	case text == "":
		text = name + " was chosen"
	}
	if job.Outcome == api.OutcomeTimeLimit {
		text += " at the time limit"
	}
	return text
}
