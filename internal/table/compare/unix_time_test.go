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

// TestCompareUnixTimes compares a training file with Unix times with blind files whose column has something else.
func TestCompareUnixTimes(t *testing.T) {
	at := func(row int) time.Time { return time.Date(2024, 1, 1, 0, 0, 977*row, 0, time.UTC) }
	forms := map[string]func(row int) string{
		"s":    func(row int) string { return strconv.FormatInt(at(row).Unix(), 10) },
		"ms":   func(row int) string { return strconv.FormatInt(at(row).UnixMilli(), 10) },
		"date": func(row int) string { return at(row).Format(time.DateTime) },
		"days": func(row int) string { return strconv.Itoa(row - 1) },
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
		{"s", "ms", 110, SeverityDefect, "110 rows have Unix times in milliseconds, most often \"1704067200000\", but the training file has Unix times in seconds; these times are treated as missing"},
		{"ms", "s", 110, SeverityDefect, "110 rows have Unix times in seconds, most often \"1704067200\", but the training file has Unix times in milliseconds; these times are read as times of January 1970"},
		{"ms", "s", 3, SeverityWarning, "3 rows have Unix times in seconds, most often \"1704067200\", but the training file has Unix times in milliseconds; these times are read as times of January 1970"},
		{"s", "mix", 110, SeverityWarning, "10 rows have Unix times in milliseconds, most often \"1704164900000\", but the training file has Unix times in seconds; these times are treated as missing"},
		{"s", "date", 110, SeverityDefect, "the column has Unix times in training, but dates here; the dates are treated as missing"},
		{"date", "s", 110, SeverityDefect, "the column has dates in training, but numbers here; the numbers are treated as missing"},
	} {
		train := scanText(t, table(true, 110, forms[c.train]), profile.ScanOptions{})
		blind := scanText(t, table(false, c.rows, forms[c.blind]), profile.ScanOptions{Blind: true, ID: "id", Training: train.Schema})
		column := &train.Columns[0]
		known := []profile.KnownColumn{{Name: "time", Form: inference.FormDate, DateOrder: column.DateOrder, Epoch: column.Epoch, Rows: train.Rows}}
		for i, found := range [][]Finding{Profiles(train, blind), KnownColumns(known, blind)} {
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
	if unit := inference.OtherUnixTimeUnit(1, frame.EpochSeconds); unit != "" {
		t.Errorf("1 is a time in %s", unit)
	}
}
