package roles

import (
	"fmt"

	"foretell/internal/table/inference"
)

// ColumnDescription describes a column by the first rows of a file. The fields after Unnamed are
// set only for columns that may be the ID or the label: the first and the last column, columns that
// are named like an ID or a label, and columns that the blind file lacks.
type ColumnDescription struct {
	Name string
	// Unnamed reports whether the header of the file has no name for the column, so that Name was
	// made. Only SetUnnamed sets it.
	Unnamed bool
	// Form is what the cells contain, such as numbers or dates.
	Form inference.Form
	// Rows is the number of rows read, Filled the number of rows with a value, Distinct the
	// number of distinct values.
	Rows, Filled, Distinct int
	// Unique reports whether every row has a value, and no two rows have the same.
	Unique bool
	// AllIntegers reports whether every value is an integer, such as 1000 or 1000.0. Row numbers
	// with a total, such as 7/300, count as integers if all of them are different. Consecutive
	// reports whether each value is one more than the value in the previous row, and FromStart whether
	// the first value is 0 or 1.
	AllIntegers, Consecutive, FromStart bool
	// AllCodes reports whether all values are codes of one kind: the same letters followed by
	// digits, or UUIDs, or hexadecimal hashes of one length.
	AllCodes bool

	hasBlank    bool // whether a row has no value
	hasMoreRows bool // whether only the first rows of the file were read
	constant    bool // whether all rows of the file have the same value
	isSampled   bool // whether the fields above are set from the first rows
}

const (
	maxFractionalClasses = 20  // maximum distinct values of a numeric label with fractions
	maxIntegerClasses    = 100 // maximum distinct values of a numeric label without fractions
	minLabelRows         = 30  // from this number of rows, the values of a label must repeat
)

// idReason returns the reason why a column is the ID, or "" if it is not. isFirst reports
// whether it is the first column. Unique values are not a sufficient reason, because
// measurements are often unique, too.
func (c *ColumnDescription) idReason(isFirst bool) string {
	switch {
	case !c.Unique || containsMeasurements(c):
		return ""
	case isSureIDName(c.Name), isFirst && isIDName(c.Name):
		return namedLikeIDReason
	case isFirst && c.Consecutive && c.FromStart && c.Rows > 2 && !inference.CountsTime(c.Name):
		return rowNumbersReason
	case isFirst && c.AllCodes:
		return "unique codes"
	}
	return ""
}

// isLikelyID is a second test for the ID, for a file in which idReason returns "" for all columns. It
// accepts more names than idReason. Because these names are weaker evidence, the values must be
// unique integers or codes. The file must have at least minLabelRows rows, because the values of a
// feature usually repeat in a file of this size.
func (c *ColumnDescription) isLikelyID() bool {
	return c.Unique && c.Rows >= minLabelRows && (c.AllIntegers || c.AllCodes) && isLikelyIDName(c.Name)
}

// containsMeasurements reports whether a column contains measurements: fractions, dates or times.
func containsMeasurements(c *ColumnDescription) bool {
	return c.Form == inference.FormNumeric && !c.AllIntegers || c.Form == inference.FormDate || c.Form == inference.FormTime
}

// notIDReason returns why a column that is named like an ID is not the ID.
func (c *ColumnDescription) notIDReason() string {
	switch {
	case c.hasBlank:
		return "has rows without a value"
	case !c.Unique:
		return "has repeated values"
	case c.Filled < c.Rows: // texts among numbers count as missing
		return "has numbers and texts"
	}
	return "has measurements"
}

// notLabelReason returns the reason why a column cannot be the label, or "" if it can.
func (c *ColumnDescription) notLabelReason() string {
	number := c.Form == inference.FormNumeric
	switch {
	case !c.isSampled || c.Rows < minLabelRows:
		return ""
	case c.Filled == 0:
		return "is empty"
	case c.Form == inference.FormDate || c.Form == inference.FormTime:
		return "has dates"
	case c.constant:
		return "has the same value in each row"
	case number && !c.AllIntegers && c.Distinct > maxFractionalClasses,
		number && c.Distinct > maxIntegerClasses,
		c.Distinct > 2 && 2*c.Distinct > c.Filled:
		if c.hasMoreRows {
			return fmt.Sprintf("has %d different values in the first %d rows", c.Distinct, c.Rows)
		}
		return fmt.Sprintf("has %d different values in %d rows", c.Distinct, c.Rows)
	}
	return ""
}
