package report

import (
	"cmp"
	"fmt"
	"strings"

	"foretell/internal/api"
	"foretell/internal/gate"
	"foretell/internal/humanize"
)

// isClassBalanced reports whether the race had class weights, or one of the metrics F1, macro F1
// and balanced accuracy. Such a race may accept a lower accuracy to predict rare classes more
// often.
func isClassBalanced(r *api.ModelReport) bool {
	base, _, _ := strings.Cut(r.Metric, "[")
	return len(r.ClassWeights) > 0 || base == gate.F1 || base == api.MetricMacroF1 || base == api.MetricBalancedAccuracy
}

// compareWithBaseline compares the score of a model with the score of its baseline, which always
// predicts the most frequent class. If the model may be no better, text says so, in a sentence
// without a full stop. Otherwise text is "". isWorse is true if the whole interval of the score is
// below the score of the baseline.
//
// The score is the accuracy or, if isClassBalanced returns true, the metric of the race. If this
// metric is the accuracy, but the race had class weights, nothing is compared, because the weights
// may lower the accuracy. Nothing is compared either if the scored models were trained on few of
// the rows; see [describeUsedRows].
func compareWithBaseline(r *api.ModelReport) (text string, isWorse bool) {
	scores, baseline, kind, _ := testOrValidationScores(r)
	metric := api.MetricAccuracy
	if isClassBalanced(r) {
		metric = cmp.Or(r.Metric, metric)
	}
	i := scores.Interval(metric)
	score, isScored := scores.Value(metric)
	least, isCompared := baseline.Value(metric)
	if i == nil || !isScored || !isCompared || len(r.ClassWeights) > 0 && metric == api.MetricAccuracy || r.UsedRows > 0 {
		return "", false
	}
	always := fmt.Sprintf("the %s of always predicting %q", formatPercentage(least), api.AbbreviateValue(r.Baseline.Label))
	switch {
	case i.High < least:
		text = fmt.Sprintf("the %s on the %s rows is %s (95 %% interval %s to %s), worse than %s",
			metric, kind, formatPercentage(score), formatPercentage(i.Low), formatPercentage(i.High), always)
		if r.TimeColumn != "" {
			text += fmt.Sprintf("; by %q, these rows are later than the training rows, and their label seems to depend on the columns in another way", api.AbbreviateValue(r.TimeColumn))
		}
		return text, true
	case i.Low <= least:
		return fmt.Sprintf("the %s may be no better than %s, which its interval includes", metric, always), false
	}
	return "", false
}

// describeUsedRows returns a sentence, without a full stop, that says that the scored models were
// trained on few of the rows. It returns "" if they were not.
func describeUsedRows(r *api.ModelReport) string {
	if r.UsedRows == 0 {
		return ""
	}
	text := fmt.Sprintf("the scores are of models trained on at most %s of %s rows, because the earlier rows of groups that also have later rows are excluded", humanize.Comma(r.UsedRows), humanize.Comma(r.Rows))
	if !r.RefitInterrupted {
		text += "; the final model is trained on all rows, so it is probably better than these scores"
	}
	return text + "; --group or --time alone excludes no such rows"
}
