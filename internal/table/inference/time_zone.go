package inference

import (
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
)

// NoTimeZone stands in the result of TimeZones for times without a zone.
const NoTimeZone = "none"

// UnknownTimeZone stands for the time zones of a training column that are unknown because a model
// does not store time zones.
const UnknownTimeZone = "unknown"

// maxTimeZones is the largest number of zones of a column that are kept.
const maxTimeZones = 10

// TimeZones returns the distinct zones of the times in the texts of a column, sorted, at most ten,
// and the first text with a time.
func TimeZones(t *columnstats.Column, format cells.DateFormat) (zones []string, first columnstats.Value) {
	texts := t.AllOrSample()
	for i := range texts {
		zone, hasTime := cells.TimeZone([]byte(texts[i].Text), format)
		if !hasTime {
			continue
		}
		if zone == "" {
			zone = NoTimeZone
		}
		if first.Rows == 0 || texts[i].FirstLine() < first.FirstLine() {
			first = texts[i]
		}
		if len(zones) < maxTimeZones && !slices.Contains(zones, zone) {
			zones = append(zones, zone)
		}
	}
	slices.Sort(zones)
	return zones, first
}
