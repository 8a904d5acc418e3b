package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

func TestCompareDateOrder(t *testing.T) {
	for _, c := range []struct{ train, blind, code, message string }{
		{"02/01/2006", "02/01/2006", "", ""},
		{"02/01/2006", "02/01/2006?", "", ""},
		{"02/01/2006?", "01/02/2006", "", ""},
		{"2006-01-02", "02/01/2006?", csvfile.CodeAmbiguousDates, `no date of the training file shows whether the day or the month is first: the month is assumed, so "02/06/2024" is 2024-02-06`},
		{"02/01/2006", "01/02/2006", csvfile.CodeDateOrder, `"11/23/2024" has the month first, but the dates of the training file were read with the day first: the dates of 33 rows are treated as missing, and those of 22 other rows are perhaps read with day and month exchanged`},
		{"02/01/2006?", "02/01/2006", csvfile.CodeDateOrder, `"23/11/2024" has the day first, but no date of the training file shows the order, and the month first is assumed: the dates of 33 rows are treated as missing, and those of 22 other rows are perhaps read with day and month exchanged`},
	} {
		train := scanText(t, datesTable(true, c.train, ""), profile.ScanOptions{})
		blind := scanText(t, datesTable(false, c.blind, ""), profile.ScanOptions{Blind: true, Training: train.Schema})
		code, message := "", ""
		for _, f := range Profiles(train, blind) {
			if f.Code == csvfile.CodeDateOrder || f.Code == csvfile.CodeAmbiguousDates {
				code, message = f.Code, f.Message
				if f.Line < 2 || f.Column != 2 {
					t.Errorf("%s and %s: line %d, column %d", c.train, c.blind, f.Line, f.Column)
				}
			}
		}
		if code != c.code || message != c.message {
			t.Errorf("%s and %s: %s %s\nwant %s", c.train, c.blind, code, message, c.message)
		}
	}
}

// datesTable returns a training file, or a blind file if label is false. The file has a column when
// and, unless other is "", a column other. when and other are the layouts of the dates in these
// columns. A layout with the suffix "?" has only dates that can be read in two ways.
func datesTable(label bool, when, other string) string {
	var b strings.Builder
	write := func(id string, cells ...string) {
		b.WriteString(id)
		for _, cell := range cells {
			b.WriteString("," + cell)
		}
		b.WriteString("\n")
	}
	date := func(row int, layout string) string {
		layout, ambiguous := strings.CutSuffix(layout, "?")
		day := 1 + row*11%28
		if ambiguous {
			day = 1 + row%12
		}
		return time.Date(2024, time.Month(1+row*5%12), day, 0, 0, 0, 0, time.UTC).Format(layout)
	}
	head := []string{"when"}
	if other != "" {
		head = append(head, "other")
	}
	if label {
		head = append(head, "y")
	}
	write("id", head...)
	for row := range 60 {
		cells := []string{date(row, when)}
		if other != "" {
			cells = append(cells, date(row+1, other))
		}
		if label {
			cells = append(cells, []string{"a", "b"}[row%2])
		}
		write(fmt.Sprint(row), cells...)
	}
	return b.String()
}
