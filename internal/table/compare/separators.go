package compare

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// decimalSeparatorCounts counts the rows of a blind column by the decimal separator with which
// their numbers can be parsed: only the separator of the training column, only the other separator, or both.
// The fields thousands, distinct and mostBoth describe the rows counted by the field both.
type decimalSeparatorCounts struct {
	trainingOnly int               // rows that can be parsed only with the decimal separator of training, such as 4.5
	otherOnly    int               // rows that can be parsed only with the other decimal separator, such as 4,5
	both         int               // rows that can be parsed with both separators, but with different results, such as 4,568
	thousands    int               // rows of both whose separator is read as a separator of thousands
	distinct     int               // distinct cells of the rows of both
	largest      float64           // the largest absolute number without a point or comma
	largestText  string            // the cell with this number
	mostOther    columnstats.Value // the most frequent cell of the rows of otherOnly
	mostBoth     columnstats.Value // the most frequent cell of the rows of thousands or, without such rows, of the rows of both

	ambiguous []ambiguousNumber   // the distinct cells of the rows of both
	meant     []columnstats.Value // the absolute numbers with a point or comma, parsed with the other decimal separator
}

// ambiguousNumber is a cell such as 4,568 with its number of rows. read is its number with the
// decimal separator of training, and meant with the other one.
type ambiguousNumber struct {
	read, meant float64
	rows        int
}

// looksGrouped reports whether, in the rows counted by r.both, the separators very likely separate
// thousands: all numbers without a separator are below 1000, and the largest of them has three
// digits. If the separators were decimal separators, the decimals would hardly all have exactly
// three digits.
func (r *decimalSeparatorCounts) looksGrouped() bool {
	const minNumbers = 20
	return r.largest >= 100 && r.largest < 1000 && r.distinct >= minNumbers
}

// hasIntegersFrom1000 reports whether a training column seems to have only integers, and some from
// 1000 on.
func hasIntegersFrom1000(train *profile.ColumnProfile) bool {
	return train.IsInteger() && train.Numbers.Max >= 1000 && train.Numbers.Min == math.Trunc(train.Numbers.Min) && train.Numbers.Max == math.Trunc(train.Numbers.Max)
}

// checkSeparators reports numbers of the blind column that may be read wrongly, because their
// separator may separate thousands or decimals: 4,568 is 4568 or 4.568. It returns true if it
// reports nothing. The texts and numbers of train may be unknown. If its texts are unknown, sample contains
// numbers of the training column.
//
// Numbers that can be read in only one way show how the ambiguous numbers are meant. If most of
// these unambiguous numbers have the other decimal separator, checkSeparators reports a defect, or
// a warning if there are only few of them. If all numbers with a point or comma are ambiguous, it
// reports a warning in two cases:
//
//   - The separator is read as separating thousands, but the training column has no such separator, and may have fractions.
//   - The separator is read as a decimal separator, but the blind column looks grouped, and the training column has integers from 1000 on.
//
// It reports a defect if areSwapped returns true, or if checkTrainingSeparator finds that the numbers
// of the training column are read wrongly.
func (c *comparison) checkSeparators(train, blind *profile.ColumnProfile, sample []float64) (matches bool) {
	if train.Form != inference.FormNumeric || blind.Form != inference.FormNumeric {
		return true
	}
	format := *train.NumberFormat()
	other := cells.NumberFormat{Unit: format.Unit, DecimalComma: !format.DecimalComma}
	r := countDecimalSeparators(estimatedValues(blind, c.blind.Rows), &format, &other)
	proven := r.otherOnly > r.trainingOnly && ratio(r.otherOnly, r.otherOnly+r.trainingOnly+r.both) > maxUnparsable
	if isOther := proven || r.otherOnly == 0 && r.looksGrouped(); isOther && r.trainingOnly == 0 && c.checkTrainingSeparator(train, sample, &r) {
		return false
	}
	swapped := areSwapped(train, &r)
	doubtful := r.thousands > 0 && r.otherOnly == 0 && r.trainingOnly == 0 && !format.Grouped && !train.IsInteger()
	grouped := r.both > 0 && r.thousands == 0 && r.otherOnly == 0 && r.trainingOnly == 0 && r.looksGrouped() && hasIntegersFrom1000(train)
	if r.trainingOnly == 0 && (proven || swapped || doubtful || grouped) {
		c.otherSeparators = append(c.otherSeparators, train.Name)
	}
	severity, code, reason, rows := SeverityWarning, csvfile.CodeChangedKind, "", r.both
	switch {
	case r.both == 0:
		return true
	case proven:
		severity, code = SeverityDefect, csvfile.CodeMisreadNumbers
		reason = "other numbers of the column, such as " + csvfile.Excerpt(r.mostOther.Text) + ", show that this is wrong"
	case swapped:
		severity, code = SeverityDefect, csvfile.CodeMisreadNumbers
		reason = "only the second reading fits the numbers of the training file, which have another separator between thousands"
	case r.otherOnly > r.trainingOnly:
		reason = "a few other numbers of the column, such as " + csvfile.Excerpt(r.mostOther.Text) + ", may show that this is wrong"
	case doubtful:
		reason, rows = "no number of the training file has such a separator between thousands", r.thousands
	case grouped:
		reason = "all numbers of the column without a separator are below 1000, so the separator may separate thousands"
	default:
		return true
	}
	cell := []byte(r.mostBoth.Text)
	read, _ := format.Parse(cell)
	meant, _ := other.Parse(cell)
	c.report(severity, code, train.Name, "in %s, a number such as %s is read as %s and not as %s, but %s",
		formatRows(blind, rows), csvfile.Excerpt(r.mostBoth.Text), formatExact(read), formatExact(meant), reason)
	c.findings[len(c.findings)-1].hasOtherSeparators = grouped
	return false
}

// setOtherSeparators sets the field OtherSeparators of the findings about numbers that are read
// wrongly. The field contains the names of all columns whose decimal separator differs, or may
// differ, from training.
func (c *comparison) setOtherSeparators() {
	for i := range c.findings {
		f := &c.findings[i]
		if f.hasOtherSeparators || f.Code == csvfile.CodeMisreadNumbers && slices.Contains(c.otherSeparators, f.Name) {
			f.OtherSeparators = c.otherSeparators
		}
	}
}

// checkListSeparator reports a blind column of lists whose separator differs from the separator of
// the training column. It returns true if it reports the column.
func (c *comparison) checkListSeparator(train, blind *profile.ColumnProfile) (found bool) {
	before, now := train.ListSeparator(), blind.ListSeparator()
	if before == "" || now == "" || before == now {
		return false
	}
	c.report(SeverityWarning, csvfile.CodeChangedKind, train.Name, "the items of the lists are separated by %s in training, but by %s here, so the items are not found",
		strconv.Quote(before), strconv.Quote(now))
	return true
}

func countDecimalSeparators(values []columnstats.Value, format, other *cells.NumberFormat) (r decimalSeparatorCounts) {
	for i := range values {
		one := &values[i]
		if one.Kind != cells.Text && one.Kind != cells.Number {
			continue
		}
		read, isTrained := format.Parse([]byte(one.Text))
		if !strings.ContainsAny(one.Text, ".,") {
			if isTrained && math.Abs(read) > r.largest {
				r.largest, r.largestText = math.Abs(read), one.Text
			}
			continue
		}
		meant, isOther := other.Parse([]byte(one.Text))
		if isOther {
			r.meant = append(r.meant, columnstats.Value{Number: math.Abs(meant), Rows: one.Rows})
		}
		switch {
		case isTrained && !isOther:
			r.trainingOnly += one.Rows
		case isOther && !isTrained:
			if r.otherOnly += one.Rows; one.Rows > r.mostOther.Rows {
				r.mostOther = *one
			}
		case isTrained && read != meant:
			isThousands := math.Abs(read) > math.Abs(meant)
			if isThousands {
				if r.thousands == 0 {
					r.mostBoth = columnstats.Value{}
				}
				r.thousands += one.Rows
			}
			r.distinct++
			r.ambiguous = append(r.ambiguous, ambiguousNumber{read, meant, one.Rows})
			if r.both += one.Rows; one.Rows > r.mostBoth.Rows && (isThousands || r.thousands == 0) {
				r.mostBoth = *one
			}
		}
	}
	return r
}

func formatExact(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

// estimatedValues returns the values of the column with their numbers of rows. The rows whose texts
// are not counted are distributed among the values of c.Uncounted, in proportion to the rows of
// these values. rows is the number of rows of the file.
func estimatedValues(c *profile.ColumnProfile, rows int) []columnstats.Value {
	counted, uncounted := c.Values(), c.Uncounted()
	if len(uncounted) == 0 {
		return counted
	}
	left, sampled := rows-c.EmptyRows(), 0
	for i := range counted {
		left -= counted[i].Rows
	}
	for i := range uncounted {
		sampled += uncounted[i].Rows
	}
	values, share, given := append([]columnstats.Value(nil), counted...), 0, 0
	for _, one := range uncounted {
		share += one.Rows
		until := int(math.Round(float64(left) * ratio(share, sampled)))
		one.Rows, given = until-given, until
		values = append(values, one)
	}
	return values
}

// formatRows returns a number of rows for a message, such as "3 rows". It adds "about" if the
// number is an estimate.
func formatRows(c *profile.ColumnProfile, rows int) string {
	text := humanize.Count(rows, "row")
	if len(c.Uncounted()) > 0 {
		text = "about " + text
	}
	return text
}
