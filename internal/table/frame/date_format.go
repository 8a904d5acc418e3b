package frame

import "foretell/internal/table/cells"

// EpochUnits are all units of Unix times, the longest first.
var EpochUnits = []EpochUnit{EpochSeconds, EpochMilliseconds, EpochMicroseconds, EpochNanoseconds}

// PerDay returns the number of units in a day, or 0 if u is empty or not known.
func (u EpochUnit) PerDay() float64 {
	switch u {
	case EpochSeconds:
		return 86_400
	case EpochMilliseconds:
		return 86_400e3
	case EpochMicroseconds:
		return 86_400e6
	case EpochNanoseconds:
		return 86_400e9
	}
	return 0
}

// DescribeUnit returns the plural noun for times in a known unit, such as "Unix times in seconds".
func DescribeUnit(u EpochUnit) string {
	prefix := ""
	switch u {
	case EpochMilliseconds:
		prefix = "milli"
	case EpochMicroseconds:
		prefix = "micro"
	case EpochNanoseconds:
		prefix = "nano"
	}
	return "Unix times in " + prefix + "seconds"
}

// DateFormat returns how the dates of a feature are read.
func (c *ColumnSchema) DateFormat() cells.DateFormat {
	return cells.DateFormat{DayFirst: c.DayFirst, YearFirst: c.YearFirst, PerDay: c.Epoch.PerDay()}
}

// hasValidDates reports whether Epoch, YearFirst and NeedsTime are valid: Epoch must be a known
// unit, and each of them may be set only for the features that it applies to.
func (c *ColumnSchema) hasValidDates() bool {
	isDate := c.isDatePart()
	isHour := isDate && c.Feature == ExtractHour
	switch {
	case c.NeedsTime && !isHour, c.YearFirst && !isDate:
		return false
	case c.Epoch == "":
		return true
	}
	return isDate && c.Epoch.PerDay() > 0 && !c.YearFirst && !c.DayFirst && !c.NeedsTime
}

// isDatePart reports whether the feature is computed from the date or the time of day in a single cell.
func (c *ColumnSchema) isDatePart() bool {
	group, _ := c.Feature.group()
	return c.Kind == Numeric && group == ExtractTime && c.Feature != ExtractSince
}
