package profile

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// numberReadings counts the rows of a blind column by the decimal separator with which their
// numbers can be parsed: that of the training column, the other one, or both.
type numberReadings struct {
	trainingOnly int           // rows that can be parsed only with the decimal separator of training, such as 4.5
	otherOnly    int           // rows that can be parsed only with the other decimal separator, such as 4,5
	both         int           // rows that can be parsed with both, but with different results, such as 4,568
	thousands    int           // rows counted in both whose separator is read as a separator of thousands
	mostOther    distinctValue // the most frequent cell of the rows in otherOnly
	mostBoth     distinctValue // the most frequent cell of the rows in both, or of the rows in thousands if there are any
}

// checkSeparators reports numbers of the blind column that may be read wrongly, because their
// separator may separate thousands or decimals: 4,568 is 4568 or 4.568. It returns true if it
// reports nothing. The parameter train needs only Name, Form and format.
//
// Numbers of the column that can be read in only one way show how the others are meant. If most of
// them have the other decimal separator, checkSeparators reports a defect, or only a warning if
// they are few. If the column has no such numbers, it reports a warning in one case: the separator
// is read as a separator of thousands, but the training column has none of these, and may have
// fractions.
func (c *comparison) checkSeparators(train, blind *ColumnProfile) (matches bool) {
	if train.Form != FormNumeric || blind.Form != FormNumeric {
		return true
	}
	format := cells.NumberFormat{}
	if train.format != nil {
		format = *train.format
	}
	other := cells.NumberFormat{Unit: format.Unit, DecimalComma: !format.DecimalComma}
	r := readNumbers(blind.estimatedValues(c.blind.Rows), &format, &other)
	proven := r.otherOnly > r.trainingOnly && ratio(r.otherOnly, r.otherOnly+r.trainingOnly+r.both) > maxUnparsable
	doubtful := r.thousands > 0 && r.otherOnly == 0 && r.trainingOnly == 0 && !format.Grouped && !train.IsInteger()
	if r.trainingOnly == 0 && (proven || doubtful) {
		c.otherSeparators = append(c.otherSeparators, train.Name)
	}
	severity, code, reason, rows := SeverityWarning, csvfile.CodeChangedKind, "", r.both
	switch {
	case r.both == 0:
		return true
	case proven:
		severity, code = SeverityDefect, csvfile.CodeMisreadNumbers
		reason = "other numbers of the column, such as " + csvfile.Excerpt(r.mostOther.text) + ", show that this is wrong"
	case r.otherOnly > r.trainingOnly:
		reason = "a few other numbers of the column, such as " + csvfile.Excerpt(r.mostOther.text) + ", may show that this is wrong"
	case doubtful:
		reason, rows = "no number of the training file has such a separator between thousands", r.thousands
	default:
		return true
	}
	cell := []byte(r.mostBoth.text)
	read, _ := format.Parse(cell)
	meant, _ := other.Parse(cell)
	c.report(severity, code, train.Name, "%s %s a number such as %s, which is read as %s and not as %s, but %s",
		blind.countRows(rows), verbHave(rows), csvfile.Excerpt(r.mostBoth.text), formatExact(read), formatExact(meant), reason)
	return false
}

// setOtherSeparators sets the OtherSeparators of the findings about numbers that are read wrongly.
func (c *comparison) setOtherSeparators() {
	for i := range c.findings {
		if f := &c.findings[i]; f.Code == csvfile.CodeMisreadNumbers && slices.Contains(c.otherSeparators, f.Name) {
			f.OtherSeparators = c.otherSeparators
		}
	}
}

// checkUnit reports a blind column whose numbers have no unit if the numbers of the training column
// have one. A program that writes no unit may also write other numbers, such as 0.47 instead of
// 47%, which is read as 47.
func (c *comparison) checkUnit(train, blind *ColumnProfile) {
	if train.Form != FormNumeric || train.format == nil || train.format.Unit == "" {
		return
	}
	if blind.Form != FormNumeric || blind.format != nil && blind.format.Unit != "" || blind.Missing == c.blind.Rows {
		return
	}
	c.report(SeverityWarning, csvfile.CodeChangedKind, train.Name, "the numbers have the unit %s in training, but no unit here; they are read as numbers with this unit",
		csvfile.Excerpt(train.format.Unit))
}

func readNumbers(values []distinctValue, format, other *cells.NumberFormat) (r numberReadings) {
	for i := range values {
		one := &values[i]
		if one.kind != cells.Text && one.kind != cells.Number || !strings.ContainsAny(one.text, ".,") {
			continue
		}
		read, isTrained := format.Parse([]byte(one.text))
		meant, isOther := other.Parse([]byte(one.text))
		switch {
		case isTrained && !isOther:
			r.trainingOnly += one.rows
		case isOther && !isTrained:
			if r.otherOnly += one.rows; one.rows > r.mostOther.rows {
				r.mostOther = *one
			}
		case isTrained && read != meant:
			isThousands := math.Abs(read) > math.Abs(meant)
			if isThousands {
				if r.thousands == 0 {
					r.mostBoth = distinctValue{}
				}
				r.thousands += one.rows
			}
			if r.both += one.rows; one.rows > r.mostBoth.rows && (isThousands || r.thousands == 0) {
				r.mostBoth = *one
			}
		}
	}
	return r
}

func formatExact(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

// maxUncounted is the largest number of texts in ColumnProfile.uncounted.
const maxUncounted = 200

// sampleUncounted returns some of the texts that were seen in the column, but are no longer counted.
func (t *ColumnStats) sampleUncounted() []distinctValue {
	var list []distinctValue
	for _, one := range t.texts.firstTexts {
		if len(list) == maxUncounted {
			break
		}
		if t.texts.find(one.text) == nil {
			one.text = strings.Clone(one.text) // the text shares memory with many others
			list = append(list, one)
		}
	}
	return list
}

// estimatedValues returns the values of the column. Rows whose text is not counted are divided
// among the texts in c.uncounted. The parameter rows is the number of rows of the file.
func (c *ColumnProfile) estimatedValues(rows int) []distinctValue {
	if len(c.uncounted) == 0 {
		return c.values
	}
	left, sampled := rows-c.emptyRows, 0
	for i := range c.values {
		left -= c.values[i].rows
	}
	for i := range c.uncounted {
		sampled += c.uncounted[i].rows
	}
	values, share, given := append([]distinctValue(nil), c.values...), 0, 0
	for _, one := range c.uncounted {
		share += one.rows
		until := int(math.Round(float64(left) * ratio(share, sampled)))
		one.rows, given = until-given, until
		values = append(values, one)
	}
	return values
}

// countRows returns a number of rows for a message, such as "3 rows". It adds "about" if the
// number is an estimate.
func (c *ColumnProfile) countRows(rows int) string {
	text := humanize.Count(rows, "row")
	if len(c.uncounted) > 0 {
		text = "about " + text
	}
	return text
}
