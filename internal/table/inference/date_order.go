package inference

import (
	"math"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
)

// DateOrder says whether the day or the month is first in the dates of a column, such as 1/2/2006.
type DateOrder string

// The orders of the dates of a column.
const (
	DayFirst   DateOrder = "day-first"
	MonthFirst DateOrder = "month-first"
	// UnknownOrder means that no date reveals the order. Such dates are read with the month first.
	UnknownOrder DateOrder = "unknown"
	// YearFirst means that a two-digit year comes first, as in 06-01-31.
	YearFirst DateOrder = "year-first"
)

// DateOrder returns the order of the dates of a column, or "" for a column of Unix times or a
// column without dates.
func (inf *Result) DateOrder() DateOrder {
	o := &inf.Dates
	switch {
	case inf.Form != FormDate || inf.Epoch != "":
		return ""
	case inf.YearFirst:
		return YearFirst
	case inf.DayFirst:
		return DayFirst
	case inf.HasUnknownOrder || o.Either.Rows+o.DayFirst.Rows+o.MonthFirst.Rows == 0:
		return UnknownOrder
	}
	return MonthFirst
}

// DateFormat returns how the dates of the column are read.
func (inf *Result) DateFormat() cells.DateFormat {
	return cells.DateFormat{DayFirst: inf.DayFirst, YearFirst: inf.YearFirst, PerDay: inf.Epoch.PerDay()}
}

// DateCounts counts the dates, such as 1/2/2006, for which it matters whether the day or the month is
// first.
type DateCounts struct {
	// DayFirst are the dates that are valid only with the day first, such as 13/2/2006. MonthFirst
	// are the dates that are valid only with the month first.
	DayFirst, MonthFirst columnstats.Occurrences
	Either               columnstats.Occurrences // valid in both orders, with different meanings
}

// CountDates counts the dates among texts, which are the distinct texts of a column or the result
// of its method ValuesByInterpretation.
func CountDates(texts []columnstats.Value) (o DateCounts) {
	for i := range texts {
		month, day, byMonth, byDay := cells.ParseBothOrders([]byte(texts[i].Text))
		switch {
		case byDay && !byMonth:
			o.DayFirst.Add(&texts[i])
		case byMonth && !byDay:
			o.MonthFirst.Add(&texts[i])
		case byMonth && month != day:
			o.Either.Add(&texts[i])
		}
	}
	return o
}

// IsAmbiguous reports whether some dates can be read in two ways and no date reveals which reading
// is right.
func (o *DateCounts) IsAmbiguous() bool {
	return o.Either.Rows > 0 && o.DayFirst.Rows == 0 && o.MonthFirst.Rows == 0
}

// Contradicting returns the dates that are valid only in the opposite order: only with the month
// first if dayFirst is set, and otherwise only with the day first.
func (o *DateCounts) Contradicting(dayFirst bool) *columnstats.Occurrences {
	if dayFirst {
		return &o.MonthFirst
	}
	return &o.DayFirst
}

// DescribeOrder returns "the day first" or "the month first", for messages.
func DescribeOrder(dayFirst bool) string {
	if dayFirst {
		return "the day first"
	}
	return "the month first"
}

// resolveDateOrder sets the date order of columns whose dates can be read in two ways. If the file
// is blind and the training file also contains the column, the order is taken from the training
// file. If not, it is taken from the other columns of dates, provided that they agree.
func resolveDateOrder(inferences []Result, names []string, columns []columnstats.Column, training *frame.Schema) {
	decided, known := make(map[bool]bool), make(map[string]bool)
	for i := range inferences {
		o := &inferences[i].Dates
		if inferences[i].Form == FormDate && o.DayFirst.Rows != o.MonthFirst.Rows {
			decided[inferences[i].DayFirst] = true
		}
	}
	if training != nil {
		for i := range training.Columns {
			if c := &training.Columns[i]; c.Feature == frame.ExtractTime {
				known[c.SourceName()] = c.DayFirst
			}
		}
	}
	for i := range inferences {
		inf := &inferences[i]
		if inf.Form != FormDate || !inf.Dates.IsAmbiguous() {
			continue
		}
		dayFirst, found := known[names[i]]
		if !found {
			dayFirst, found = decided[true], len(decided) == 1
		}
		inf.HasUnknownOrder = !found
		if dayFirst != inf.DayFirst {
			inf.DayFirst = dayFirst
			inf.Values, _, _ = parseDates(columns[i].AllOrSample(), cells.DateFormat{DayFirst: dayFirst})
		}
	}
}

// FormatDate returns the date in a text in the form 2006-01-02. dayFirst is set if 1/2/2006 is the
// first of February.
func FormatDate(text string, dayFirst bool) string {
	date, _ := cells.ParseDateTime([]byte(text), dayFirst)
	return FormDate.Format(math.Floor(date.EpochDays()))
}
