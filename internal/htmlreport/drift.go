package htmlreport

import (
	"fmt"
	"math"

	"foretell/internal/design"
	"foretell/internal/drift"
	"foretell/internal/humanize"
)

// driftRow is a column of a drift report with the pictures of its parts.
type driftRow struct {
	drift.Column
	// Change is the part whose share changed most, or the reason why there is none.
	Change         string
	Training, Here []design.Bar
}

// maxDriftColumns is the maximum number of columns of the table of drift.
const maxDriftColumns = 40

// driftRows returns the rows of a comparison with the training file; none if r is nil.
func driftRows(r *drift.Report) []driftRow {
	if r == nil {
		return nil
	}
	var rows []driftRow
	for _, c := range r.Columns[:min(len(r.Columns), maxDriftColumns)] {
		row := driftRow{Column: c, Change: c.Reason}
		if part := c.Largest(); part != nil {
			row.Change = fmt.Sprintf("%s: %s → %s", shorten(part.Name), humanize.Percent(part.Training), humanize.Percent(part.Share))
		}
		training, here := make([]int64, len(c.Parts)), make([]int64, len(c.Parts))
		for i, part := range c.Parts {
			training[i], here[i] = shareWeight(part.Training), shareWeight(part.Share)
		}
		row.Training, row.Here = design.Bars(training), design.Bars(here)
		rows = append(rows, row)
	}
	return rows
}

// shareWeight returns a share as the height of a bar.
func shareWeight(share float64) int64 { return int64(math.Round(10_000 * share)) }

// shorten returns a name that fits in a sentence or a legend.
func shorten(name string) string {
	if runes := []rune(name); len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return name
}
