package inference

import (
	"slices"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
)

// minRowsPerCode is the average number of rows per distinct text from which on texts of digits and
// colons, such as 12:30, count as codes rather than durations; see areClockCodes.
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

// hasClockForm reports whether a text has only digits and colons, such as 26:30:00. Such a text is
// a duration or a code.
func hasClockForm(text string) bool {
	return strings.Contains(text, ":") && strings.Trim(text, "0123456789: ") == ""
}

// omitRareCompoundAmounts returns texts without compound amounts, such as 1:02:05, 1y 1m and 8/10
// (see isCompoundAmount), if these are rare; otherwise, it returns all texts. Compound amounts are
// rare if at least as many rows have a number without a unit. These numbers are then probably not
// hours, years or scores: a column of seconds, for example, may contain a few cells such as
// 1:02:05. t is the column. comma is set if a comma separates the decimals.
func omitRareCompoundAmounts(t *columnstats.Column, texts []columnstats.Value, comma bool) []columnstats.Value {
	compounds, numbers := 0, t.Rows(cells.Number)
	for i := range texts {
		one := &texts[i]
		if one.Kind != cells.Text {
			continue
		}
		if isCompoundAmount(one, comma) {
			compounds += one.Rows
		} else if _, unit, ok := cells.ParseAmount([]byte(one.Text), comma); ok && unit == "" {
			numbers += one.Rows
		}
	}
	if compounds == 0 || compounds > numbers {
		return texts
	}
	return slices.DeleteFunc(slices.Clone(texts), func(one columnstats.Value) bool { return isCompoundAmount(&one, comma) })
}

// isCompoundAmount reports whether a text is a duration or an age of several numbers, or a score
// such as 8/10. comma is set if a comma separates the decimals.
func isCompoundAmount(one *columnstats.Value, comma bool) bool {
	if one.Kind != cells.Text {
		return false
	}
	_, unit, ok := cells.ParseAmount([]byte(one.Text), comma)
	return ok && (cells.IsDenominator(unit) || compoundDurationUnit(one.Text, unit) != "")
}

// compoundDurationUnit returns the unit of a duration or an age of several numbers, and "" for any other
// amount, such as 5 h. unit is the unit of the amount.
func compoundDurationUnit(text, unit string) string {
	if unit != cells.DurationUnit && unit != cells.YearUnit {
		return ""
	}
	return cells.DurationUnitOf([]byte(text))
}

// areDebitsAndCredits reports whether all amounts with a unit end in the capital S or H, and both
// letters occur. German bookkeeping marks debits (Soll) with S and credits (Haben) with H, so 12,50
// S is not a number of seconds in such a column. comma is set if a comma separates the decimals.
func areDebitsAndCredits(texts []columnstats.Value, comma bool) bool {
	debits, credits := false, false
	for i := range texts {
		text := strings.TrimSpace(texts[i].Text)
		switch _, unit, ok := cells.ParseAmount([]byte(text), comma); {
		case !ok || unit == "":
		case isDuration(&texts[i]):
			return false // such as PT5S
		case unit == "s" && strings.HasSuffix(text, "S"):
			debits = true
		case unit == "h" && strings.HasSuffix(text, "H"):
			credits = true
		default:
			return false
		}
	}
	return debits && credits
}

// areClockCodes reports whether the amounts are a few distinct texts of digits and colons, each in
// many rows, such as the gene names 24:02:01 or the slot names 101:02:03. Such texts are probably
// codes, not durations.
func (a *amounts) areClockCodes() bool {
	rows := 0
	for i := range a.values {
		rows += a.values[i].Rows
	}
	return 2*a.clocks > len(a.values) && len(a.values) < minDistinctNumbers && rows >= minRowsPerCode*len(a.values)
}
