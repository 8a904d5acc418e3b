package compare

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// TestCompareUnixTimes compares a training file with Unix times with blind files whose column has
// something else.
func TestCompareUnixTimes(t *testing.T) {
	at := func(row int) time.Time { return time.Date(2024, 1, 1, 0, 0, 977*row, 0, time.UTC) }
	forms := map[string]func(row int) string{
		"s":    func(row int) string { return strconv.FormatInt(at(row).Unix(), 10) },
		"ms":   func(row int) string { return strconv.FormatInt(at(row).UnixMilli(), 10) },
		"date": func(row int) string { return at(row).Format(time.DateTime) },
		"days": func(row int) string { return strconv.Itoa(row - 1) },
		"0":    func(row int) string { return []string{strconv.FormatInt(at(row).Unix(), 10), "0"}[row%3/2] },
		"none": func(row int) string { return []string{"0", "-1"}[row%2] },
		"old":  func(row int) string { return strconv.Itoa(-1000 * (row + 2)) },
		"e":    func(row int) string { return fmt.Sprintf("%.6e", float64(at(row).Unix())) },
		"word": func(row int) string { return []string{strconv.FormatInt(at(row).Unix(), 10), "never"}[row%10/9] },
		"mix":  func(row int) string { return strconv.FormatInt(at(row).Unix(), 10) + []string{"", "000"}[row/100] },
	}
	table := func(label bool, rows int, form func(row int) string) string {
		text := "id,time\n"
		if label {
			text = "id,time,y\n"
		}
		for row := range rows {
			text += fmt.Sprintf("r%d,%s", row, form(row))
			if label {
				text += []string{",a", ",b"}[row%2]
			}
			text += "\n"
		}
		return text
	}
	for _, c := range []struct {
		train, blind string
		rows         int
		severity     Severity
		want         string
	}{
		{"s", "s", 110, "", ""},
		{"s", "s", 4, "", ""},
		{"s", "0", 110, "", ""}, // it has more missing values
		{"0", "0", 110, "", ""},
		{"0", "none", 110, "", ""},
		{"s", "days", 110, SeverityDefect, "in 108 rows, the number is too large or too small for Unix times in seconds, most often the number \"1\"; such a number is read as a time of January 1970"},
		{"ms", "old", 110, SeverityDefect, "in 110 rows, the number is too large or too small for Unix times in milliseconds, most often the number \"-2000\"; such a number is treated as missing"},
		{"s", "e", 110, SeverityWarning, "the Unix times in 110 rows have an exponent, most often \"1.704097e+09\"; such times may have lost their last digits"},
		{"s", "word", 110, SeverityWarning, "the column has Unix times in training, but text in 11 rows here, most often \"never\"; such text is treated as missing"},
		{"s", "ms", 110, SeverityDefect, "the column has Unix times in seconds in training, but Unix times in milliseconds in 110 rows here, most often \"1704067200000\"; the times of these rows are treated as missing"},
		{"ms", "s", 110, SeverityDefect, "the column has Unix times in milliseconds in training, but Unix times in seconds in 110 rows here, most often \"1704067200\"; the times of these rows are read as times of January 1970"},
		{"ms", "s", 3, SeverityWarning, "the column has Unix times in milliseconds in training, but Unix times in seconds in 3 rows here, most often \"1704067200\"; the times of these rows are read as times of January 1970"},
		{"s", "mix", 110, SeverityWarning, "the column has Unix times in seconds in training, but Unix times in milliseconds in 10 rows here, most often \"1704164900000\"; the times of these rows are treated as missing"},
		{"s", "date", 110, SeverityDefect, "the column has Unix times in training, but dates here; the dates are treated as missing"},
		{"date", "s", 110, SeverityDefect, "the column has dates in training, but numbers here; the numbers are treated as missing"},
	} {
		train := scanText(t, table(true, 110, forms[c.train]), profile.ScanOptions{})
		blind := scanText(t, table(false, c.rows, forms[c.blind]), profile.ScanOptions{Blind: true, ID: "id", Training: train.Schema})
		column := &train.Columns[0]
		known := []profile.TrainingColumn{{Name: "time", Form: inference.FormDate, DateOrder: column.DateOrder, Epoch: column.Epoch, Rows: train.Rows}}
		for i, found := range [][]Finding{Profiles(train, blind), TrainingColumns(known, blind)} {
			var got []string
			for _, f := range found {
				if f.Code == csvfile.CodeChangedKind {
					got = append(got, f.Message)
					if f.Severity != c.severity {
						t.Errorf("%s and %s: %s", c.train, c.blind, f.Severity)
					}
				}
			}
			if text := strings.Join(got, "\n"); text != c.want {
				t.Errorf("%s and %s, %d: %s, want %s", c.train, c.blind, i, text, c.want)
			}
		}
	}
	// A large file has more numbers than are counted.
	large := scanText(t, table(true, 9_000, forms["0"]), profile.ScanOptions{})
	for _, blind := range []string{"0", "none"} {
		for _, f := range Profiles(large, scanText(t, table(false, 300, forms[blind]), profile.ScanOptions{Blind: true, ID: "id", Training: large.Schema})) {
			if f.Code == csvfile.CodeChangedKind {
				t.Errorf("%s: %s", blind, f.Message)
			}
		}
	}
	if unit := inference.OtherUnixTimeUnit(1, frame.EpochSeconds); unit != "" {
		t.Errorf("1 is a time in %s", unit)
	}
}

// TestCompareYearFirst compares a training file whose dates begin with a two-digit year with blind files.
func TestCompareYearFirst(t *testing.T) {
	table := func(label, layout string, rows int) string {
		text := "id,day" + label + "\n"
		for row := range rows {
			text += fmt.Sprintf("r%d,%s", row, time.Date(2017, 1, 1+2*row, 0, 0, 0, 0, time.UTC).Format(layout))
			if label != "" {
				text += []string{",a", ",b"}[row%2]
			}
			text += "\n"
		}
		return text
	}
	train := scanText(t, table(",y", "06-01-02", 900), profile.ScanOptions{})
	known := []profile.TrainingColumn{{Name: "day", Form: inference.FormDate, DateOrder: train.Columns[0].DateOrder, Rows: train.Rows}}
	for layout, want := range map[string]string{
		"06-01-02":   "",
		"2006-01-02": "",
		"01/02/06":   "dates in 180 rows have another format than in training, most often \"01/13/17\"; these dates are treated as missing",
	} {
		blind := scanText(t, table("", layout, 300), profile.ScanOptions{Blind: true, ID: "id", Training: train.Schema})
		for i, found := range [][]Finding{Profiles(train, blind), TrainingColumns(known, blind)} {
			got := ""
			for _, f := range found {
				if f.Code == csvfile.CodeChangedKind {
					got += f.Message
				}
			}
			if got != want {
				t.Errorf("%s, %d: %s, want %s", layout, i, got, want)
			}
		}
	}
}
