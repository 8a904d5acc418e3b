package compare

import (
	"slices"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// HasSameForm reports whether the model reads a blind column like the training column. This is the
// case if both have the same form, or if both have durations, even if those of the blind file look
// like times of day or codes.
func HasSameForm(known *profile.TrainingColumn, blind *profile.ColumnProfile) bool {
	return hasSameForm(known.Profile(), blind)
}

// hasSameForm reports whether a blind column has the form of the training column. Durations below a
// day look like times of day, and a few distinct durations look like codes; both count as durations
// if the training column has durations.
func hasSameForm(train, blind *profile.ColumnProfile) bool {
	return train.Form == blind.Form && train.Epoch == blind.Epoch || isDurationColumn(train) && blind.Form != inference.FormNumeric && hasDurations(blind)
}

// haveTimesAndDurations reports whether the training column has times of day but the blind column
// has durations, and some of these cannot be times of day. The other durations are read as times of
// day.
func haveTimesAndDurations(train, blind *profile.ColumnProfile) bool {
	return train.Form == inference.FormTime && isDurationColumn(blind) && hasDurations(blind)
}

// isDurationColumn reports whether the numbers of a column are hours.
func isDurationColumn(c *profile.ColumnProfile) bool {
	format := c.NumberFormat()
	return format != nil && format.Unit == cells.DurationUnit
}

// hasDurations reports whether some texts of a column are durations, such as 26:30:00, or times of
// day that may be durations.
func hasDurations(c *profile.ColumnProfile) bool {
	return slices.ContainsFunc(c.Values(), func(one columnstats.Value) bool { return cells.IsDuration([]byte(one.Text)) })
}

// reportDurations reports the rows of the blind column whose duration cannot be a time of day,
// which unread counts. If unread counts no rows, it reports nothing. The training column must have times
// of day.
func (c *comparison) reportDurations(name string, blind *profile.ColumnProfile, unread rowCounter) {
	if unread.rows == 0 {
		return
	}
	c.report(SeverityWarning, csvfile.CodeChangedKind, name, "the column has times of day in training, but here, %s %s a duration that cannot be a time of day, most often %s; these durations are treated as missing",
		formatRows(blind, unread.rows), humanize.HasOrHave(unread.rows), csvfile.Excerpt(unread.most.Text))
}
