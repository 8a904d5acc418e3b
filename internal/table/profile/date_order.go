package profile

import (
	"fmt"
	"math"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// DateOrder says whether the day or the month is first in the dates of a column, such as 1/2/2006.
type DateOrder string

// The orders of the dates of a column.
const (
	DayFirst   DateOrder = "day-first"
	MonthFirst DateOrder = "month-first"
	// UnknownOrder means that no date shows the order. Such dates are read with the month first.
	UnknownOrder DateOrder = "unknown"
)

// dateOrder returns the order of the dates of a column, or "" if it is not a column of dates.
func (inf *inference) dateOrder() DateOrder {
	o := &inf.dates
	switch {
	case inf.form != FormDate:
		return ""
	case inf.dayFirst:
		return DayFirst
	case inf.hasUnknownOrder || o.either.rows+o.dayFirst.rows+o.monthFirst.rows == 0:
		return UnknownOrder
	}
	return MonthFirst
}

// dateCounts counts the dates of a column, such as 1/2/2006, whose meaning depends on whether the
// day or the month is first.
type dateCounts struct {
	// dayFirst are the dates that are valid only with the day first, such as 13/2/2006. monthFirst
	// are the dates that are valid only with the month first.
	dayFirst, monthFirst dateCount
	either               dateCount // valid in both orders, with different meanings
}

// dateCount is a number of rows, and the first date of these rows.
type dateCount struct {
	rows  int
	first distinctValue
}

func (d *dateCount) add(value *distinctValue) {
	if d.rows == 0 || value.first < d.first.first {
		d.first = *value
	}
	d.rows += value.rows
}

// countDates returns the counts for the distinct texts of a column.
func countDates(texts []distinctValue) (o dateCounts) {
	for i := range texts {
		month, byMonth := cells.ParseDateTime([]byte(texts[i].text), false)
		day, byDay := cells.ParseDateTime([]byte(texts[i].text), true)
		switch {
		case byDay && !byMonth:
			o.dayFirst.add(&texts[i])
		case byMonth && !byDay:
			o.monthFirst.add(&texts[i])
		case byMonth && month != day:
			o.either.add(&texts[i])
		}
	}
	return o
}

// isAmbiguous reports whether dates can be read in two ways and no date shows which is right.
func (o *dateCounts) isAmbiguous() bool {
	return o.either.rows > 0 && o.dayFirst.rows == 0 && o.monthFirst.rows == 0
}

// contradicting returns the dates that are invalid in the given order and valid in the other.
func (o *dateCounts) contradicting(dayFirst bool) *dateCount {
	if dayFirst {
		return &o.monthFirst
	}
	return &o.dayFirst
}

// nameOrder returns a phrase for messages which says what part of a date is first.
func nameOrder(dayFirst bool) string {
	if dayFirst {
		return "the day first"
	}
	return "the month first"
}

// resolveDateOrder sets the order of the columns whose dates can be read in two ways. In a
// blind file, it is the order of the training file. Otherwise, it is the order of the other
// columns of dates, if they agree.
func (s *scanner) resolveDateOrder(inferences []inference) {
	decided, known := make(map[bool]bool), make(map[string]bool)
	for i := range inferences {
		o := &inferences[i].dates
		if inferences[i].form == FormDate && o.dayFirst.rows != o.monthFirst.rows {
			decided[inferences[i].dayFirst] = true
		}
	}
	if s.opts.Training != nil {
		for i := range s.opts.Training.Columns {
			if c := &s.opts.Training.Columns[i]; c.Feature == frame.ExtractTime {
				known[c.SourceName()] = c.DayFirst
			}
		}
	}
	for i := range inferences {
		inf := &inferences[i]
		if inf.form != FormDate || !inf.dates.isAmbiguous() {
			continue
		}
		dayFirst, found := known[s.table.Names[i]]
		if !found {
			dayFirst, found = decided[true], len(decided) == 1
		}
		inf.hasUnknownOrder = !found
		if dayFirst != inf.dayFirst {
			inf.dayFirst = dayFirst
			inf.values, _, _ = s.columns[i].parseDates(s.columns[i].texts.allOrFirstTexts(), dayFirst)
		}
	}
}

// warnDateOrder warns about a column of dates if it is not known whether the day is first, or
// if some dates are in another order than most.
func (s *scanner) warnDateOrder(i int, inf *inference) {
	if inf.form != FormDate || s.label < 0 {
		return
	}
	if inf.hasUnknownOrder {
		first := &inf.dates.either.first
		s.warnAt(first.firstLine(), csvfile.CodeAmbiguousDates, i, "no date shows whether the day or the month is first: the month is assumed, so %s is %s",
			csvfile.Excerpt(first.text), formatDateText(first.text, inf.dayFirst))
	}
	if other := inf.dates.contradicting(inf.dayFirst); other.rows > 0 {
		s.warnAt(other.first.firstLine(), csvfile.CodeDateOrder, i, "%s has %s, but most dates of the column have %s; the dates of %s are treated as missing",
			csvfile.Excerpt(other.first.text), nameOrder(!inf.dayFirst), nameOrder(inf.dayFirst), humanize.Count(other.rows, "row"))
	}
}

// checkDateOrder reports dates of the blind column that are in another order than the model
// expects. It returns false if there are such dates. The parameter train needs only Name, Form and
// DateOrder.
func (c *comparison) checkDateOrder(train, blind *ColumnProfile) (matches bool) {
	if train.Form != FormDate || blind.Form != FormDate || train.DateOrder == "" {
		return true
	}
	dayFirst := train.DateOrder == DayFirst
	either, other := &blind.dates.either, blind.dates.contradicting(dayFirst)
	if other.rows == 0 {
		if train.DateOrder == UnknownOrder && train.dates.either.rows == 0 && blind.dates.isAmbiguous() {
			c.reportAt(either.first.firstLine(), SeverityWarning, csvfile.CodeAmbiguousDates, train.Name, "no date of the training file shows whether the day or the month is first: the month is assumed, so %s is %s",
				csvfile.Excerpt(either.first.text), formatDateText(either.first.text, dayFirst))
		}
		return true
	}
	reason := "no date of the training file shows the order, and " + nameOrder(dayFirst) + " is assumed"
	if train.DateOrder != UnknownOrder {
		reason = "the dates of the training file were read with " + nameOrder(dayFirst)
	}
	effect := fmt.Sprintf("the dates of %s are treated as missing", humanize.Count(other.rows, "row"))
	if either.rows > 0 {
		effect += fmt.Sprintf(", and those of %s are perhaps read with day and month exchanged", humanize.Count(either.rows, "other row"))
	}
	c.reportAt(other.first.firstLine(), SeverityWarning, csvfile.CodeDateOrder, train.Name, "%s has %s, but %s: %s",
		csvfile.Excerpt(other.first.text), nameOrder(!dayFirst), reason, effect)
	return false
}

// textRows returns the number of rows with a text that is not a number and does not mean that
// the value is missing.
func (c *ColumnProfile) textRows() int {
	rows := 0
	for i := range c.values {
		if c.values[i].kind == cells.Text {
			rows += c.values[i].rows
		}
	}
	return rows
}

// formatDateText returns the date in a text as year, month and day.
func formatDateText(text string, dayFirst bool) string {
	date, _ := cells.ParseDateTime([]byte(text), dayFirst)
	return FormDate.Format(math.Floor(date.EpochDays()))
}
