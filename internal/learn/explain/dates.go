package explain

import (
	"math"

	"foretell/internal/learn/shapley"
	"foretell/internal/table/frame"
)

// rowsWithDates are the encoded rows of a table in which some features are differences of two
// dates.
type rowsWithDates struct {
	shapley.Rows
	differences []frame.Difference
	// dates[i] holds the values of feature i if a difference of dates is computed from it. It is
	// nil for other features.
	dates [][]float64
}

// withDates returns rows whose MarkDifferent also marks the dates from which a marked difference is
// computed. Without this, these dates would be ignored if the model uses the difference but not the
// dates themselves. rows must be the encoded rows of f.
func withDates(rows shapley.Rows, f *frame.Frame) shapley.Rows {
	differences := f.Schema.Differences()
	if len(differences) == 0 {
		return rows
	}
	dates := make([][]float64, len(f.Columns))
	for _, d := range differences {
		for _, i := range []int{d.From, d.To} {
			if dates[i] == nil {
				dates[i] = f.Columns[i].Values(make([]float64, f.Rows), 0, f.Rows)
			}
		}
	}
	return &rowsWithDates{rows, differences, dates}
}

// MarkDifferent implements shapley.Rows: it marks the features in which the model distinguishes the
// rows a and b. If a marked feature is a difference of two dates, MarkDifferent also marks those of
// the two dates in which a and b differ.
func (r *rowsWithDates) MarkDifferent(different []bool, a, b int) {
	r.Rows.MarkDifferent(different, a, b)
	for _, d := range r.differences {
		if !different[d.Feature] {
			continue
		}
		for _, i := range []int{d.From, d.To} {
			x, y := r.dates[i][a], r.dates[i][b]
			if x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
				different[i] = true
			}
		}
	}
}
