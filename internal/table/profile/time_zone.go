package profile

import (
	"slices"
	"strings"
	"time"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// NoTimeZone stands in ColumnProfile.TimeZones for times without a zone.
const NoTimeZone = "none"

// maxTimeZones is the largest number of zones of a column that are kept.
const maxTimeZones = 10

// collectTimeZones returns the distinct zones of the times in the texts of a column, sorted, and the
// first text with a time.
func collectTimeZones(texts []distinctValue, dayFirst bool) (zones []string, first distinctValue) {
	for i := range texts {
		zone, hasTime := cells.TimeZone([]byte(texts[i].text), dayFirst)
		if !hasTime {
			continue
		}
		if zone == "" {
			zone = NoTimeZone
		}
		if first.rows == 0 || texts[i].first < first.first {
			first = texts[i]
		}
		if len(zones) < maxTimeZones && !slices.Contains(zones, zone) {
			zones = append(zones, zone)
		}
	}
	slices.Sort(zones)
	return zones, first
}

// checkTimeZones reports times whose zones differ from those of the training file, because a zone is
// ignored: the same instant then has another hour. Offsets that differ by an hour at most are
// usual in a place with daylight saving time.
func (c *comparison) checkTimeZones(train, blind *ColumnProfile) {
	if len(train.TimeZones) == 0 || len(blind.TimeZones) == 0 {
		return
	}
	for _, zone := range blind.TimeZones {
		if !slices.ContainsFunc(train.TimeZones, func(known string) bool { return areNearZones(zone, known) }) {
			c.reportAt(blind.firstTime.firstLine(), SeverityWarning, csvfile.CodeOtherTimeZone, train.Name, "the times have %s, but those of the training file %s; times are read without their time zone, so the same moment may have another hour or date",
				describeZones(blind.TimeZones), describeZones(train.TimeZones))
			return
		}
	}
}

// areNearZones reports whether two zones are the same, or offsets that differ by an hour at most. Z
// is near no other offset, because files with it are usually in UTC on purpose.
func areNearZones(a, b string) bool {
	if a == b {
		return true
	}
	first, err1 := time.Parse("-07:00", a)
	second, err2 := time.Parse("-07:00", b)
	return err1 == nil && err2 == nil && first.Sub(second).Abs() <= time.Hour
}

// describeZones returns the zones for a message, such as "the offset -05:00".
func describeZones(zones []string) string {
	switch {
	case len(zones) == 1 && zones[0] == NoTimeZone:
		return "no time zone"
	case len(zones) == 1:
		return "the time zone " + zones[0]
	}
	named := slices.Clone(zones)
	if at := slices.Index(named, NoTimeZone); at >= 0 {
		named = append(slices.Delete(named, at, at+1), "none")
	}
	if len(named) <= 2 {
		return "the time zones " + strings.Join(named, " and ")
	}
	return "the time zones " + humanize.List(named, 3)
}
