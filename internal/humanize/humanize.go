// Package humanize formats counts, fractions, lists and messages for people.
package humanize

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Count returns a number with its noun: "1 row", "2 rows", "1,234 rows".
func Count[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ss"):
		noun += "e"
	}
	return Comma(n) + " " + noun + "s"
}

// HasOrHave returns "has" for one, and otherwise "have".
func HasOrHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// List joins items with commas. It joins at most limit items, and adds the number of the remaining
// items: "a, b and 3 more".
func List(items []string, limit int) string {
	if more := len(items) - limit; more > 0 {
		return strings.Join(items[:limit], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(items, ", ")
}

// QuotedList returns the items like [List], each in quotes, so that an item with a comma is one item.
func QuotedList(items []string, limit int) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = strconv.Quote(item)
	}
	return List(quoted, limit)
}

// JoinOr joins the values of a choice: "a, b or c".
func JoinOr(items []string) string { return join(items, " or ") }

// JoinAnd joins items that are all meant: "a, b and c".
func JoinAnd(items []string) string { return join(items, " and ") }

// join joins the items. The conjunction is between the last two items, and commas are between the
// other items.
func join(items []string, conjunction string) string {
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + conjunction + items[last]
}

// Comma returns n with commas between thousands: "1,234".
func Comma[N int | int64](n N) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Comma(n/1000), n%1000)
}

// Percent formats a fraction between 0 and 1 as a percentage: "12 %", "0.4 %", "<0.1 %", "99.8 %". Only the
// fractions 0 and 1 are formatted as "0 %" and "100 %".
func Percent(fraction float64) string {
	switch percent := 100 * fraction; {
	case percent > 0 && percent < 0.05:
		return "<0.1 %"
	case percent > 0 && percent < 1:
		return fmt.Sprintf("%.1f %%", percent)
	case percent > 99 && percent < 100:
		return fmt.Sprintf("%.1f %%", math.Floor(10*percent)/10)
	default:
		return fmt.Sprintf("%.0f %%", percent)
	}
}
