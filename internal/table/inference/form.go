package inference

import (
	"fmt"
	"math"
	"strconv"

	"foretell/internal/table/cells"
)

// Form is what a column of the file contains, such as numbers or dates. In contrast, a frame.Kind
// is the type of a feature that is extracted from the column.
type Form string

// The forms of a column.
const (
	FormNumeric  Form = "numeric"  // numbers, optionally with a unit and a few texts
	FormBoolean  Form = "boolean"  // two opposite words, such as yes and no
	FormCategory Form = "category" // a limited number of texts
	FormDate     Form = "date"     // dates, optionally with a time of day
	FormTime     Form = "time"     // times of day
	FormText     Form = "text"     // texts of several words
)

// IsOrdered reports whether values of the form have an order: whether they are numbers, dates or
// times.
func (f Form) IsOrdered() bool { return f == FormNumeric || f == FormDate || f == FormTime }

// PluralNoun returns the plural noun for the values of a form: numbers, dates, times or texts.
func (f Form) PluralNoun() string {
	switch f {
	case FormNumeric:
		return "numbers"
	case FormDate:
		return "dates"
	case FormTime:
		return "times"
	}
	return "texts"
}

// Format formats a number from the columnstats.NumericStats of a column of this form: as 2024-01-31
// for dates, as 15:04 for times, and otherwise as a number of at most six digits.
func (f Form) Format(value float64) string {
	switch f {
	case FormDate:
		year, month, day := cells.CivilFromDays(int(math.Floor(value)))
		return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	case FormTime:
		minutes := min(int(math.Round(value*60)), 24*60-1)
		return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}
