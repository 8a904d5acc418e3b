package inference

import (
	"slices"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
)

// minRowsPerCode is the smallest number of rows for each distinct text of digits and colons, on
// average, with which few such texts are codes.
const minRowsPerCode = 10

// countDurations returns the number of texts that are durations, or times of day that may be
// durations.
func countDurations(texts []columnstats.Value) int {
	durations := 0
	for i := range texts {
		if isDuration(&texts[i]) {
			durations++
		}
	}
	return durations
}

func isDuration(one *columnstats.Value) bool {
	return one.Kind == cells.Text && cells.IsDuration([]byte(one.Text))
}

// hasClockForm reports whether a text has only digits and colons, such as 26:30:00. It is then a
// duration or a code.
func hasClockForm(text string) bool {
	return strings.Contains(text, ":") && strings.Trim(text, "0123456789: ") == ""
}

// omitRareDurations returns the texts without the durations if no more rows of the column t have
// durations than numbers without a unit. Such numbers are seldom hours: a column of seconds may have
// a few cells such as 1:02:05. comma is set if a comma separates the decimals.
func omitRareDurations(t *columnstats.Column, texts []columnstats.Value, comma bool) []columnstats.Value {
	durations, numbers := 0, t.Rows(cells.Number)
	for i := range texts {
		one := &texts[i]
		switch {
		case one.Kind != cells.Text:
		case isDuration(one):
			durations += one.Rows
		default:
			if _, unit, ok := cells.ParseAmount([]byte(one.Text), comma); ok && unit == "" {
				numbers += one.Rows
			}
		}
	}
	if durations == 0 || durations > numbers {
		return texts
	}
	return slices.DeleteFunc(slices.Clone(texts), func(one columnstats.Value) bool { return isDuration(&one) })
}

// areClockCodes reports whether the amounts are few distinct texts of digits and colons, each in many
// rows, such as the names 24:02:01 of genes or 101:02:03 of slots. They are rather codes than
// durations.
func (a *amounts) areClockCodes() bool {
	rows := 0
	for i := range a.values {
		rows += a.values[i].Rows
	}
	return 2*a.clocks > len(a.values) && len(a.values) < minDistinctNumbers && rows >= minRowsPerCode*len(a.values)
}
