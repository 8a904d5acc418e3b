package check_test

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

// numberWarnings returns the messages of the warnings about a column x with the given cells.
func numberWarnings(t *testing.T, cells []string) (p *profile.Profile, messages string) {
	t.Helper()
	p = scanText(t, tabletest.Column(quoted(cells)...), profile.ScanOptions{})
	var list []string
	for _, w := range p.Warnings {
		switch w.Code {
		case csvfile.CodeMostlyNumbers, csvfile.CodeMixedNumbers, csvfile.CodeFootnoteMarks, csvfile.CodePartialUnit, csvfile.CodeJunkInNumbers:
			list = append(list, w.Message)
		}
	}
	return p, strings.Join(list, "; ")
}

// TestTextAmongNumbers scans columns of numbers in which every tenth cell is something else.
func TestTextAmongNumbers(t *testing.T) {
	t.Parallel()
	marks := func(first string) string {
		return fmt.Sprintf("the cells of 20 rows have a footnote mark after the number, such as %q in line 2; the marks are ignored", first)
	}
	mostly := func(first, form string) string {
		return fmt.Sprintf("most cells are numbers, but the column is read as %s, because it has too many different texts that are not numbers; the first of these texts is %q in line 2", form, first)
	}
	for name, c := range map[string]struct {
		plain, other string // formats of the cells; a ? is a letter
		form         inference.Form
		want         string
	}{
		"stars":               {"0.%03d", "0.%03d*", inference.FormNumeric, marks("0.000*")},
		"numbers_in_brackets": {"%d.5", "%d.5 [1]", inference.FormNumeric, marks("0.5 [1]")},
		"approximate":         {"%d.5", "~%d.5", inference.FormNumeric, `the cells of 20 rows have a mark before the number, such as "~0.5" in line 2; the marks are ignored`},
		"marks_everywhere":    {"%d*", "%d*", inference.FormNumeric, ""},
		"another_unit":        {"%d km", "%d miles", inference.FormText, mostly("0 miles", "text")},
		"ranges":              {"%d", "%d-99", inference.FormCategory, mostly("0-99", "a category")},
		"codes":               {"%d", "V%d", inference.FormCategory, ""},
		"codes_with_a_suffix": {"85%03d", "85%03d?", inference.FormCategory, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, got := numberWarnings(t, tabletest.Cells(200, func(i int) string {
				if i%10 == 0 {
					return strings.ReplaceAll(fmt.Sprintf(c.other, i/2), "?", string(rune('A'+i%7)))
				}
				return fmt.Sprintf(c.plain, i/2)
			}))
			if got != c.want || p.Columns[0].Form != c.form {
				t.Errorf("%s with %q, want %s with %q", p.Columns[0].Form, got, c.form, c.want)
			}
		})
	}
}

// TestFrequentMarkAmongNumbers scans a column of numbers in which every twentieth cell is a mark.
func TestFrequentMarkAmongNumbers(t *testing.T) {
	t.Parallel()
	p, got := numberWarnings(t, tabletest.Cells(400, func(i int) string {
		switch {
		case i%20 == 1:
			return "~"
		case i%10 == 0:
			return fmt.Sprintf("%d.5 miles", i)
		}
		return fmt.Sprintf("%d.5 km", i)
	}))
	want := `the first of these texts is "0.5 miles" in line 2, and the most frequent is "~" (20 rows)`
	if p.Columns[0].Form == inference.FormNumeric || !strings.Contains(got, want) {
		t.Errorf("%s with %q, want %q", p.Columns[0].Form, got, want)
	}
	for _, mark := range []string{"..", ":", "[c]", "…"} {
		p, got := numberWarnings(t, tabletest.Cells(200, func(i int) string {
			if i%3 == 1 {
				return mark
			}
			return fmt.Sprintf("%d.5", i)
		}))
		if p.Columns[0].Form != inference.FormNumeric || got != "" {
			t.Errorf("%s: %s with %q, want numbers without a warning", mark, p.Columns[0].Form, got)
		}
	}
}

// TestMixedNumbers scans columns whose numbers alternate between two formats.
func TestMixedNumbers(t *testing.T) {
	t.Parallel()
	mixed := func(noun, first, second string) string {
		return fmt.Sprintf("the column is read as a category, because its numbers have different %s: in 100 rows, the numbers are like %q (line 2), but in 100 rows, like %q (line 3)", noun, first, second)
	}
	for name, c := range map[string]struct {
		first, second string // formats of the cells
		form          inference.Form
		want          string
	}{
		"decimal_separators":      {"%d.5", "%d,5", inference.FormCategory, mixed("decimal separators", "0.5", "0,5")},
		"currencies":              {"$%d", "€%d", inference.FormCategory, mixed("units", "$0", "€0")},
		"one_currency":            {"%d EUR", "%d €", inference.FormNumeric, ""},
		"one_currency_both_sides": {"$%d", "US$%d", inference.FormNumeric, ""},
		"trailing_minus":          {"%d.5", "%d.5-", inference.FormNumeric, ""},
		"weights":                 {"%d g", "%d kg", inference.FormText, strings.Replace(mixed("units", "0 g", "0 kg"), "a category", "text", 1)},
		"debits_and_credits":      {"%d,5 H", "%d,5 S", inference.FormText, strings.Replace(mixed("units", "0,5 H", "0,5 S"), "a category", "text", 1)},
		"seconds_and_hours":       {"%d.5 s", "%d.5 h", inference.FormNumeric, ""},
		"iso_seconds_and_hours":   {"PT%dS", "PT%dH", inference.FormNumeric, ""},
		"house_numbers":           {"%da", "%db", inference.FormText, ""},
		"ordinals":                {"%d1st", "%d2nd", inference.FormText, ""},
		"times_of_day":            {"%dam", "%dpm", inference.FormText, ""},
		"glued_words":             {"%dFAIL", "%dPASS", inference.FormText, ""},
		"glued_units":             {"%dmg", "%dkg", inference.FormText, strings.Replace(mixed("units", "0mg", "0kg"), "a category", "text", 1)},
		"words":                   {"town %d", "street %d", inference.FormText, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, got := numberWarnings(t, tabletest.Cells(200, func(i int) string {
				return fmt.Sprintf([]string{c.first, c.second}[i%2], i/2)
			}))
			if got != c.want || p.Columns[0].Form != c.form {
				t.Errorf("%s with %q, want %s with %q", p.Columns[0].Form, got, c.form, c.want)
			}
		})
	}
}

// TestDurationsAmongNumbers scans columns of numbers without a unit and of durations. If there are
// more numbers than durations, they may be seconds, so the durations are missing.
func TestDurationsAmongNumbers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		every int // one of this number of cells is a number, the others are durations, or the other way round
		plain bool
		form  inference.Form
		want  string
	}{
		"few_durations": {250, true, inference.FormNumeric, `the column has numbers, but text in 4 rows, such as "1:02:00" in line 2; such text is treated as missing`},
		"few_numbers":   {4, false, inference.FormNumeric, `the column has durations in 750 rows (median 8.03694 hours), but numbers without a unit in 250 rows (median 498.3), such as "0.3" in line 2; these numbers are also read as hours`},
	} {
		t.Run(name, func(t *testing.T) {
			p, got := numberWarnings(t, tabletest.Cells(1000, func(i int) string {
				if (i%c.every == 0) == c.plain {
					return fmt.Sprintf("%d:02:%02d", i%14+1, i%60)
				}
				return fmt.Sprintf("%d.3", i)
			}))
			if got != c.want || p.Columns[0].Form != c.form {
				t.Errorf("%s with %q, want %s with %q", p.Columns[0].Form, got, c.form, c.want)
			}
		})
	}
}

// TestCompoundsAmongOtherNumbers scans columns with a few durations, ages or scores. The other
// numbers are not in the unit of these.
func TestCompoundsAmongOtherNumbers(t *testing.T) {
	t.Parallel()
	const stray = `the column has numbers, but %s, such as %s in line 2; such text is treated as missing`
	for name, c := range map[string]struct {
		every    int // one of this number of cells has the compound
		compound string
		plain    string // the format of the other cells
		form     inference.Form
		want     string
	}{
		"ages":        {200, "1y 1m", "%d", inference.FormNumeric, fmt.Sprintf(stray, "text in 2 rows", `"1y 1m"`)},
		"metres":      {200, "1h 5m", "%d m", inference.FormNumeric, fmt.Sprintf(stray, "text in 2 rows", `"1h 5m"`)},
		"minutes":     {200, "1 h 5 min", "%d min", inference.FormNumeric, ""},
		"minutes_m":   {5, "1h 5m", "%dm", inference.FormNumeric, ""},
		"scores":      {200, "8/10", "%d", inference.FormNumeric, fmt.Sprintf(stray, "text in 2 rows", `"8/10"`)},
		"one_score":   {400, "118/120", "%d", inference.FormNumeric, fmt.Sprintf(stray, "text in 1 row", `"118/120"`)},
		"many_scores": {1, "%d/70", "", inference.FormNumeric, ""},
		"one_number":  {400, "5", "%d/70", inference.FormNumeric, fmt.Sprintf(stray, "text in 1 row", `"5"`)},
	} {
		t.Run(name, func(t *testing.T) {
			p, got := numberWarnings(t, tabletest.Cells(400, func(i int) string {
				format := c.plain
				if i%c.every == 0 {
					format = c.compound
				}
				if strings.Contains(format, "%") {
					return fmt.Sprintf(format, 1+i%60)
				}
				return format
			}))
			if got != c.want || p.Columns[0].Form != c.form {
				t.Errorf("%s with %q, want %s with %q", p.Columns[0].Form, got, c.form, c.want)
			}
		})
	}
}

// TestGradesAreNotNegative scans grades of a school, whose minus is not a sign.
func TestGradesAreNotNegative(t *testing.T) {
	t.Parallel()
	p, _ := numberWarnings(t, tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d%s", i%5+1, []string{"", "+", "-"}[i/5%3]) }))
	if form := p.Columns[0].Form; form != inference.FormCategory {
		t.Errorf("%s", form)
	}
}

// TestHyphensAreNotNegative scans columns in which the hyphen after some numbers is not a sign.
func TestHyphensAreNotNegative(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		every int // one of this number of cells has a hyphen
		first int // the smallest number
		count int // how many different numbers there are
		form  inference.Form
		want  string
	}{
		"rare_grades": {200, 1, 6, inference.FormNumeric, `the column has numbers, but text in 2 rows, such as "1-" in line 2; such text is treated as missing`},
		"open_years":  {2, 1950, 75, inference.FormCategory, ""},
		"some_years":  {10, 1950, 75, inference.FormCategory, `most cells are numbers, but the column is read as a category, because it has too many different texts that are not numbers; the first of these texts is "1950-" in line 2`},
	} {
		t.Run(name, func(t *testing.T) {
			p, got := numberWarnings(t, tabletest.Cells(400, func(i int) string {
				hyphen := ""
				if i%c.every == 0 {
					hyphen = "-"
				}
				return fmt.Sprintf("%d%s", c.first+i%c.count, hyphen)
			}))
			if got != c.want || p.Columns[0].Form != c.form {
				t.Errorf("%s with %q, want %s with %q", p.Columns[0].Form, got, c.form, c.want)
			}
		})
	}
}

// TestMetresAmongThousands checks that 5.3k is read as a number, although 1.3m is not a number and
// seems to have a unit.
func TestMetresAmongThousands(t *testing.T) {
	p, got := numberWarnings(t, tabletest.Cells(300, func(i int) string {
		if i%75 == 7 {
			return fmt.Sprintf("1.%dm", i/75)
		}
		return fmt.Sprintf("%d.%dk", i/10, i%10)
	}))
	want := `the column has numbers, but text in 4 rows, such as "1.0m" in line 9; such text becomes another feature`
	if p.Columns[0].Form != inference.FormNumeric || p.Columns[0].Missing != 4 || got != want {
		t.Errorf("%s, %d missing: %s", p.Columns[0].Form, p.Columns[0].Missing, got)
	}
}

// TestFewNumbersAreCodes scans a column with few different numbers and more than a tenth of words,
// such as the grades of a school.
func TestFewNumbersAreCodes(t *testing.T) {
	t.Parallel()
	p, got := numberWarnings(t, tabletest.Cells(200, func(i int) string { return []string{"1", "2", "3", "4", "5", "6", "pass"}[i%7] }))
	if got != "" || p.Columns[0].Form != inference.FormCategory {
		t.Errorf("%s with %q", p.Columns[0].Form, got)
	}
}

// TestPartialUnit scans columns in which only some numbers have the unit.
func TestPartialUnit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		with, without string // formats of the cells; every fourth number has no unit
		want          string
	}{
		"percentages_and_fractions": {"%d.5%%", "0.%02[1]d5", `the numbers of 45 rows have the unit "%" (median 40.5), but the numbers of 15 rows, such as "0.105" in line 2, have no unit (median 0.385); all are read as if they had the same unit`},
		"the_same_scale":            {"%d km", "%d", ""},
		"zeros":                     {"%d km", "0", ""},
		"a_currency":                {"$%d,000", "%d", `the numbers of 45 rows have the unit "$" (median 40000), but the numbers of 15 rows, such as "10" in line 2, have no unit (median 38); all are read as if they had the same unit`},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := numberWarnings(t, tabletest.Cells(60, func(i int) string {
				format := c.with
				if i%4 == 0 {
					format = c.without
				}
				if strings.Contains(format, "%") {
					return fmt.Sprintf(format, i+10)
				}
				return format
			}))
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func scanText(t *testing.T, file string, opts profile.ScanOptions) *profile.Profile {
	t.Helper()
	p, err := profile.Scan(t.Context(), strings.NewReader(file), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// quoted returns the cells quoted for CSV.
func quoted(cells []string) []string {
	list := make([]string, len(cells))
	for i, cell := range cells {
		list[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return list
}
