package roles

import (
	"fmt"

	"foretell/internal/frame"
)

// Column is what the beginning of a file tells about one column. All but the name
// is known only of columns that may have a role: the first and the last, those
// with a name like an ID's or a label's, and those that another file lacks.
type Column struct {
	Name string
	// Form is what its cells are.
	Form frame.Form
	// Rows is how many rows were looked at, Filled how many of them have a value,
	// Distinct how many different values these have.
	Rows, Filled, Distinct int
	// Unique is set if every row has a value of its own.
	Unique bool
	// Integers is set if every value is an integer, Counts if each is also one
	// more than the one above it.
	Integers, Counts bool
	// Codes is set if every value is a letter or more followed by digits, all
	// with the same letters, or if all are UUIDs or hexadecimal sums.
	Codes bool

	seen bool // it was looked at
}

// A label that is a number has few values, and fewer if they are fractions.
const (
	mostFractions = 20
	mostIntegers  = 100
	fewRows       = 30 // below which repetition tells nothing
)

// identifies says why a column is the ID, empty if it is not. To be unique
// is not enough: most measurements are unique, too.
func (c *Column) identifies(first bool) string {
	switch {
	case !c.Unique || measured(c):
		return ""
	case namesIDSurely(c.Name), first && namesID(c.Name):
		return "unique, and named like an ID"
	case first && c.Counts && c.Rows > 2:
		return "it numbers the rows"
	case first && c.Codes:
		return "unique codes"
	}
	return ""
}

// measured reports whether a column holds what is measured: fractions, dates, times.
func measured(c *Column) bool {
	return c.Form == frame.FormNumeric && !c.Integers || c.Form == frame.FormDate || c.Form == frame.FormTime
}

// notID says why a column with the name of an ID is not one.
func (c *Column) notID() string {
	switch {
	case c.Filled < c.Rows:
		return "has rows without a value"
	case !c.Unique:
		return "repeats"
	}
	return "holds measurements"
}

// notLabel says why a column cannot name classes, empty if it can.
func (c *Column) notLabel() string {
	number := c.Form == frame.FormNumeric
	switch {
	case !c.seen || c.Rows < fewRows:
		return ""
	case c.Filled == 0:
		return "is empty"
	case c.Form == frame.FormDate || c.Form == frame.FormTime:
		return "holds dates"
	case number && !c.Integers && c.Distinct > mostFractions,
		number && c.Distinct > mostIntegers,
		c.Distinct > 2 && 2*c.Distinct > c.Filled:
		return fmt.Sprintf("has %d different values in %d rows", c.Distinct, c.Rows)
	}
	return ""
}
