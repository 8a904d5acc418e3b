package report

import (
	"fmt"

	"foretell/internal/api"
	"foretell/internal/gate"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// minUnpredictedRows is the smallest number of test rows of a class for which the report mentions
// that no row is predicted as this class.
const minUnpredictedRows = 5

// describeUnpredicted returns a sentence, without a full stop, about the classes that the model
// predicts for no test row, although they have at least minUnpredictedRows test rows. It returns ""
// if there are no such classes. The sentence also names flags with which a model would predict
// these classes more often. It names no flags if isClassBalanced returns true for the race, or if
// the scored models were trained on few rows; see [describeUsedRows].
func describeUnpredicted(r *api.ModelReport) string {
	var quoted []string
	label := "" // the last class in quoted
	rows, total := int64(0), int64(0)
	for i, class := range r.Classes {
		total += class.Rows
		if class.Rows >= minUnpredictedRows && len(r.Confusion) == len(r.Classes) && !isPredicted(r, i) {
			label, rows = class.Label, rows+class.Rows
			quoted = append(quoted, fmt.Sprintf("%q", api.AbbreviateValue(label)))
		}
	}
	if len(quoted) == 0 {
		return ""
	}
	these, f1 := "one of these classes", api.MetricMacroF1
	if len(quoted) == 1 {
		these, f1 = "this class", term.ShellQuote(gate.F1+"["+label+"]")
	}
	text := fmt.Sprintf("no test row is predicted as %s, although %s of the %s test rows have %s", humanize.List(quoted, 3), humanize.Comma(rows), humanize.Comma(total), these)
	switch {
	case isClassBalanced(r), r.UsedRows > 0:
		return text
	case len(r.Classes) > 2: // balanced weights make rare classes too likely if there are many
		return text + "; to predict more of them, train with --metric " + api.MetricMacroF1
	}
	return text + fmt.Sprintf("; to predict more of them, train with --class-weight balanced, --metric %s or --metric %s", f1, api.MetricBalancedAccuracy)
}

// isPredicted reports whether a test row is predicted as the class with this index.
func isPredicted(r *api.ModelReport, class int) bool {
	for _, row := range r.Confusion {
		if class < len(row) && row[class] > 0 {
			return true
		}
	}
	return false
}
