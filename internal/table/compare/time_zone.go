package compare

import (
	"slices"
	"strings"
	"time"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// checkTimeZones reports times whose zones differ from those of the training file. Times are read
// without their zone, so the same moment may have a different hour in the blind file. Offsets from
// UTC that differ by at most one hour are not reported, because daylight saving time causes them.
func (c *comparison) checkTimeZones(train, blind *profile.ColumnProfile) {
	if len(train.TimeZones) == 0 || len(blind.TimeZones) == 0 {
		return
	}
	for _, zone := range blind.TimeZones {
		if !slices.Contains(train.TimeZones, inference.UnknownTimeZone) && !slices.ContainsFunc(train.TimeZones, func(known string) bool { return areNearZones(zone, known) }) {
			c.reportAt(blind.FirstTextWithTime().FirstLine(), SeverityWarning, csvfile.CodeOtherTimeZone, train.Name, "the times have %s here, but %s in training; times are read without their time zone, so the same moment may have another hour or date than in training",
				describeZones(blind.TimeZones), describeZones(train.TimeZones))
			return
		}
	}
}

// checkTimesOfDay reports dates without a time of day if the dates of the training column have one.
// onlyMidnight is set if all times of day in training are midnight. In this case, nothing is
// reported, because no feature is made from the times.
func (c *comparison) checkTimesOfDay(train, blind *profile.ColumnProfile, onlyMidnight bool) {
	if train.Form != inference.FormDate || blind.Form != inference.FormDate || onlyMidnight || len(train.TimeZones) == 0 || len(blind.TimeZones) > 0 {
		return
	}
	effect := "missing, or 0 for a model of an earlier version"
	if slices.ContainsFunc(c.train.Schema.Columns, func(one frame.ColumnSchema) bool { return one.NeedsTime && one.SourceName() == train.Name }) {
		effect = "missing"
	}
	c.report(SeverityWarning, csvfile.CodeNoTimeOfDay, train.Name, "the dates have a time of day in training, but none here; the hour of a date without a time is %s", effect)
}

// areNearZones reports whether two zones are the same, or are offsets from UTC that differ by at
// most one hour. Z is not near any other zone, because a file with Z is usually in UTC on purpose.
func areNearZones(a, b string) bool {
	if a == b {
		return true
	}
	first, err1 := time.Parse("-07:00", a)
	second, err2 := time.Parse("-07:00", b)
	return err1 == nil && err2 == nil && first.Sub(second).Abs() <= time.Hour
}

// describeZones returns the zones for a message, such as "the time zone -05:00".
func describeZones(zones []string) string {
	switch {
	case len(zones) == 1 && zones[0] == inference.NoTimeZone:
		return "no time zone"
	case len(zones) == 1:
		return "the time zone " + zones[0]
	}
	named := slices.Clone(zones)
	if at := slices.Index(named, inference.NoTimeZone); at >= 0 {
		named = append(slices.Delete(named, at, at+1), "none")
	}
	if len(named) <= 2 {
		return "the time zones " + strings.Join(named, " and ")
	}
	return "the time zones " + humanize.List(named, 3)
}
