package compare

import (
	"fmt"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// checkDateOrder reports dates of the blind column whose order of day and month is not the one that
// the model expects. It returns false if there are such dates. Of train, it uses only Name, Form
// and DateOrder.
//
// If no date of either file shows the order, checkDateOrder warns that the order is assumed. It
// does not warn if the training file contains ambiguous dates such as 03/04/2024, because the
// profile of the training file then contains this warning.
func (c *comparison) checkDateOrder(train, blind *profile.ColumnProfile) (matches bool) {
	if train.Form != inference.FormDate || blind.Form != inference.FormDate || train.DateOrder == "" {
		return true
	}
	dayFirst := train.DateOrder == inference.DayFirst
	either, other := &blind.Dates().Either, blind.Dates().Contradicting(dayFirst)
	if other.Rows == 0 {
		if train.DateOrder == inference.UnknownOrder && train.Dates().Either.Rows == 0 && blind.Dates().IsAmbiguous() {
			c.reportAt(either.First.FirstLine(), SeverityWarning, csvfile.CodeAmbiguousDates, train.Name, "no date of the training file shows whether the day or the month is first: the month is assumed to be first, so %s is read as %s",
				csvfile.Excerpt(either.First.Text), inference.FormatDate(either.First.Text, dayFirst))
		}
		return true
	}
	reason := "no date of the training file shows the order, and " + inference.DescribeOrder(dayFirst) + " is assumed"
	if train.DateOrder != inference.UnknownOrder {
		reason = "the dates of the training file were read with " + inference.DescribeOrder(dayFirst)
	}
	effect := fmt.Sprintf("the dates of %s are treated as missing", humanize.Count(other.Rows, "row"))
	if either.Rows > 0 {
		effect += fmt.Sprintf(", and those of %s are perhaps read with day and month exchanged", humanize.Count(either.Rows, "other row"))
	}
	c.reportAt(other.First.FirstLine(), SeverityWarning, csvfile.CodeDateOrder, train.Name, "the date %s has %s, but %s: %s",
		csvfile.Excerpt(other.First.Text), inference.DescribeOrder(!dayFirst), reason, effect)
	return false
}

// textRows returns the number of rows with a text, except numbers and texts that mean a missing
// value.
func textRows(c *profile.ColumnProfile) int {
	rows := 0
	values := c.Values()
	for i := range values {
		if values[i].Kind == cells.Text {
			rows += values[i].Rows
		}
	}
	return rows
}
