package check

import (
	"unicode/utf8"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
)

// Limits for the warning about a column whose dates have several formats.
const (
	minDateShare       = 0.2 // with a smaller fraction of dates, the column is taken for texts
	minDatesPerPattern = 0.9 // a pattern is one of dates if at least this fraction of its cells are dates
)

// cellPattern counts the cells of a column that have the same pattern, see patternOf.
type cellPattern struct {
	columnstats.Occurrences
	dates int // rows whose cell is a date or a time of day
}

func (p *cellPattern) isDate() bool { return float64(p.dates) >= minDatesPerPattern*float64(p.Rows) }

// warnMixedDates warns about a column that contains dates but is read as texts, because the formats
// of its cells differ too much.
func (c *columnChecker) warnMixedDates() {
	inf := c.inferred
	if c.opts.Blind || inf.Form != inference.FormCategory && inf.Form != inference.FormText {
		return
	}
	texts := c.stats.AllOrSample()
	date, other := findMixedDates(texts)
	if date == nil {
		return
	}
	if order := inference.CountDates(c.stats.ValuesByInterpretation()); order.DayFirst.Rows > 0 && order.MonthFirst.Rows > 0 {
		day, month := &order.DayFirst.First, &order.MonthFirst.First
		c.warnAt(day.FirstLine(), csvfile.CodeMixedDates, "the column is read as text, because %s (%s) has the day first, but %s (%s) has the month first",
			csvfile.Excerpt(day.Text), c.opts.FormatLine(day.FirstLine()), csvfile.Excerpt(month.Text), c.opts.FormatLine(month.FirstLine()))
		return
	}
	if other == nil {
		return
	}
	c.warnAt(other.FirstLine(), csvfile.CodeMixedDates, "the column is read as text, because its dates or times have different formats, such as %s (%s) and %s (%s)",
		csvfile.Excerpt(date.Text), c.opts.FormatLine(date.FirstLine()), csvfile.Excerpt(other.Text), c.opts.FormatLine(other.FirstLine()))
}

// findMixedDates returns the first cell of the most frequent pattern of dates, and the first cell
// of the most frequent other pattern. date is nil if only few of the texts are dates, and other is
// nil if there is only one pattern.
func findMixedDates(texts []columnstats.Value) (date, other *columnstats.Value) {
	rows, dates := 0, 0
	patterns := map[string]*cellPattern{}
	for i := range texts {
		one := &texts[i]
		if one.Kind != cells.Text && one.Kind != cells.Number {
			continue
		}
		pattern := patternOf(one.Text)
		if patterns[pattern] == nil {
			patterns[pattern] = &cellPattern{}
		}
		patterns[pattern].Add(one)
		if one.Kind == cells.Text && isDateTime(one.Text) {
			patterns[pattern].dates += one.Rows
		}
		rows += one.Rows
	}
	var mostDates, mostOther *cellPattern
	for _, p := range patterns {
		if p.isDate() {
			dates += p.Rows
			if p.isMoreFrequent(mostDates) {
				mostDates = p
			}
		}
	}
	if mostDates == nil || float64(dates) < minDateShare*float64(rows) {
		return nil, nil
	}
	for _, p := range patterns {
		if p != mostDates && p.isMoreFrequent(mostOther) {
			mostOther = p
		}
	}
	if mostOther == nil {
		return &mostDates.First, nil
	}
	return &mostDates.First, &mostOther.First
}

// isMoreFrequent reports whether p has more rows than other or, in a tie, is earlier in the file.
// Any pattern is more frequent than nil.
func (p *cellPattern) isMoreFrequent(other *cellPattern) bool {
	return other == nil || p.Rows > other.Rows || p.Rows == other.Rows && p.First.FirstLine() < other.First.FirstLine()
}

func isDateTime(text string) bool {
	for _, dayFirst := range []bool{false, true} {
		if _, ok := cells.ParseDateTime([]byte(text), dayFirst); ok {
			return true
		}
	}
	return false
}

// patternOf replaces each run of letters in a cell by an a, each run of one or two digits by a 1,
// and each longer run of digits by a 4. For example, it returns 4-1-1 for 2024-01-31.
func patternOf(cell string) string {
	pattern := make([]byte, 0, len(cell))
	for i := 0; i < len(cell); {
		begin, char := i, cell[i]
		switch {
		case char-'0' <= 9:
			for i < len(cell) && cell[i]-'0' <= 9 {
				i++
			}
			char = '1'
			if i-begin > 2 {
				char = '4'
			}
		case isPatternLetter(char):
			for i < len(cell) && isPatternLetter(cell[i]) {
				i++
			}
			char = 'a'
		default:
			i++
		}
		pattern = append(pattern, char)
	}
	return string(pattern)
}

// isPatternLetter reports whether a byte is an ASCII letter, or part of a character that is not in
// ASCII.
func isPatternLetter(char byte) bool { return char|0x20-'a' < 26 || char >= utf8.RuneSelf }

// warnTextsAmongDates warns about cells in a column of dates or times that are not dates or times.
// Dates with day and month in the other order are left to warnDateOrder.
func (c *columnChecker) warnTextsAmongDates() {
	inf := c.inferred
	if inf.Form != inference.FormDate && inf.Form != inference.FormTime {
		return
	}
	other := columnstats.Occurrences{}
	values := c.stats.ValuesByInterpretation()
	if inf.Epoch != "" { // ValuesByInterpretation merges all numbers into one value
		values = c.stats.AllOrSample()
	}
	for _, one := range values {
		if (one.Kind == cells.Text || one.Kind == cells.Number) && !c.isDate(&one) {
			other.Add(&one)
		}
	}
	if other.Rows == 0 {
		return
	}
	noun := "dates from the years 1000 to 2999"
	switch {
	case inf.Form == inference.FormTime:
		noun = "times of day"
	case inf.Epoch != "":
		noun = frame.DescribeUnit(inf.Epoch)
	}
	treatment, rows := "; such values are treated as missing", humanize.Count(other.Rows, "row")
	if c.opts.Blind {
		treatment = "" // how such values are treated depends on the training file
	}
	if inf.Epoch != "" && c.stats.IsSampled() {
		rows = "at least " + rows
	}
	c.warnAt(other.First.FirstLine(), csvfile.CodeJunkInDates, "the column has %s, but other values in %s, such as %s in %s%s",
		noun, rows, csvfile.Excerpt(other.First.Text), c.opts.FormatLine(other.First.FirstLine()), treatment)
}

// isDate reports whether a cell of a column of dates or times is a date or time. In a column of
// Unix times, it also returns true for 0 and -1, by which programs mark a missing time.
func (c *columnChecker) isDate(one *columnstats.Value) bool {
	if _, ok := c.inferred.DateFormat().Parse([]byte(one.Text)); ok {
		return true
	}
	if c.inferred.Epoch != "" {
		return inference.IsMissingUnixTime(one.Number) // NaN if it is no number
	}
	return !c.inferred.YearFirst && isDateTime(one.Text)
}

// Limits for the warning about dates such as 10142018.
const (
	minCompactDates     = 0.95 // smallest fraction of cells
	minCompactDateTexts = 5    // smallest number of different dates
)

// warnCompactDates warns about a training column of numbers such as 10142018, which are probably
// dates (day and month, then the year) but are not read as dates.
func (c *columnChecker) warnCompactDates() {
	if form := c.inferred.Form; c.opts.Blind || form != inference.FormNumeric && form != inference.FormCategory {
		return
	}
	dates, rows, different := columnstats.Occurrences{}, 0, 0
	for _, one := range c.stats.AllOrSample() {
		if one.Kind == cells.Blank || one.Kind == cells.Null {
			continue
		}
		rows += one.Rows
		if isCompactDate(one.Text) {
			dates.Add(&one)
			different++
		}
	}
	if different >= minCompactDateTexts && float64(dates.Rows) >= minCompactDates*float64(rows) {
		c.warnAt(dates.First.FirstLine(), csvfile.CodeDateOrder, "the cells are probably dates such as %s, but a date without separators is only read if the year is first",
			csvfile.Excerpt(dates.First.Text))
	}
}

// isCompactDate reports whether a text is a date of the years 1930 to 2039 as MMDDYYYY or DDMMYYYY.
// The first 0 may be missing.
func isCompactDate(text string) bool {
	if len(text) == 7 {
		text = "0" + text
	}
	if len(text) != 8 || text[4:] < "1930" || text[4:] > "2039" {
		return false
	}
	for _, yearFirst := range []string{text[4:] + text[:4], text[4:] + text[2:4] + text[:2]} {
		if _, ok := cells.ParseDateTime([]byte(yearFirst), false); ok {
			return true
		}
	}
	return false
}

// warnYearFirst warns about a training column whose dates perhaps begin with a two-digit year.
func (c *columnChecker) warnYearFirst() {
	inf := c.inferred
	if c.opts.Blind || inf.Form != inference.FormDate && inf.Form != inference.FormCategory && inf.Form != inference.FormText {
		return
	}
	first, _ := inference.FirstYearFirstDate(c.stats)
	switch {
	case first == nil || inf.YearFirst:
	case inf.Form == inference.FormDate:
		c.warnAt(first.FirstLine(), csvfile.CodeYearFirst, "the dates probably begin with a two-digit year, but such dates are read with the year last: %s is read as %s",
			csvfile.Excerpt(first.Text), inference.FormatDate(first.Text, inf.DayFirst))
	default:
		c.warnAt(first.FirstLine(), csvfile.CodeYearFirst, "the cells are probably dates that begin with a two-digit year, such as %s: such dates are not read, so the column is read as %s",
			csvfile.Excerpt(first.Text), describeReading(inf.Form))
	}
}

// warnDateOrder warns about a column of dates if it is unknown whether the day comes first, or if
// the order of some dates differs from that of most.
func (c *columnChecker) warnDateOrder() {
	inf := c.inferred
	if inf.Form != inference.FormDate || c.opts.Blind {
		return
	}
	if inf.HasUnknownOrder {
		first := &inf.Dates.Either.First
		c.warnAt(first.FirstLine(), csvfile.CodeAmbiguousDates, "no date shows whether the day or the month is first: the month is assumed to be first, so %s is read as %s",
			csvfile.Excerpt(first.Text), inference.FormatDate(first.Text, inf.DayFirst))
	}
	if other := inf.Dates.Contradicting(inf.DayFirst); other.Rows > 0 {
		c.warnAt(other.First.FirstLine(), csvfile.CodeDateOrder, "the date %s has %s, but most dates of the column have %s; the dates of %s are treated as missing",
			csvfile.Excerpt(other.First.Text), inference.DescribeOrder(!inf.DayFirst), inference.DescribeOrder(inf.DayFirst), humanize.Count(other.Rows, "row"))
	}
}
