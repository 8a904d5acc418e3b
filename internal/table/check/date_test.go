package check_test

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
	"foretell/internal/table/tabletest"
)

// TestMixedDates scans columns whose cells alternate between two formats, and columns that have
// only some dates.
func TestMixedDates(t *testing.T) {
	t.Parallel()
	other := func(date, dateLine, other, otherLine string) string {
		return fmt.Sprintf("the column is read as text, because its dates or times have different formats, such as %q (line %s) and %q (line %s)", date, dateLine, other, otherLine)
	}
	for name, c := range map[string]struct {
		first, second string // formats of the month and the day
		every         int    // one row in this number of rows has the second format
		want          string
	}{
		"formats_that_are_all_read": {"2024-%02[1]d-%02[2]d", "%02[2]d.%02[1]d.2024", 2, ""},
		"unusual_separators":        {"2024-%02[1]d-%02[2]d", "%[2]d/%[1]d-24", 2, other("2024-01-01", "2", "8/2-24", "3")},
		"mostly_the_other":          {"%[2]d.%[1]d.", "2024-%02[1]d-%02[2]d", 3, other("2024-03-15", "4", "1.1.", "2")},
		"too_few_dates":             {"%[2]d.%[1]d.", "2024-%02[1]d-%02[2]d", 6, ""},
		"times_and_dates":           {"%02[1]d:%02[2]d", "2024-%02[1]d-%02[2]d", 3, other("01:01", "2", "2024-03-15", "4")},
		"serial_numbers":            {"2024-%02[1]d-%02[2]d", "45%[1]d%02[2]d", 2, other("2024-01-01", "2", "45208", "3")},
		"words":                     {"2024-%02[1]d-%02[2]d", "never", 2, other("2024-01-01", "2", "never", "3")},
		"orders_of_day_and_month":   {"%02[2]d/%02[1]d/2024", "%02[1]d/%02[2]d/2024", 2, `the column is read as text, because "15/03/2024" (line 4) has the day first, but "04/22/2024" (line 5) has the month first`},
		"weeks":                     {"2024-%02[2]d", "2024-5%[1]d", 2, ""},
		"no_dates":                  {"a%d-%d", "b%d/%d", 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("id,day,n,label\n")
			for i := range 60 {
				format := c.first
				if i%c.every == c.every-1 {
					format = c.second
				}
				cell := format
				if strings.Contains(format, "%") {
					cell = fmt.Sprintf(format, i%12+1, i*7%28+1)
				}
				fmt.Fprintf(&b, "%d,%s,%d,%c\n", i, cell, i%7, "xy"[i/3%2])
			}
			got := ""
			for _, w := range scanText(t, b.String(), profile.ScanOptions{}).Warnings {
				if w.Code == csvfile.CodeMixedDates {
					got += w.Message
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestTextAmongDates scans columns of dates in which every tenth cell is another text. How a blind file's
// texts are treated depends on the training file.
func TestTextAmongDates(t *testing.T) {
	t.Parallel()
	for other, want := range map[string]string{
		"2024-02-31": `"2024-02-31"`,
		"9999-12-31": `"9999-12-31"`,
		"n.d.":       `"n.d."`,
		"":           "",
		"?":          "",
	} {
		if want != "" {
			want = "the column has dates from the years 1000 to 2999, but other values in 30 rows, such as " + want + " in line 2"
		}
		table := tabletest.Column(tabletest.Cells(300, func(i int) string {
			if i%10 == 0 {
				return other
			}
			return fmt.Sprintf("2024-%02d-%02d", i%12+1, i*5%28+1)
		})...)
		for _, isBlind := range []bool{false, true} {
			want := want
			if want != "" && !isBlind {
				want += "; such values are treated as missing"
			}
			got := ""
			for _, w := range scanText(t, table, profile.ScanOptions{Blind: isBlind}).Warnings {
				if w.Code == csvfile.CodeJunkInDates {
					got += w.Message
				}
			}
			if got != want {
				t.Errorf("%q: got %q, want %q", other, got, want)
			}
		}
	}
}

// TestOtherNumbersAmongUnixTimes scans blind files with a few numbers that are no times in the unit of the
// training file. The large file has more numbers than are counted, and its first number is a time.
func TestOtherNumbersAmongUnixTimes(t *testing.T) {
	t.Parallel()
	training := &frame.Schema{ID: "id", Columns: []frame.ColumnSchema{{Name: "x.time", Source: "x", Feature: frame.ExtractTime, Epoch: frame.EpochSeconds}}}
	for rows, want := range map[int]string{
		300:   `the column has Unix times in seconds, but other values in 6 rows, such as "1600000007000" in line 9`,
		9_000: `the column has Unix times in seconds, but other values in at least 41 rows, such as "1600000007000" in line 9`,
	} {
		table := tabletest.Column(tabletest.Cells(rows, func(i int) string {
			return strconv.Itoa(1_600_000_000+i) + []string{"", "000"}[max(0, 1-(i%50-7)*(i%50-7))]
		})...)
		got := ""
		for _, w := range scanText(t, table, profile.ScanOptions{Blind: true, Training: training}).Warnings {
			if w.Code == csvfile.CodeJunkInDates {
				got += w.Message
			}
		}
		if got != want {
			t.Errorf("%d rows: got %q, want %q", rows, got, want)
		}
	}
}

// TestOtherCellsAmongDatesWithTheYearFirst scans columns of dates with the year first, and one other cell.
func TestOtherCellsAmongDatesWithTheYearFirst(t *testing.T) {
	t.Parallel()
	for other, want := range map[string]string{
		"n.d.":     `junk-in-dates the column has dates from the years 1000 to 2999, but other values in 1 row, such as "n.d." in line 202; such values are treated as missing`,
		"00-00-00": `junk-in-dates the column has dates from the years 1000 to 2999, but other values in 1 row, such as "00-00-00" in line 202; such values are treated as missing`,
		// It is a date if the year is last.
		"17-02-30": `year-first the dates probably begin with a two-digit year, but such dates are read with the year last: "17-01-01" is read as 2001-01-17`,
	} {
		table := tabletest.Column(tabletest.Cells(400, func(i int) string {
			if i == 200 {
				return other
			}
			return time.Date(2017, 1, 1+2*i, 0, 0, 0, 0, time.UTC).Format("06-01-02")
		})...)
		got := ""
		for _, w := range scanText(t, table, profile.ScanOptions{}).Warnings {
			if w.Code == csvfile.CodeJunkInDates || w.Code == csvfile.CodeYearFirst {
				got += w.Code + " " + w.Message
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", other, got, want)
		}
	}
}

// TestYearFirst scans columns of dates whose year may be first and has two digits.
func TestYearFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, layout string
		firstYear    int
		every        int // days between two rows
		want         string
	}{
		{"year_first", "06/01/02", 2019, 11, ""},
		{"year_first_with_times", "06-01-02 15:04", 2019, 11, ""},
		{"year_that_is_no_day", "06/01/02", 1984, 11, ""},
		{"decades", "06/01/02", 1960, 70, ""},
		{"turn_of_the_century", "06-01-02", 1996, 15, ""},
		{"one_year", "06/01/02", 2019, 1, `the dates probably begin with a two-digit year, but such dates are read with the year last: "19/01/01" is read as 2001-01-19`},
		{"first_days_or_years", "06-01-02", 2001, 5, `the dates probably begin with a two-digit year, but such dates are read with the year last: "01-01-01" is read as 2001-01-01`},
		{"day_first", "02/01/06", 2019, 11, ""},
		{"day_first_of_many_years", "02/01/06", 1999, 60, ""},
		{"month_first", "01/02/06", 2019, 11, ""},
		{"first_of_the_month", "02.01.06", 2001, 365, ""},
		{"year_of_four_digits", "2006/01/02", 2019, 11, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("id,day,n,label\n")
			for i := range 200 {
				day := time.Date(c.firstYear, 1, 1+i*c.every, 0, 0, 0, 0, time.UTC)
				fmt.Fprintf(&b, "%d,%s,%d,%c\n", i, day.Format(c.layout), i%7, "xy"[i/3%2])
			}
			got := ""
			p := scanText(t, b.String(), profile.ScanOptions{})
			isYearFirst := strings.HasPrefix(c.layout, "06") && c.want == ""
			if order := p.Columns[0].DateOrder; p.Columns[0].Form != inference.FormDate || (order == inference.YearFirst) != isYearFirst {
				t.Errorf("the order is %q", order)
			}
			if n := p.Columns[0].Numbers; isYearFirst && (n == nil || inference.FormDate.Format(n.Min) != fmt.Sprintf("%d-01-01", c.firstYear)) {
				t.Errorf("the statistics are %+v", n)
			}
			for _, w := range p.Warnings {
				if w.Code == csvfile.CodeYearFirst {
					got += w.Message
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestCompactDates warns about numbers that are dates with the year last, which are not read as dates.
func TestCompactDates(t *testing.T) {
	day := func(i int) time.Time { return time.Date(2018, 1, 1+i*5, 0, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		cell func(i int) string
		want string
	}{
		"month_first": {func(i int) string { return day(i).Format("01022006") }, `the cells are probably dates such as "01012018", but a date without separators is only read if the year is first`},
		"day_first":   {func(i int) string { return day(i).Format("02012006") }, `the cells are probably dates such as "01012018", but`},
		"no_zero":     {func(i int) string { return strings.TrimPrefix(day(i).Format("01022006"), "0") }, `the cells are probably dates such as "1012018", but`},
		"year_first":  {func(i int) string { return day(i).Format("20060102") }, ""},
		"numbers":     {func(i int) string { return fmt.Sprint(10_000_000 + i*i*7919) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, w := range scanText(t, tabletest.Column(tabletest.Cells(200, c.cell)...), profile.ScanOptions{}).Warnings {
				if w.Code == csvfile.CodeDateOrder {
					got += w.Message
				}
			}
			if got != c.want && (c.want == "" || !strings.HasPrefix(got, c.want)) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	hours := scanText(t, tabletest.Column(tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d.00.00", i%24) })...), profile.ScanOptions{})
	if form := hours.Columns[0].Form; form != inference.FormTime {
		t.Errorf("18.00.00 is read as %s", form)
	}
}
