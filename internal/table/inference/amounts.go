package inference

import (
	"cmp"
	"math"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
)

// amounts is the result of parsing the texts of a column as numbers.
type amounts struct {
	format cells.NumberFormat
	values []columnstats.Value // the numbers
	// isPlain is set if all numbers are plain.
	isPlain bool
	// others is the number of texts that are not numbers, otherRows is the number of rows with such
	// a text, and firstOther is the first such text.
	others, otherRows int
	firstOther        columnstats.Value
	codeRows          int // rows of the other texts that are codes, see isAlphanumericCode
	clocks            int // the number of values whose text has only digits and colons
}

// minNumberShare is the smallest fraction of cells with a number for which areMostCells returns true.
const minNumberShare = 0.8

// areMostCells reports whether most cells are numbers that measure something. It returns false if
// the numbers are probably codes, because there are few different numbers or the other cells are
// mostly codes.
func (a *amounts) areMostCells() bool {
	rows := 0
	for i := range a.values {
		rows += a.values[i].Rows
	}
	return len(a.values) >= minDistinctNumbers && float64(rows)/float64(rows+a.otherRows) >= minNumberShare && 2*a.codeRows <= a.otherRows
}

// isAlphanumericCode reports whether a text is a one-word code: either a letter followed by
// characters that include digits, such as V45, or digits followed by a single letter, such as
// 85123A.
func isAlphanumericCode(text string) bool {
	const digits = "0123456789"
	isLetter := func(char byte) bool { return char|0x20-'a' < 26 }
	last := len(text) - 1
	return last > 0 && isLetter(text[last]) && strings.Trim(text[:last], digits) == "" ||
		isLetter(text[0]) && strings.ContainsAny(text, digits) && !strings.Contains(text, " ")
}

// bestAmounts parses texts of a column as numbers. It uses the decimal separator with which more of
// the texts are numbers or, in a tie, the point.
func bestAmounts(t *columnstats.Column, texts []columnstats.Value) amounts {
	best := parseAmounts(t, texts, false)
	if comma := parseAmounts(t, texts, true); len(comma.values) > 0 && comma.others < best.others {
		return comma
	}
	return best
}

// parseAmounts parses texts of a column as numbers with their most frequent unit. comma is set if a comma
// separates the decimals.
func parseAmounts(t *columnstats.Column, texts []columnstats.Value, comma bool) amounts {
	a := amounts{format: cells.NumberFormat{Unit: commonUnit(omitRareCompoundAmounts(t, texts, comma), comma), DecimalComma: comma}, isPlain: true}
	if a.format.Unit == cells.DurationUnit && areDebitsAndCredits(texts, comma) {
		return amounts{others: len(texts)}
	}
	for i := range texts {
		one := &texts[i]
		if one.Kind == cells.Blank || one.Kind == cells.Null {
			continue
		}
		value, ok := a.format.Parse([]byte(one.Text))
		if !ok {
			a.others, a.otherRows = a.others+1, a.otherRows+one.Rows
			if a.others == 1 || one.FirstLine() < a.firstOther.FirstLine() {
				a.firstOther = *one
			}
			if isAlphanumericCode(one.Text) {
				a.codeRows += one.Rows
			}
			continue
		}
		a.values = append(a.values, columnstats.Value{Kind: cells.Number, Number: value, Rows: one.Rows})
		a.isPlain = a.isPlain && one.Kind == cells.Number
		if isDuration(one) { // the comma in 1 day, 2:03:04 does not separate thousands
			if hasClockForm(one.Text) {
				a.clocks++
			}
			continue
		}
		a.format.Grouped = a.format.Grouped || strings.Contains(one.Text, thousandsSeparator(comma))
	}
	return a
}

// thousandsSeparator returns the point or the comma, whichever does not separate the decimals.
// decimalComma is set if the comma does. Other characters, such as a space, separate thousands in
// both formats.
func thousandsSeparator(decimalComma bool) string {
	if decimalComma {
		return "."
	}
	return ","
}

// decideAmounts returns the inference for a column of numbers. If the column does not contain
// numbers, areAmounts is false. best is the result of bestAmounts.
func decideAmounts(t *columnstats.Column, best *amounts) (inf Result, areAmounts bool) {
	if len(best.values) == 0 || best.areClockCodes() {
		return Result{}, false
	}
	different, others := len(best.values), best.others
	if t.Rows(cells.Text) <= t.Rows(cells.Number) {
		different = max(different, t.DistinctNumbers())
	}
	plain := t.Kind() == frame.Numeric
	enough := others == 0 || different >= minDistinctNumbers && others*distinctPerStray <= different
	if !plain && !enough {
		return Result{}, false
	}
	inf.Form = FormNumeric
	if !best.isPlain {
		inf.Format, inf.Values = &best.format, best.values
	}
	rows := 0
	for _, one := range t.ValuesByInterpretation() {
		if inf.IsStray(&one) {
			rows += one.Rows
		}
	}
	for _, one := range t.Values() {
		if inf.IsStray(&one) {
			inf.Strays = append(inf.Strays, one)
		}
	}
	if 2*rows > t.Rows(cells.Text)+t.Rows(cells.Number) {
		return Result{}, false
	}
	inf.IsSampled = t.IsSampled()
	if rows*columnstats.ValuesPerStray <= t.Rows(cells.Text)+t.Rows(cells.Number) || len(inf.Strays) > maxStrays {
		inf.Strays = nil // too rare to learn from
	}
	inf.hasCodes = t.HasCodes()
	return inf, true
}

// IsStray reports whether a value in a column of numbers is a stray: a text that cannot be parsed
// as a number of the column. In a column of scores such as 7/10, a number without a total is also a
// stray. Empty cells and null values are not strays.
func (inf *Result) IsStray(one *columnstats.Value) bool {
	switch {
	case inf.Format != nil && inf.Format.HasDenominator(): // 5 is not a score such as 5/10
		if one.Kind != cells.Text && one.Kind != cells.Number {
			return false
		}
	case one.Kind != cells.Text:
		return false
	case inf.Format == nil:
		return math.IsNaN(cells.NumberOrNaN([]byte(one.Text)))
	}
	_, ok := inf.Format.Parse([]byte(one.Text))
	return !ok
}

// commonUnit returns the most frequent unit of the texts, or "" if no text has a unit. comma is set
// if a comma separates the decimals.
//
// Units that mean the same, such as € and eur, count as one unit, and the result is its most
// frequent spelling. If some texts are durations such as 1 h 5 min, texts such as 45 min count for
// the unit of durations. The result is also "" if fewer texts have the unit than have only a scale,
// such as 5.3k: the m in a few texts such as 1.3m then means millions, not metres.
func commonUnit(texts []columnstats.Value, comma bool) string {
	spellings, units, durations := map[string]int{}, map[string]int{}, map[string]int{}
	scaled := 0 // the number of texts with a scale and no unit
	for i := range texts {
		if texts[i].Kind != cells.Text {
			continue
		}
		text := []byte(texts[i].Text)
		_, unit, ok := cells.ParseAmount(text, comma)
		switch {
		case ok && unit == "" && cells.EndsInLetter(text):
			scaled++
		case ok && unit != "":
			spellings[unit]++
			units[cells.CanonicalUnit(unit)]++
			durations[compoundDurationUnit(texts[i].Text, unit)] += texts[i].Rows
		}
	}
	addDurationParts(units, durations)
	best := ""
	for unit, count := range spellings {
		n := cmp.Or(units[cells.CanonicalUnit(unit)]-units[cells.CanonicalUnit(best)], count-spellings[best])
		if best == "" || n > 0 || n == 0 && unit < best {
			best = unit
		}
	}
	if scaled > units[cells.CanonicalUnit(best)] {
		return ""
	}
	return best
}

// minDurationShare is the smallest fraction of rows with durations of several numbers, such as 1h
// 5m, at which the m in 45 m means minutes or months. With a smaller fraction, it means metres.
const minDurationShare = 0.1

// addDurationParts makes texts such as 45 min count for the unit of durations if other texts are
// durations of several numbers, such as 1h 5m: it adds the count of min to the count of h. It does
// the same for ages and their unit. For one-letter units, see minDurationShare. units maps each
// unit to the number of texts with this unit. durations maps the units of durations and of ages to
// the number of rows with several numbers, and "" to the number of rows with other amounts that
// have a unit.
func addDurationParts(units, durations map[string]int) {
	for unit := range units {
		for _, to := range []string{cells.DurationUnit, cells.YearUnit} {
			isClear := len(unit) > 1 || float64(durations[to]) >= minDurationShare*float64(durations[to]+durations[""])
			if durations[to] > 0 && unit != to && isClear && cells.CanConvertUnit(unit, to) {
				units[to] += units[unit]
				break
			}
		}
	}
}
