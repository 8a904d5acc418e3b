package roles

import (
	"fmt"

	"foretell/internal/table/profile"
)

// Column describes a column according to the beginning of a file. Only the name is set for
// columns that cannot have a role: that can the first and the last, those with a name like
// an ID's or a label's, and those that another file lacks.
type Column struct {
	Name string
	// Form is the form of its cells.
	Form profile.Form
	// Rows is the number of rows read, Filled how many of them have a value, Distinct the
	// number of distinct values.
	Rows, Filled, Distinct int
	// Unique is set if every row has a different value.
	Unique bool
	// AllIntegers is set if every value is an integer, Counts if each is also one more than
	// the previous.
	AllIntegers, Consecutive bool
	// AllCodes is set if every value is the same letters followed by digits, or if all are
	// UUIDs or hexadecimal hashes.
	AllCodes bool

	isSampled bool // the fields above are set
}

// The maximum number of distinct values of a numeric label, which is lower for fractions.
const (
	maxFractions = 20
	maxIntegers  = 100
	minRows      = 30 // below which repetition means nothing
)

// idReason returns why a column is the ID, empty if it is not. Unique values are not
// sufficient: most measurements are unique, too.
func (c *Column) idReason(first bool) string {
	switch {
	case !c.Unique || isMeasurement(c):
		return ""
	case isSureIDName(c.Name), first && isIDName(c.Name):
		return "unique, and named like an ID"
	case first && c.Consecutive && c.Rows > 2:
		return "it numbers the rows"
	case first && c.AllCodes:
		return "unique codes"
	}
	return ""
}

// isMeasurement reports whether a column contains measurements: fractions, dates or times.
func isMeasurement(c *Column) bool {
	return c.Form == profile.FormNumeric && !c.AllIntegers || c.Form == profile.FormDate || c.Form == profile.FormTime
}

// notIDReason returns why a column with the name of an ID is not one.
func (c *Column) notIDReason() string {
	switch {
	case c.Filled < c.Rows:
		return "has rows without a value"
	case !c.Unique:
		return "repeats"
	}
	return "holds measurements"
}

// notLabelReason returns why a column cannot be the label, empty if it can.
func (c *Column) notLabelReason() string {
	number := c.Form == profile.FormNumeric
	switch {
	case !c.isSampled || c.Rows < minRows:
		return ""
	case c.Filled == 0:
		return "is empty"
	case c.Form == profile.FormDate || c.Form == profile.FormTime:
		return "holds dates"
	case number && !c.AllIntegers && c.Distinct > maxFractions,
		number && c.Distinct > maxIntegers,
		c.Distinct > 2 && 2*c.Distinct > c.Filled:
		return fmt.Sprintf("has %d different values in %d rows", c.Distinct, c.Rows)
	}
	return ""
}
