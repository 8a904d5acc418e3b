package report

import (
	"fmt"
	"io"
	"strings"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// maxDriftColumns is the maximum number of printed columns of a drift report.
const maxDriftColumns = 20

// writeDrift writes how the columns of a file differ from the columns of the training file. It
// writes nothing if d is nil.
func writeDrift(w io.Writer, d *api.DriftReport, width int) {
	if d == nil {
		return
	}
	fmt.Fprintf(w, "\nDrift: %s, %s\n", escapeAndTruncate(d.File, width/2), humanize.Count(d.Rows, "row"))
	for _, line := range term.Wrap(strings.Join(d.Verdict, " "), width) {
		fmt.Fprintln(w, line)
	}
	shown := d.Columns[:min(len(d.Columns), maxDriftColumns)]
	if len(shown) > 0 {
		writeAligned(w, false, func(w io.Writer) {
			fmt.Fprint(w, "  column\tindex\tdrift\tlargest change\n")
			for i := range shown {
				c := &shown[i]
				index := "-"
				if c.Index != nil {
					index = fmt.Sprintf("%.3f", *c.Index)
				}
				fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", escapeAndTruncate(c.Name, width/4), index, c.Level, escapeAndTruncate(formatLargestChange(c), width/2-8))
			}
		})
	}
	writeOmittedCount(w, len(d.Columns)-maxDriftColumns, "column")
}

// formatLargestChange formats the range or text whose fraction of the rows changed most, such as
// "3–5: 10 % → 24 %". If the column was not compared, it returns the reason.
func formatLargestChange(c *api.DriftColumn) string {
	part := c.LargestChange()
	if part == nil {
		return c.Reason
	}
	return fmt.Sprintf("%s: %s → %s", escapeAndTruncate(part.Name, 24), humanize.Percent(part.Training), humanize.Percent(part.Share))
}
