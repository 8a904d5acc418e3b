package htmlreport

import (
	"fmt"
	"strings"

	"foretell/internal/api"
	"foretell/internal/design"
	"foretell/internal/humanize"
)

// measured returns the scores on rows that the model was not trained on, the name of these
// rows and their number. The test rows are preferred.
func measured(r *api.ModelReport) (scores, baseline *api.Scores, kind string, rows int64) {
	b := r.Baseline
	if b == nil {
		b = &api.Baseline{}
	}
	if r.Test != nil && r.TestRows > 0 {
		return r.Test, b.Test, "test", r.TestRows
	}
	return r.Validation, b.Validation, "validation", r.ValidationRows
}

// verdict says how good the model is, in sentences.
func verdict(r *api.ModelReport) []string {
	scores, baseline, kind, rows := measured(r)
	if scores == nil {
		return []string{"How good the model is was not measured: there were too few rows."}
	}
	text := fmt.Sprintf("On %s that it was not trained on, the model predicts the right class in %s", humanize.Count(rows, kind+" row"), share(scores.Accuracy))
	if i := scores.Interval(api.MetricAccuracy); i != nil {
		text += fmt.Sprintf(" of the cases (95 %% interval %s to %s)", share(i.Low), share(i.High))
	} else {
		text += " of the cases"
	}
	sentences := []string{text + "."}
	if baseline != nil {
		sentences = append(sentences, fmt.Sprintf("Always answering %q would be right in %s.", shorten(r.Baseline.Label), share(baseline.Accuracy)))
	}
	if r.Metric != api.MetricAccuracy {
		if value, known := scores.Value(r.Metric); known {
			sentences = append(sentences, fmt.Sprintf("The %s, for which the algorithms raced, is %s.", r.Metric, design.FormatScore(value)))
		}
	}
	return sentences
}

// share formats a share as a percentage.
func share(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// shorten returns a label that fits in a sentence.
func shorten(label string) string {
	if runes := []rune(label); len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return label
}

// The limits below or above which a report has a caution.
const (
	fewTestRows      = 200
	fewRowsOfClass   = 20
	trainingGap      = 0.1
	largeCalibration = 0.1
	dominantShare    = 0.8
)

// cautions lists what could be wrong with the model or its figures.
func cautions(r *api.ModelReport) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	scores, baseline, kind, rows := measured(r)
	if scores == nil {
		return nil
	}
	switch {
	case kind != "test":
		add("There are no test rows (%s). The validation rows also decided which model was kept, so their figures are optimistic.", r.TestMissingReason())
	case rows < fewTestRows:
		add("Only %s: the figures are uncertain. Trust the intervals more than the values.", humanize.Count(rows, "test row"))
	}
	if i := scores.Interval(api.MetricAccuracy); i != nil && baseline != nil && i.Low <= baseline.Accuracy {
		add("The accuracy is not clearly above that of always answering %q: its interval includes %s.", shorten(r.Baseline.Label), share(baseline.Accuracy))
	}
	var rare []string
	for _, c := range r.Classes {
		if c.Rows < fewRowsOfClass {
			rare = append(rare, shorten(c.Label))
		}
	}
	if len(rare) > 0 {
		more := ""
		if len(rare) > 5 {
			rare, more = rare[:5], ", …"
		}
		add("Fewer than %d test rows have the class %s%s. Its figures are hardly more than a guess.", fewRowsOfClass, strings.Join(rare, ", "), more)
	}
	if r.Training != nil && r.Training.Accuracy-scores.Accuracy > trainingGap {
		add("On the rows that it was trained on, the model is right in %s. So large a difference is normal for trees, but more rows may help.", share(r.Training.Accuracy))
	}
	if scores.CalibrationError != nil && *scores.CalibrationError > largeCalibration {
		add("The probabilities are off by %s on average. Use the classes rather than the probabilities.", share(*scores.CalibrationError))
	}
	if gain := scores.Accuracy; baseline != nil && len(r.Importances) > 1 && r.Metric == api.MetricAccuracy {
		first := r.Importances[0]
		if gain -= baseline.Accuracy; gain > 0.1 && first.Importance > dominantShare*gain && r.Importances[1].Importance < 0.2*first.Importance {
			add("Almost all depends on the column %q. If its value is known only after the label, the model will fail in use.", shorten(first.Column))
		}
	}
	return list
}
