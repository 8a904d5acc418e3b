package report

import (
	"fmt"
	"io"

	"foretell/internal/api"
)

// writePRAUCClass writes the name of the class whose average precision is prAuc. It writes nothing
// if prAuc is a mean over several classes, or if it is unknown.
func writePRAUCClass(w io.Writer, d *api.Dataset, r *api.ModelReport) {
	class := r.PRAUCClass()
	if class == "" || !isMeasured(r, api.MetricPRAUC) {
		return
	}
	reason := ""
	if IsRarestClass(d, r, class) {
		reason = ", which has fewer rows"
	}
	fmt.Fprintf(w, "prAuc is the average precision of the class %q%s\n", class, reason)
}

// IsRarestClass reports whether the class with the given label has fewer rows than every other
// class. It compares the results of CountClassRows.
func IsRarestClass(d *api.Dataset, r *api.ModelReport, label string) bool {
	rows := CountClassRows(d, r)
	own := rows[label]
	for other, n := range rows {
		if other != label && n <= own {
			return false
		}
	}
	return true
}

// CountClassRows returns, by label, the number of rows of each class in the whole dataset or, if d is
// nil or has no classes, among the test rows.
func CountClassRows(d *api.Dataset, r *api.ModelReport) map[string]int64 {
	rows := map[string]int64{}
	for _, class := range r.Classes {
		rows[class.Label] = class.Rows
	}
	if d != nil && len(d.Classes) > 0 {
		clear(rows)
		for _, class := range d.Classes {
			rows[class.Label] = class.Rows
		}
	}
	return rows
}
