package htmlreport

import (
	"fmt"

	"foretell/internal/api"
	"foretell/internal/humanize"
)

// interaction describes how much the effects of two columns depend on each other.
type interaction struct {
	api.Interaction
	First, Second, Share string
	// Across holds the values of the second column. Rows has, for each value of the first column, the
	// mean probabilities for the values in Across. Both are nil unless the pair is one of the
	// strongest.
	Across []string
	Rows   []interactionRow
}

type interactionRow struct {
	Value string
	Cells []interactionCell
}

// interactionCell has a mean probability and a shade, from 0 for the lowest probability of
// the table to 9 for the highest.
type interactionCell struct {
	Probability string
	Shade       int
}

// The maximum numbers of pairs of columns, and of tables of pairs.
const (
	maxInteractions      = 6
	maxInteractionTables = 2
)

func newInteractions(r *api.ModelReport) []interaction {
	var list []interaction
	for i, x := range r.Interactions[:min(len(r.Interactions), maxInteractions)] {
		if len(x.Columns) != 2 || len(x.Values) != 2 || len(x.Probabilities) != len(x.Values[0]) {
			continue
		}
		one := interaction{Interaction: x, First: x.Columns[0], Second: x.Columns[1], Share: humanize.Percent(x.Share)}
		if i < maxInteractionTables {
			one.Across, one.Rows = x.Values[1], shadeRows(x.Values[0], x.Probabilities)
		}
		list = append(list, one)
	}
	return list
}

// shadeRows returns the rows of a table of probabilities, with a shade for each cell. values[i] is
// the value of the first column in the i-th row.
func shadeRows(values []string, table [][]float64) []interactionRow {
	low, high := 1.0, 0.0
	for _, row := range table {
		for _, v := range row {
			low, high = min(low, v), max(high, v)
		}
	}
	rows := make([]interactionRow, len(table))
	for i, row := range table {
		rows[i].Value = values[i]
		for _, v := range row {
			shade := 0
			if high > low {
				shade = int(9 * (v - low) / (high - low))
			}
			rows[i].Cells = append(rows[i].Cells, interactionCell{fmt.Sprintf("%.2f", v), shade})
		}
	}
	return rows
}
