package report

import (
	"fmt"

	"foretell/internal/api"
	"foretell/internal/humanize"
)

// describeSingletons returns a sentence, without a full stop, that says that rows were not scored,
// because each of them is the only row of its class. It returns "" if they are few. The accuracy on
// new rows is estimated as in [api.ModelReport.KnownClassShare].
func describeSingletons(r *api.ModelReport) string {
	if r.SingletonRows == 0 {
		return ""
	}
	share := r.KnownClassShare()
	text := fmt.Sprintf("%s of %s rows are the only row of their class, so they were trained on but not scored, and all scores are too high; about %s of new rows probably have a class that the training file lacks",
		humanize.Comma(r.SingletonRows), humanize.Comma(r.Rows), humanize.Percent(1-share))
	if scores, _, kind, _ := testOrValidationScores(r); scores != nil {
		text += fmt.Sprintf(", so the accuracy on new rows is probably about %s instead of the %s on the %s rows", formatPercentage(share*scores.Accuracy), formatPercentage(scores.Accuracy), kind)
	}
	return text
}
