package profile

import (
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// amounts is the result of parsing the texts of a column as numbers.
type amounts struct {
	format cells.NumberFormat
	values []distinctValue // the numbers
	// isPlain is set if all numbers are plain.
	isPlain bool
	// others is the number of texts that are not numbers, otherRows the number of their rows, and
	// firstOther the first of them.
	others, otherRows int
	firstOther        distinctValue
	codeRows          int // the rows of others whose text is a code, see isCode
}

// minNumberShare is the smallest fraction of the cells of a column that are most cells; see
// areMostCells.
const minNumberShare = 0.8

// areMostCells reports whether most cells are numbers that measure something. It returns false if
// there are few different numbers, or if the other cells are mostly codes, because the numbers are
// then codes, too.
func (a *amounts) areMostCells() bool {
	rows := 0
	for i := range a.values {
		rows += a.values[i].rows
	}
	return len(a.values) >= minDistinctNumbers && ratio(rows, rows+a.otherRows) >= minNumberShare && 2*a.codeRows <= a.otherRows
}

// isCode reports whether a text is a code: one word that begins with a letter and has digits, such
// as V45, or digits that end in one letter, such as 85123A.
func isCode(text string) bool {
	const digits = "0123456789"
	isLetter := func(char byte) bool { return char|0x20-'a' < 26 }
	last := len(text) - 1
	return last > 0 && isLetter(text[last]) && strings.Trim(text[:last], digits) == "" ||
		isLetter(text[0]) && strings.ContainsAny(text, digits) && !strings.Contains(text, " ")
}

// bestAmounts parses texts with the decimal separator with which more of them are numbers. If both
// separators are equal in this, it is the point.
func bestAmounts(texts []distinctValue) amounts {
	best := parseAmounts(texts, false)
	if comma := parseAmounts(texts, true); len(comma.values) > 0 && comma.others < best.others {
		return comma
	}
	return best
}

// parseAmounts parses texts as numbers with their most frequent unit. comma is set if a comma
// separates the decimals.
func parseAmounts(texts []distinctValue, comma bool) amounts {
	a := amounts{format: cells.NumberFormat{Unit: commonUnit(texts, comma), DecimalComma: comma}, isPlain: true}
	for i := range texts {
		one := &texts[i]
		if one.kind == cells.Blank || one.kind == cells.Null {
			continue
		}
		value, ok := a.format.Parse([]byte(one.text))
		if !ok {
			a.others, a.otherRows = a.others+1, a.otherRows+one.rows
			if a.others == 1 || one.first < a.firstOther.first {
				a.firstOther = *one
			}
			if isCode(one.text) {
				a.codeRows += one.rows
			}
			continue
		}
		a.values = append(a.values, distinctValue{kind: cells.Number, value: value, rows: one.rows})
		a.isPlain = a.isPlain && one.kind == cells.Number
		a.format.Grouped = a.format.Grouped || strings.Contains(one.text, thousandsSeparator(comma))
	}
	return a
}

// thousandsSeparator returns the separator of thousands of a format, besides the characters that
// separate thousands in both formats. decimalComma is set if a comma separates the decimals.
func thousandsSeparator(decimalComma bool) string {
	if decimalComma {
		return "."
	}
	return ","
}

// decideAmounts decides whether a column is a column of numbers, and returns false if it
// is not. best is the result of parsing texts.
func (t *ColumnStats) decideAmounts(best *amounts) (inf inference, areAmounts bool) {
	if len(best.values) == 0 {
		return inference{}, false
	}
	different, others := len(best.values), best.others
	if t.numericStats != nil && t.rowsByKind[cells.Text] <= t.rowsByKind[cells.Number] {
		different = max(different, t.numericStats.distinct.estimate())
	}
	plain := t.Kind() == frame.Numeric
	enough := others == 0 || different >= minDistinctNumbers && others*distinctPerStray <= different
	if !plain && !enough {
		return inference{}, false
	}
	inf.form = FormNumeric
	if !best.isPlain {
		inf.format, inf.values = &best.format, best.values
	}
	rows := 0
	for _, one := range t.texts.values {
		if !inf.isStray(&one) {
			continue
		}
		rows += one.rows
		inf.strays = append(inf.strays, one)
	}
	if 2*rows > t.rowsByKind[cells.Text]+t.rowsByKind[cells.Number] {
		return inference{}, false
	}
	inf.isSampled = t.texts.firstTexts != nil
	if rows*valuesPerStray <= t.rowsByKind[cells.Text]+t.rowsByKind[cells.Number] || len(inf.strays) > maxStrays {
		inf.strays = nil // too rare to learn from
	}
	inf.isCode = areCodes(t.texts.values)
	return inf, true
}

// isStray reports whether a value in a column of numbers is a text that is not a number.
func (inf *inference) isStray(one *distinctValue) bool {
	if one.kind != cells.Text || inf.format == nil {
		return one.kind == cells.Text
	}
	_, ok := inf.format.Parse([]byte(one.text))
	return !ok
}

// commonUnit returns the most frequent unit in texts, or "" if none has a unit. comma is
// set if a comma separates the decimals.
func commonUnit(texts []distinctValue, comma bool) string {
	counts := map[string]int{}
	best := ""
	for i := range texts {
		if texts[i].kind != cells.Text {
			continue
		}
		_, unit, ok := cells.ParseAmount([]byte(texts[i].text), comma)
		if !ok || unit == "" {
			continue
		}
		counts[unit]++
		if n := counts[unit] - counts[best]; best == "" || n > 0 || n == 0 && unit < best {
			best = unit
		}
	}
	return best
}
