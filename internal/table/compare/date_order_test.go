package compare

import (
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

func TestCompareDateOrder(t *testing.T) {
	for _, c := range []struct{ train, blind, code, message string }{
		{"02/01/2006", "02/01/2006", "", ""},
		{"02/01/2006", "02/01/2006?", "", ""},
		{"02/01/2006?", "01/02/2006", "", ""},
		{"2006-01-02", "02/01/2006?", csvfile.CodeAmbiguousDates, `no date of the training file shows whether the day or the month is first: the month is assumed to be first, so "02/06/2024" is read as 2024-02-06`},
		{"02/01/2006", "01/02/2006", csvfile.CodeDateOrder, `the date "11/23/2024" has the month first, but the dates of the training file were read with the day first: the dates of 33 rows are treated as missing, and those of 22 other rows are perhaps read with day and month exchanged`},
		{"02/01/2006?", "02/01/2006", csvfile.CodeDateOrder, `the date "23/11/2024" has the day first, but no date of the training file shows the order, and the month first is assumed: the dates of 33 rows are treated as missing, and those of 22 other rows are perhaps read with day and month exchanged`},
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

// TestSerialNumbers compares dates and times with a column in which a spreadsheet has replaced some of
// them by numbers. A profile and a model give the same message.
func TestSerialNumbers(t *testing.T) {
	t.Parallel()
	dates := profile.TrainingColumn{Name: "x", Form: inference.FormDate, DateOrder: inference.MonthFirst, Rows: 40}
	times := profile.TrainingColumn{Name: "x", Form: inference.FormTime, Rows: 40}
	gappy := profile.TrainingColumn{Name: "x", Form: inference.FormDate, DateOrder: inference.MonthFirst, Rows: 40, Missing: 20}
	for _, c := range []struct {
		train, blind string
		known        profile.TrainingColumn
		want         Severity
		message      string
	}{
		{"01/25/2024 02/27/2024", "01/25/2024 02/27/2024 03/14/2024 45919 45661", dates, SeverityWarning, `the column has dates in training, but text in 24 rows here, most often "45919"; such text is treated as missing`},
		{"01/25/2024 02/27/2024", "01/25/2024 45919 45661", dates, SeverityDefect, `the column has dates in training, but text in 40 rows here, most often "45919"; such text is treated as missing`},
		{"01/25/2024 02/27/2024", "45919 45661", dates, SeverityDefect, "the column has dates in training, but numbers here; the numbers are treated as missing"},
		{"10:15 11:20", "10:15 11:20 12:30 20.41 21.29", times, SeverityWarning, `the column has times in training, but text in 24 rows here, most often "20.41"; such text is treated as missing`},
		{"10:15 11:20", "10:15 20.41 21.29", times, SeverityDefect, `the column has times in training, but text in 40 rows here, most often "20.41"; such text is treated as missing`},
		{"01/25/2024 02/27/2024 0 0", "01/25/2024 02/27/2024 0", gappy, "", ""}, // 0 may mean that the date is missing
	} {
		blind := scanText(t, fileOf(c.blind, 60, false), profile.ScanOptions{Blind: true, ID: "id"})
		train := scanText(t, fileOf(c.train, 40, true), profile.ScanOptions{})
		for kind, findings := range map[string][]Finding{"profile": Profiles(train, blind), "known": TrainingColumns([]profile.TrainingColumn{c.known}, blind)} {
			var got Severity
			message := ""
			for _, f := range findings {
				if f.Name == "x" && f.Code == csvfile.CodeChangedKind {
					got, message = f.Severity, f.Message
				}
			}
			if got != c.want || message != c.message {
				t.Errorf("%s, %s: %q, want %q: %+v", c.blind, kind, got, c.want, findings)
			}
		}
	}
}
