package frame

import (
	"math"

	"foretell/internal/table/cells"
)

// Difference describes a feature extracted with ExtractSince: the number of days from the date
// in one column of the file to the date in another.
type Difference struct {
	// Feature is the position of the difference in Schema.Columns.
	Feature int
	// From and To are the positions of the features extracted with ExtractTime that hold the two
	// dates.
	From, To int
}

// Differences returns the features extracted with ExtractSince, in the order of Columns.
func (s *Schema) Differences() []Difference {
	var list []Difference
	var times map[string]int
	for i := range s.Columns {
		if s.Columns[i].Feature != ExtractSince {
			continue
		}
		if times == nil {
			times = s.timeFeatures()
		}
		from, known := times[s.Columns[i].Since]
		if to, both := times[s.Columns[i].SourceName()]; known && both {
			list = append(list, Difference{Feature: i, From: from, To: to})
		}
	}
	return list
}

// timeFeatures returns the positions of the features extracted with ExtractTime, by the name of
// their column of the file.
func (s *Schema) timeFeatures() map[string]int {
	times := make(map[string]int)
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Kind == Numeric && c.Feature == ExtractTime {
			times[c.SourceName()] = i
		}
	}
	return times
}

// MarkDifferenceDates marks the dates from which used differences are computed: for each difference
// d with used[d.Feature], it sets used[d.From] and used[d.To]. The indices of used are positions in
// Schema.Columns.
func (s *Schema) MarkDifferenceDates(used []bool) {
	for _, d := range s.Differences() {
		if used[d.Feature] {
			used[d.From], used[d.To] = true, true
		}
	}
}

// appendTo computes the differences for the row lo and all later rows, and appends them to the Floats
// of the column at position d.Feature in columns. The Floats of the columns at d.From and d.To must
// hold the dates of these rows.
func (d *Difference) appendTo(columns []Column, lo int) {
	from, to := columns[d.From].Floats, columns[d.To].Floats
	dst := &columns[d.Feature]
	for row := lo; row < len(to); row++ {
		dst.Floats = append(dst.Floats, daysBetween(from[row], to[row]))
	}
}

// Recompute sets the feature of the difference in all rows of f, computed from the two dates in f.
func (d *Difference) Recompute(f *Frame) {
	from := f.Columns[d.From].Values(make([]float64, f.Rows), 0, f.Rows)
	to := f.Columns[d.To].Values(make([]float64, f.Rows), 0, f.Rows)
	days := make([]float64, f.Rows)
	for row := range days {
		days[row] = daysBetween(from[row], to[row])
	}
	f.Columns[d.Feature] = Column{Floats: days}
}

// daysBetween returns the days between two dates, rounded to a second so that equal
// differences are equal numbers. It returns NaN if a date is NaN.
func daysBetween(from, to float64) float64 {
	const seconds = 24 * 60 * 60
	days := to - from
	if math.IsNaN(days) {
		return cells.NaN
	}
	return math.Round(days*seconds) / seconds
}
