package profile

import (
	"slices"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// inference is the inferred type of a column.
type inference struct {
	form Form
	// format is set for numbers that are more than digits.
	format *cells.NumberFormat
	// strays are the texts among numbers that become levels.
	strays []DistinctValue
	// isCode is set if numbers are names: digits only, padded with zeros.
	isCode bool
	// dayFirst is how ambiguous dates are parsed.
	dayFirst bool
	// values are the numbers that the texts of an ordered form represent: days for dates.
	// They are nil if every number is written plainly.
	values []DistinctValue
	// sampled is set if not all texts and values are known.
	sampled bool
	// words are the words of a text, the most informative first.
	words []string
	// NamesRows is set if texts identify rows, so that they are useless as levels.
	NamesRows bool
	// shared is set if enough rows share their texts for levels to be useful.
	shared bool
}

// The rules of inference.
const (
	minTextRows        = 50   // rows below which texts are not split into words
	minDistinctShare   = 0.2  // share of distinct texts from which they are split
	maxStrayShare      = 20   // at most one text per this many distinct numbers or dates
	maxDateAttempts    = 100  // texts that are not dates after which inference gives up
	maxStrays          = 1000 // texts among numbers
	minDistinctNumbers = 20   // distinct numbers or dates that outweigh a few texts
	minNameShare       = 0.95 // share of distinct texts from which they are names
	minSharedWords     = 0.2  // average number of words that a text shares with others
	minSharedRows      = 0.3  // share of rows with a text that other rows have
)

// Infer infers the type of a column.
func (t *ColumnStats) Infer() inference {
	texts := t.Texts.sample()
	if t.Cells[cells.Text] == 0 {
		if t.Cells[cells.Number] == 0 && t.Cells[cells.Null] > 0 {
			return inference{form: FormCategory}
		}
		if j, ok := t.inferDates(texts); ok {
			return j
		}
		return inference{form: FormNumeric, isCode: isZeroPadded(texts)}
	}
	if j, ok := t.inferDates(texts); ok {
		return j
	}
	if j, ok := t.inferAmounts(texts); ok {
		return j
	}
	if t.Kind() == frame.Numeric {
		return inference{form: FormNumeric, isCode: isZeroPadded(texts)}
	}
	if isBoolean(texts) {
		return inference{form: FormBoolean}
	}
	return t.inferText(texts)
}

// inferDates infers whether texts are dates or times, and in which order: month first if
// that parses as many as day first.
func (t *ColumnStats) inferDates(texts []DistinctValue) (inference, bool) {
	best, most, times := inference{form: FormDate}, 0, 0
	for _, dayFirst := range []bool{false, true} {
		values, read, clocks := t.parseDates(texts, dayFirst)
		if read > most {
			best.dayFirst, best.values, most, times = dayFirst, values, read, clocks
		}
	}
	others := 0
	for i := range texts {
		if kind := texts[i].kind; kind == cells.Text || kind == cells.Number {
			others++
		}
	}
	others -= most
	numbers := t.Cells[cells.Text] == 0 // which are rarely dates
	if most < 1 || others*maxStrayShare > most || ((others > 0 || numbers) && most < minDistinctNumbers) || (others > 0 && numbers) {
		return inference{}, false
	}
	if times == most {
		best.form = FormTime
	}
	best.sampled = t.Texts.sampled != nil
	return best, true
}

// parseDates parses texts as dates and returns their values, the number parsed, and how
// many of them are times of day.
func (t *ColumnStats) parseDates(texts []DistinctValue, dayFirst bool) (values []DistinctValue, read, clocks int) {
	for i := range texts {
		m, ok := cells.ParseDateTime([]byte(texts[i].Text), dayFirst)
		if texts[i].kind == cells.Number {
			// Compact dates of this and the last century, otherwise numbers.
			ok = ok && m.Day >= cells.DaysFromCivil(1900, 1, 1) && m.Day < cells.DaysFromCivil(2100, 1, 1)
		}
		if !ok {
			if read == 0 && i >= maxDateAttempts {
				return nil, 0, 0
			}
			continue
		}
		read++
		value := m.Days()
		if !m.HasDate {
			clocks++
			value = m.Hour
		}
		values = append(values, DistinctValue{kind: cells.Number, value: value, rows: texts[i].rows})
	}
	if clocks > 0 && clocks < read {
		return nil, 0, 0 // some dates, some times
	}
	return values, read, clocks
}

// inferAmounts infers whether texts are numbers with a currency, a unit or commas, or
// numbers with a few other texts.
func (t *ColumnStats) inferAmounts(texts []DistinctValue) (inference, bool) {
	best, fewest, different := inference{form: FormNumeric}, len(texts)+1, 0
	for _, comma := range []bool{false, true} {
		j := inference{form: FormNumeric, format: &cells.NumberFormat{Unit: commonUnit(texts, comma), DecimalComma: comma}}
		known, others, decorated := 0, 0, 0
		for i := range texts {
			if texts[i].kind == cells.Blank || texts[i].kind == cells.Null {
				continue
			}
			if value, ok := j.format.Parse([]byte(texts[i].Text)); ok {
				known++
				if texts[i].kind == cells.Text {
					decorated++
				}
				j.values = append(j.values, DistinctValue{kind: cells.Number, value: value, rows: texts[i].rows})
			} else {
				others++
			}
		}
		if decorated == 0 {
			j.format, j.values = nil, nil
		}
		if known > 0 && others < fewest {
			best, fewest, different = j, others, known
		}
	}
	if different == 0 {
		return inference{}, false
	}
	return t.decideAmounts(best, texts, different, fewest)
}

// decideAmounts decides whether the given numbers of distinct numbers and other texts make
// a column of numbers.
func (t *ColumnStats) decideAmounts(j inference, texts []DistinctValue, different, others int) (inference, bool) {
	if t.numbers != nil && t.Cells[cells.Text] <= t.Cells[cells.Number] {
		different = max(different, t.numbers.distinct.count())
	}
	plain := t.Kind() == frame.Numeric
	enough := others == 0 || different >= minDistinctNumbers && others*maxStrayShare <= different
	if !plain && !enough {
		return inference{}, false
	}
	rows := 0
	for _, one := range t.Texts.list {
		if !j.unexpected(&one) {
			continue
		}
		rows += one.rows
		j.strays = append(j.strays, one)
	}
	if 2*rows > t.Cells[cells.Text]+t.Cells[cells.Number] {
		return inference{}, false
	}
	j.sampled = t.Texts.sampled != nil
	if rows*maxJunkShare <= t.Cells[cells.Text]+t.Cells[cells.Number] || len(j.strays) > maxStrays {
		j.strays = nil // too rare to learn from
	}
	j.isCode = isZeroPadded(texts)
	return j, true
}

// unexpected reports whether a text among numbers is not a number in the column's format.
func (j *inference) unexpected(one *DistinctValue) bool {
	if one.kind != cells.Text || j.format == nil {
		return one.kind == cells.Text
	}
	_, ok := j.format.Parse([]byte(one.Text))
	return !ok
}

// commonUnit returns the most frequent unit of texts.
func commonUnit(texts []DistinctValue, comma bool) string {
	counts := map[string]int{}
	best := ""
	for i := range texts {
		if texts[i].kind != cells.Text {
			continue
		}
		_, unit, ok := cells.ParseAmount([]byte(texts[i].Text), comma)
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

// isZeroPadded reports whether numbers are codes: digits only, some with leading zeros, as
// in 02134.
func isZeroPadded(texts []DistinctValue) bool {
	zeros := false
	for i := range texts {
		if texts[i].kind != cells.Number {
			continue
		}
		for _, char := range []byte(texts[i].Text) {
			if char-'0' > 9 {
				return false
			}
		}
		zeros = zeros || len(texts[i].Text) > 1 && texts[i].Text[0] == '0'
	}
	return zeros
}

// isBoolean reports whether the texts are two words for yes and no.
func isBoolean(texts []DistinctValue) bool {
	pairs := [][2]string{{"yes", "no"}, {"true", "false"}, {"y", "n"}, {"t", "f"}, {"on", "off"}}
	return slices.ContainsFunc(pairs, func(pair [2]string) bool {
		seen := [2]bool{}
		for i := range texts {
			word := foldCase(texts[i].Text)
			at := slices.Index(pair[:], word)
			if at < 0 {
				return false
			}
			seen[at] = true
		}
		return seen[0] && seen[1]
	})
}

// inferText infers whether texts identify rows, and which words they share.
func (t *ColumnStats) inferText(texts []DistinctValue) inference {
	j := inference{form: FormCategory}
	filled := t.Cells[cells.Text] + t.Cells[cells.Number] + t.Cells[cells.Null]
	different, _ := t.distinctCount()
	if filled < minTextRows || float64(different) < minDistinctShare*float64(filled) {
		return j
	}
	j.NamesRows = float64(different) >= minNameShare*float64(filled)
	words, held := selectWords(texts)
	if float64(held) < minSharedWords*float64(len(texts)) {
		return j
	}
	j.form, j.words = FormText, words
	shared := 0
	for i := range t.Texts.list {
		if rows := t.Texts.list[i].rows; rows > 1 {
			shared += rows
		}
	}
	j.shared = float64(shared) >= minSharedRows*float64(filled)
	return j
}

// foldCase returns a text in lower case without surrounding spaces.
func foldCase(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// Profile describes a column except for its name and position.
func (t *ColumnStats) Profile(j *inference) ColumnProfile {
	c := ColumnProfile{
		Form: j.form, Words: len(j.words),
		values: t.Texts.list, emptyRows: t.Cells[cells.Blank], dayFirst: j.dayFirst, format: j.format,
	}
	switch {
	case j.form == FormCategory, j.form == FormBoolean, j.form == FormText:
		c.Missing = t.Cells[cells.Blank]
		c.Distinct, c.Estimate = t.distinctCount()
		c.Top = t.Texts.top(maxTop)
	case j.values != nil:
		c.Missing = t.Cells[cells.Blank] + t.Cells[cells.Null]
		if j.sampled {
			c.Distinct, _ = t.distinctCount()
			c.Estimate = true
			break
		}
		m := newRunningStats(j.values, t.Limits.maxHashes)
		c.Distinct, c.Estimate, c.Numbers, c.hasFractions = m.distinct.count(), !m.distinct.exact(), m.stats(), m.fractions
		c.Missing = t.Cells[cells.Blank] + t.Cells[cells.Null] + t.Cells[cells.Text] + t.Cells[cells.Number] - m.rows
	default:
		numbers := t.runningStats()
		c.Missing = t.Cells[cells.Blank] + t.Cells[cells.Null] + t.Cells[cells.Text]
		c.Distinct, c.Estimate = numbers.distinct.count(), !numbers.distinct.exact()
		c.Numbers, c.hasFractions = numbers.stats(), numbers.fractions
	}
	rows := t.Cells[cells.Blank] + t.Cells[cells.Number] + t.Cells[cells.Null] + t.Cells[cells.Text]
	c.Distinct = min(c.Distinct, rows-c.Missing) // an estimate may be too high
	if c.Estimate {
		c.Distinct = max(c.Distinct, min(1, rows-c.Missing)) // or zero
	}
	return c
}
