package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
)

// sampledRows is a number of rows whose texts exceed sampledMemory, so that texts are evicted.
const (
	sampledRows   = 40_000
	sampledMemory = 64 << 10
)

// scanColumn scans and loads a table of an ID, a column c whose cells value returns, and a label.
// It returns the profile, and how many rows have no value of the first feature of c.
func scanColumn(t *testing.T, rows, textMemory int, value func(row int) string) (p *Profile, missing int) {
	t.Helper()
	var file strings.Builder
	file.WriteString("id,c,label\n")
	for i := range rows {
		fmt.Fprintf(&file, "r%d,%q,%s\n", i, value(i), []string{"yes", "no"}[i%2])
	}
	p, err := Scan(t.Context(), strings.NewReader(file.String()), ScanOptions{TextMemory: textMemory})
	if err != nil {
		t.Fatal(err)
	}
	f, err := frame.Load(t.Context(), strings.NewReader(file.String()), p.Schema, frame.LoadOptions{Labelled: true, Rows: p.Rows})
	if err != nil {
		t.Fatal(err)
	}
	if p.Schema.Columns[0].Kind == frame.Numeric {
		for _, x := range f.Columns[0].Values(make([]float64, f.Rows), 0, f.Rows) {
			if math.IsNaN(x) {
				missing++
			}
		}
	}
	return p, missing
}

func findWarning(p *Profile, code string) *csvfile.Warning {
	for i := range p.Warnings {
		if p.Warnings[i].Code == code {
			return &p.Warnings[i]
		}
	}
	return nil
}

// TestEstimatedNumberOfIDs checks that an estimated number of different values is not taken for the exact
// number: some of the columns have a smaller estimate than rows.
func TestEstimatedNumberOfIDs(t *testing.T) {
	t.Parallel()
	const rows, columns = 20_000, 4
	var uuids, keys strings.Builder
	header := "id"
	for c := range columns {
		header += fmt.Sprintf(",uuid%s", strings.Repeat("_", c)) // the same name without punctuation
	}
	fmt.Fprintf(&uuids, "%s,label\n", header)
	fmt.Fprintf(&keys, "id,customer_id,label\n")
	for i := range rows {
		fmt.Fprintf(&uuids, "r%d", i)
		for c := range columns {
			fmt.Fprintf(&uuids, ",%08x-1111-4222-8333-%012x", i*7919+c, i)
		}
		fmt.Fprintf(&uuids, ",%d\n", i%2)
		key := fmt.Sprint(1_000_000 + i*7919%50_021)
		if i%500 == 7 {
			key = ""
		}
		fmt.Fprintf(&keys, "r%d,%s,%d\n", i, key, i%2)
	}
	p := scanText(t, uuids.String(), ScanOptions{TextMemory: sampledMemory})
	isTooSmall := func(c ColumnProfile) bool { return c.Estimate && c.Distinct < rows }
	if w := findWarning(p, csvfile.CodeGroupColumn); w != nil || !slices.ContainsFunc(p.Columns, isTooSmall) {
		t.Errorf("unique texts: %+v, columns %+v", w, p.Columns)
	}
	p = scanText(t, keys.String(), ScanOptions{TextMemory: sampledMemory})
	if w := findWarning(p, csvfile.CodeIncompleteID); w == nil || !strings.Contains(w.Message, "its integers seem to be all different") {
		t.Errorf("integers: %+v, columns %+v", w, p.Columns)
	}
}

// timestamp returns the time of a row: 40,000 rows are a bit more than a month.
func timestamp(row int) time.Time {
	return time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(row) * 67 * time.Second)
}

func TestLateRowsOfALongColumnDecideItsForm(t *testing.T) {
	if testing.Short() {
		t.Skip("the goroutines are those of TestMissingIsExactWithoutAllTexts")
	}
	for _, one := range []struct {
		name, code string // code is that of a warning
		form       inference.Form
		order      inference.DateOrder
		value      func(row int) string
	}{
		{"days_above_12_show_the_order", "", inference.FormDate, inference.DayFirst, func(row int) string {
			return timestamp(row).Format("02/01/2006 15:04:05")
		}},
		{"a_second_half_without_dates", csvfile.CodeMixedDates, inference.FormText, "", func(row int) string {
			if row < sampledRows/2 {
				return timestamp(row).Format(time.DateTime)
			}
			return timestamp(row).Format("Mon 02. Jan, 2006 um 15.04.05 Uhr")
		}},
		{"another_unit_in_the_second_half", csvfile.CodeMixedNumbers, inference.FormText, "", func(row int) string {
			if row < sampledRows/2 {
				return fmt.Sprintf("%d.%03d kg", row%97, row%1000)
			}
			return fmt.Sprintf("%d.%03d lb", row%97, row%1000)
		}},
	} {
		t.Run(one.name, func(t *testing.T) {
			p, missing := scanColumn(t, sampledRows, sampledMemory, one.value)
			if c := &p.Columns[0]; c.Form != one.form || c.DateOrder != one.order || c.Missing != missing || missing > 0 {
				t.Errorf("the form is %s, the order %q, and %d rows are missing; frame.Load reads %d as missing", c.Form, c.DateOrder, c.Missing, missing)
			}
			if one.code != "" && findWarning(p, one.code) == nil {
				t.Errorf("there is no warning %s: %v", one.code, p.Warnings)
			}
		})
	}
}

func TestMissingIsExactWithoutAllTexts(t *testing.T) {
	for _, one := range []struct {
		name, code string
		value      func(row int) string
	}{
		{"dates", csvfile.CodeJunkInDates, func(row int) string {
			if row > sampledRows/2 && row%997 == 0 {
				return fmt.Sprintf("unknown %d", row)
			}
			return timestamp(row).Format(time.DateTime)
		}},
		{"dates_in_the_other_order", csvfile.CodeDateOrder, func(row int) string {
			if row > sampledRows/2 && row%997 == 0 {
				return "03/28/2024" + timestamp(row).Format(" 15:04:05")
			}
			return timestamp(row).Format("02/01/2006 15:04:05")
		}},
		{"amounts", csvfile.CodeJunkInNumbers, func(row int) string {
			if row > sampledRows/2 && row%997 == 0 {
				return fmt.Sprintf("unknown %d", row)
			}
			return fmt.Sprintf("%d.%03d kg", row%97, row%1000)
		}},
	} {
		t.Run(one.name, func(t *testing.T) {
			p, missing := scanColumn(t, sampledRows, sampledMemory, one.value)
			if c := &p.Columns[0]; !c.Form.IsOrdered() || !c.Estimate || missing == 0 || c.Missing != missing {
				t.Errorf("the form is %s, and %d rows are missing; frame.Load reads %d as missing", c.Form, c.Missing, missing)
			}
			w := findWarning(p, one.code)
			if w == nil || !strings.Contains(w.Message, fmt.Sprintf(" %d rows", missing)) {
				t.Errorf("no warning %s has the number of rows, %d: %v", one.code, missing, p.Warnings)
			}
		})
	}
}

func TestTextsAfterManyNumbersAreRead(t *testing.T) {
	if testing.Short() {
		t.Skip("the goroutines are those of TestMissingIsExactWithoutAllTexts")
	}
	for _, one := range []struct {
		name     string
		form     inference.Form
		min, max float64
		value    func(row int) string
	}{
		{"thousands_in_ascending_amounts", inference.FormNumeric, 700.25, 700.25 + 1999.9, func(row int) string {
			amount := 700.25 + float64(row)/10
			if amount < 1000 {
				return fmt.Sprintf("%.2f", amount)
			}
			return fmt.Sprintf("%d,%06.2f", int(amount)/1000, math.Mod(amount, 1000))
		}},
		{"a_unit_after_plain_numbers", inference.FormNumeric, 0.1, 2000, func(row int) string {
			if row < 10_000 {
				return fmt.Sprintf("%.1f", float64(row+1)/10)
			}
			return fmt.Sprintf("$%.1f", float64(row+1)/10)
		}},
		{"a_number_that_is_no_date", inference.FormNumeric, 1970_01_01, 9999_12_31, func(row int) string {
			if row < 18_000 {
				return time.Date(1970, 1, 1+row%15_000, 0, 0, 0, 0, time.UTC).Format("20060102")
			}
			return "99991231"
		}},
		{"only_dates", inference.FormDate, 0, 0, func(row int) string {
			return time.Date(1970, 1, 1+row, 0, 0, 0, 0, time.UTC).Format("20060102")
		}},
	} {
		t.Run(one.name, func(t *testing.T) {
			p, missing := scanColumn(t, 20_000, 0, one.value)
			c := &p.Columns[0]
			if c.Form != one.form || c.Missing != 0 || missing != 0 {
				t.Fatalf("the form is %s, and %d rows are missing; frame.Load reads %d as missing", c.Form, c.Missing, missing)
			}
			if one.form != inference.FormNumeric {
				return
			}
			if n := c.Numbers; n == nil || math.Abs(n.Min-one.min) > 1e-9 || math.Abs(n.Max-one.max) > 1e-9 || n.Median < n.Min || n.Median > n.Max {
				t.Errorf("the numbers are %+v, want %g to %g", n, one.min, one.max)
			}
		})
	}
}
