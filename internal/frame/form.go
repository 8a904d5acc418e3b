package frame

import (
	"fmt"
	"math"
	"strconv"
)

// Form is what the cells of a file's column are, as people would say. The
// engine learns from features made of them, which are of a Kind.
type Form string

// The forms of columns.
const (
	FormNumeric  Form = "numeric"  // numbers, perhaps with a unit, perhaps with a few texts among them
	FormBoolean  Form = "boolean"  // yes and no, or other words for them
	FormCategory Form = "category" // texts from a set
	FormDate     Form = "date"     // dates, perhaps with a time of day
	FormTime     Form = "time"     // times of day
	FormText     Form = "text"     // texts of words
)

// ordered tells whether the cells of a form have an order.
func (f Form) ordered() bool { return f == FormNumeric || f == FormDate || f == FormTime }

// noun returns what the cells of a form are.
func (f Form) noun() string {
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

// Format writes a value of Numbers as the form has it.
func (f Form) Format(value float64) string {
	switch f {
	case FormDate:
		year, month, day := civilFromDays(int(math.Floor(value)))
		return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	case FormTime:
		minutes := min(int(math.Round(value*60)), 24*60-1)
		return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}
