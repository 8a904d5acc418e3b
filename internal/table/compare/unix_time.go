package compare

import (
	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// checkUnixTimes reports Unix times of the blind column in another unit than the model expects. It returns
// false if there are many. train needs only Name and Epoch.
func (c *comparison) checkUnixTimes(train, blind *profile.ColumnProfile) (matches bool) {
	if train.Epoch == "" {
		return true
	}
	var other unreadRows
	var unit frame.EpochUnit
	values := estimatedValues(blind, c.blind.Rows)
	for i := range values {
		if values[i].Kind != cells.Number {
			continue
		}
		if of := inference.OtherUnixTimeUnit(values[i].Number, train.Epoch); of != "" {
			other.addRows(&values[i])
			unit = of
		}
	}
	if ratio(other.rows, c.blind.Rows) <= maxUnparsable {
		return true
	}
	severity := SeverityWarning
	if isDefect(other.rows, c.blind.Rows-blind.EmptyRows()) {
		severity = SeverityDefect
	}
	treatment := "treated as missing"
	if unit.PerDay() < train.Epoch.PerDay() {
		treatment = "read as times of January 1970"
	}
	c.report(severity, csvfile.CodeChangedKind, train.Name, "%s %s %s, most often %s, but the training file has %s; these times are %s",
		countRows(blind, other.rows), humanize.Have(other.rows), frame.DescribeUnit(unit), csvfile.Excerpt(other.most.Text), frame.DescribeUnit(train.Epoch), treatment)
	return false
}
