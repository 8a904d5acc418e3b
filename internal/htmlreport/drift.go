package htmlreport

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/api"
	"foretell/internal/design"
	"foretell/internal/humanize"
)

// Drift is a comparison of a file with the training file, prepared for the template
// "report-drift".
type Drift struct {
	*api.DriftReport
	// Changes are the columns that the report shows: the first maxDriftColumns columns of the
	// comparison. Omitted is the number of columns that it does not show.
	Changes []driftRow
	Omitted int
}

// driftRow is a column of a comparison, with the pictures of its distributions in the
// training file and in the other file.
type driftRow struct {
	api.DriftColumn
	// Change is the range or text whose fraction of the rows changed most, with both fractions: "3–5: 10
	// % → 24 %". If the column was not compared, Change is the reason.
	Change          string
	Training, Other []design.Bar
}

// maxDriftColumns is the maximum number of columns that the report shows in the table of drift.
const maxDriftColumns = 40

// IsLarge reports whether the drift of some column is large.
func (d *Drift) IsLarge() bool {
	return slices.ContainsFunc(d.Columns, func(c api.DriftColumn) bool { return c.Level == api.DriftLarge })
}

// NewDrift prepares a comparison. It returns nil if r is nil.
func NewDrift(r *api.DriftReport) *Drift {
	if r == nil {
		return nil
	}
	shown := min(len(r.Columns), maxDriftColumns)
	d := &Drift{DriftReport: r, Omitted: len(r.Columns) - shown}
	for _, c := range r.Columns[:shown] {
		row := driftRow{DriftColumn: c, Change: c.Reason}
		if part := c.LargestChange(); part != nil {
			row.Change = fmt.Sprintf("%s: %s → %s", api.AbbreviateValue(part.Name), humanize.Percent(part.Training), humanize.Percent(part.Share))
		}
		training, here := make([]int64, len(c.Parts)), make([]int64, len(c.Parts))
		for i, part := range c.Parts {
			training[i], here[i] = barHeight(part.Training), barHeight(part.Share)
		}
		row.Training, row.Other = design.Bars(training), design.Bars(here)
		d.Changes = append(d.Changes, row)
	}
	return d
}

// barHeight returns the height of the bar for a fraction of the rows: 0 for 0 and 10,000 for 1.
func barHeight(share float64) int64 { return int64(math.Round(10_000 * share)) }
