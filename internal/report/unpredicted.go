package report

import (
	"fmt"
	"slices"
	"strings"

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
// the scored models were trained on few rows; see [describeUsedRows]. If the scored models were trained
// on no row of a class, it says this instead.
func describeUnpredicted(r *api.ModelReport) string {
	var trained, untrained unpredicted
	total := int64(0)
	for i, class := range r.Classes {
		total += class.Rows
		switch {
		case class.Rows < minUnpredictedRows || len(r.Confusion) != len(r.Classes) || isPredicted(r, i):
		case slices.Contains(r.UntrainedClasses, class.Label):
			untrained.add(class)
		default:
			trained.add(class)
		}
	}
	var texts []string
	if len(trained.labels) > 0 {
		texts = append(texts, trained.describe(total)+adviseOnUnpredicted(r, trained.labels))
	}
	if len(untrained.labels) > 0 {
		text := untrained.describe(total) + ", because the scored models were trained on no such row"
		if !r.RefitInterrupted {
			text += "; the final model is also trained on the test rows"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// unpredicted are classes that are predicted for no test row.
type unpredicted struct {
	labels []string
	rows   int64 // number of their test rows
}

func (u *unpredicted) add(class api.ClassReport) {
	u.labels, u.rows = append(u.labels, class.Label), u.rows+class.Rows
}

// describe returns a clause about the classes. total is the number of test rows.
func (u *unpredicted) describe(total int64) string {
	var quoted []string
	for _, label := range u.labels {
		quoted = append(quoted, fmt.Sprintf("%q", api.AbbreviateValue(label)))
	}
	these := "one of these classes"
	if len(quoted) == 1 {
		these = "this class"
	}
	return fmt.Sprintf("no test row is predicted as %s, although %s of the %s test rows have %s", humanize.List(quoted, 3), humanize.Comma(u.rows), humanize.Comma(total), these)
}

// adviseOnUnpredicted returns a clause that names flags with which a model would predict the classes with
// these labels more often, or "".
func adviseOnUnpredicted(r *api.ModelReport, labels []string) string {
	switch {
	case isClassBalanced(r), r.UsedRows > 0:
		return ""
	case len(r.Classes) > 2: // balanced weights make rare classes too likely if there are many
		return "; to predict more of them, train with --metric " + api.MetricMacroF1
	}
	f1 := api.MetricMacroF1
	if len(labels) == 1 {
		f1 = term.ShellQuote(gate.F1 + "[" + labels[0] + "]")
	}
	return fmt.Sprintf("; to predict more of them, train with --class-weight balanced, --metric %s or --metric %s", f1, api.MetricBalancedAccuracy)
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
