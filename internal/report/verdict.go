package report

import (
	"fmt"
	"math"

	"foretell/internal/api"
	"foretell/internal/humanize"
)

// testOrValidationScores returns the scores of the model and of the baseline on the test rows or,
// if there are no test rows, on the validation rows. kind is "test" or "validation", and rows is
// the number of these rows.
func testOrValidationScores(r *api.ModelReport) (scores, baseline *api.Scores, kind string, rows int64) {
	b := r.Baseline
	if b == nil {
		b = &api.Baseline{}
	}
	if r.Test != nil && r.TestRows > 0 {
		return r.Test, b.Test, "test", r.TestRows
	}
	return r.Validation, b.Validation, "validation", r.ValidationRows
}

// Verdict returns sentences on how good a model is.
func Verdict(r *api.ModelReport) []string {
	scores, baseline, kind, rows := testOrValidationScores(r)
	if scores == nil {
		return []string{"The quality of the model was not measured: " + r.ValidationMissingReason() + "."}
	}
	text := fmt.Sprintf("On %s that it was not trained on, the model predicts the right class in %s", humanize.Count(rows, kind+" row"), formatPercentage(scores.Accuracy))
	if i := scores.Interval(api.MetricAccuracy); i != nil {
		text += fmt.Sprintf(" of the cases (95 %% interval %s to %s)", formatPercentage(i.Low), formatPercentage(i.High))
	} else {
		text += " of the cases"
	}
	sentences := []string{text + "."}
	if baseline != nil {
		sentences = append(sentences, fmt.Sprintf("Always answering %q would be right in %s.", api.AbbreviateValue(r.Baseline.Label), formatPercentage(baseline.Accuracy)))
	}
	if r.Metric != api.MetricAccuracy {
		if value, known := scores.Value(r.Metric); known {
			if r.Metric == api.MetricLogLoss {
				return append(sentences, fmt.Sprintf("The log loss, the metric of the race, is %s (smaller is better): the geometric mean of the probabilities of the right classes is %s.", formatScore(value), formatScore(math.Exp(-value))))
			}
			sentences = append(sentences, fmt.Sprintf("The %s, the metric of the race, is %s.", r.Metric, formatScore(value)))
		}
	}
	return sentences
}

// formatPercentage formats a fraction, from 0 to 1, as a percentage.
func formatPercentage(fraction float64) string { return fmt.Sprintf("%.1f %%", 100*fraction) }
