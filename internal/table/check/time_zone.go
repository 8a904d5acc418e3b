package check

import (
	"time"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// minZoneRows is the smallest number of rows whose offset differs by more than an hour from the
// most frequent offset for which warnTimeZones warns.
const minZoneRows = 5

// warnTimeZones warns about a training column whose times have several offsets from UTC. Offsets
// are ignored, so times with different offsets may be in the wrong order. Offsets that differ by at
// most an hour are usually due to daylight saving time, so they are not reported.
func (c *columnChecker) warnTimeZones() {
	inf := c.inferred
	if c.opts.Blind || inf.Form != inference.FormDate && inf.Form != inference.FormTime || inf.Epoch != "" {
		return
	}
	zones := map[time.Duration]*columnstats.Occurrences{}
	for _, one := range c.stats.AllOrSample() {
		offset, ok := cells.UTCOffset([]byte(one.Text), inf.DateFormat())
		if !ok {
			continue
		}
		if zones[offset] == nil {
			zones[offset] = &columnstats.Occurrences{}
		}
		zones[offset].Add(&one)
	}
	most := mostFrequentZone(zones)
	far := map[time.Duration]*columnstats.Occurrences{}
	rows := 0
	for offset, times := range zones {
		if (offset - most).Abs() > time.Hour {
			far[offset], rows = times, rows+times.Rows
		}
	}
	if rows < minZoneRows {
		return
	}
	first, other := &zones[most].First, &far[mostFrequentZone(far)].First
	c.warnAt(other.FirstLine(), csvfile.CodeMixedTimeZones, "the times have %d different offsets from UTC, such as those of %s (%s) and %s (%s); in %s, the offset differs by more than an hour from the most frequent offset; features use the local time only, so they do not show the true order of the times",
		len(zones), csvfile.Excerpt(first.Text), c.opts.FormatLine(first.FirstLine()), csvfile.Excerpt(other.Text), c.opts.FormatLine(other.FirstLine()), humanize.Count(rows, "row"))
}

// mostFrequentZone returns the offset with the most rows or, in a tie, the first in the file.
func mostFrequentZone(zones map[time.Duration]*columnstats.Occurrences) (best time.Duration) {
	for offset, one := range zones {
		most := zones[best]
		if most == nil || one.Rows > most.Rows || one.Rows == most.Rows && one.First.FirstLine() < most.First.FirstLine() {
			best = offset
		}
	}
	return best
}
