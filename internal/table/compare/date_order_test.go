package compare

import (
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
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
		train := scanText(t, tabletest.Dates(true, c.train, ""), profile.ScanOptions{})
		blind := scanText(t, tabletest.Dates(false, c.blind, ""), profile.ScanOptions{Blind: true, Training: train.Schema})
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
