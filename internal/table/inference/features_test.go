package inference_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

// featuresOf returns the names of the features of a profile.
func featuresOf(p *profile.Profile) []string {
	names := []string{}
	for i := range p.Schema.Columns {
		names = append(names, p.Schema.Columns[i].Name)
	}
	return names
}

// quoted returns the cells quoted for CSV.
func quoted(cells []string) []string {
	list := make([]string, len(cells))
	for i, cell := range cells {
		list[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return list
}

func TestForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	day := func(int) (year, month, day int) { return cells.CivilFromDays(15_000 + rng.IntN(2_000)) }
	format := func(f string, order ...int) func(i int) string {
		return func(i int) string {
			year, month, of := day(i)
			parts := []any{year, month, of}
			return fmt.Sprintf(f, parts[order[0]], parts[order[1]], parts[order[2]])
		}
	}
	dates := []string{"x.time", "x.month", "x.day", "x.weekday"}
	price := func(i int) string { return fmt.Sprintf("$%d,%03d.50", 1+rng.IntN(9), rng.IntN(1000)) }
	for _, c := range []struct {
		name     string
		cells    []string
		form     inference.Form
		features []string
	}{
		{"iso_dates", tabletest.Cells(200, format("%04d-%02d-%02d", 0, 1, 2)), inference.FormDate, dates},
		{"german_dates", tabletest.Cells(200, format("%02d.%02d.%d", 2, 1, 0)), inference.FormDate, dates},
		{"american_dates", tabletest.Cells(200, format("%d/%d/%d", 1, 2, 0)), inference.FormDate, dates},
		{"british_dates", tabletest.Cells(200, format("%d/%d/%d", 2, 1, 0)), inference.FormDate, dates},
		{"compact_dates", tabletest.Cells(200, format("%04d%02d%02d", 0, 1, 2)), inference.FormDate, dates},
		{"dates_of_one_month", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("2020-02-%02d", 1+i%28) }), inference.FormDate, []string{"x.time", "x.day", "x.weekday"}},
		{"timestamps", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("2020-%02d-%02d %02d:30", 1+i%12, 1+i%28, i%24) }), inference.FormDate, append(dates[:4:4], "x.hour")},
		{"times_of_day", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%02d:%02d", i%24, i%60) }), inference.FormTime, []string{"x.hour"}},
		{"times_with_seconds", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d:%02d:05", i%24, i%60) }), inference.FormTime, []string{"x.hour"}},
		{"durations", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d:%02d:05", i%40, i%60) }), inference.FormNumeric, []string{"x"}},
		{"a_few_durations_of_more_than_a_day", append(tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d:%02d:05", i%24, i%60) }), "26:30:00", "", "NA"), inference.FormNumeric, []string{"x"}},
		{"durations_of_python", tabletest.Cells(200, func(i int) string {
			return []string{"", "1 day, ", "2 days, "}[i%3] + fmt.Sprintf("%d:%02d:05", i%24, i%60)
		}), inference.FormNumeric, []string{"x"}},
		{"iso_durations", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("PT%dH%dM", i%30, i%60) }), inference.FormNumeric, []string{"x"}},
		{"durations_with_units", tabletest.Cells(200, func(i int) string {
			return []string{fmt.Sprintf("%dh %dm", i%20, i%60), fmt.Sprintf("%d min", i%60), fmt.Sprintf("%d h %d min", i%20, i%60)}[i%3]
		}), inference.FormNumeric, []string{"x"}},
		{"minutes_and_seconds", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%dm%02ds", i%90, i%60) }), inference.FormNumeric, []string{"x"}},
		{"ages", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%dy %dm", i%90, i%12) }), inference.FormNumeric, []string{"x"}},
		{"scores", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d.5/100", i%90) }), inference.FormNumeric, []string{"x"}},
		{"several_totals", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d/%d", i%4, 10+i%7) }), inference.FormCategory, []string{"x"}},
		{"months_of_a_year", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d/2024", 1+i%12) }), inference.FormCategory, []string{"x"}},
		{"approximate_numbers", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("~%d.5", i%90) }), inference.FormNumeric, []string{"x"}},
		{"numbers_with_errors", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d.5 ± 0.%d", i%90, i%7) }), inference.FormNumeric, []string{"x"}},
		{"powers_of_ten", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%d.5×10^%d/L", i%90, 3+i%3) }), inference.FormNumeric, []string{"x"}},
		{"basic_timestamps", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("2020%02d%02dT%02d3000Z", 1+i%12, 1+i%28, i%24) }), inference.FormDate, append(dates[:4:4], "x.hour")},
		{"timestamps_of_web_servers", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%02d/Mar/20%02d:%02d:30:00 +0100", 1+i%28, 10+i%9, i%24) }), inference.FormDate, []string{"x.time", "x.day", "x.weekday", "x.hour"}},
		{"a_duration_of_more_than_a_day_and_a_word", append(tabletest.Cells(120, func(i int) string { return fmt.Sprintf("%d:%02d:05", i%24, i%60) }), "26:30:00", "DNF"), inference.FormNumeric, []string{"x"}},
		{"times_without_seconds_and_a_duration", append(tabletest.Cells(120, func(i int) string { return fmt.Sprintf("%d:%02d", i%24, i%60) }), "26:30:00"), inference.FormTime, []string{"x.hour"}},
		{"dates_and_a_duration", append(tabletest.Cells(120, format("%04d-%02d-%02d", 0, 1, 2)), "26:30:00"), inference.FormDate, dates},
		{"codes_of_three_groups", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("24:02:%02d", i%5) }), inference.FormCategory, []string{"x"}},
		{"few_durations_with_fractions", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("24:02:%02d.5", i%5) }), inference.FormNumeric, []string{"x"}},
		{"few_rows_with_durations", []string{"26:30:00", "30:00:00", "10:15:00", "26:30:00"}, inference.FormNumeric, []string{"x"}},
		{"durations_and_other_times", tabletest.Cells(200, func(i int) string { return []string{"26:30:00", "2020-01-01", "soon"}[i%3] }), inference.FormCategory, []string{"x"}},
		{"dates_with_a_few_words", append(tabletest.Cells(300, format("%04d-%02d-%02d", 0, 1, 2)), "unknown", "never", "NA", ""), inference.FormDate, dates},
		{"one_date_among_words", tabletest.Cells(200, func(i int) string { return []string{"1-2-03", "plan", "5-7-09"}[i%3] }), inference.FormCategory, []string{"x"}},
		{"numbers_of_eight_digits", tabletest.Cells(200, func(i int) string { return strconv.Itoa(20_190_101 + 37*i) }), inference.FormNumeric, []string{"x"}},
		{"prices", tabletest.Cells(200, price), inference.FormNumeric, []string{"x"}},
		{"percents", tabletest.Cells(200, func(i int) string { return strconv.Itoa(i%70) + "%" }), inference.FormNumeric, []string{"x"}},
		{"two_terms", tabletest.Cells(200, func(i int) string { return strconv.Itoa(36+24*(i%2)) + " months" }), inference.FormNumeric, []string{"x"}},
		{"decimal_commas", tabletest.Cells(200, func(i int) string { return strconv.Itoa(i) + ",5" }), inference.FormNumeric, []string{"x"}},
		{"indian_groups", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("₹%d,%02d,%03d", i%9+1, i%100, i*4) }), inference.FormNumeric, []string{"x"}},
		{"currency_codes", tabletest.Cells(200, func(i int) string { return fmt.Sprintf([]string{"USD %d", "%d USD"}[i%2], 3*i) }), inference.FormNumeric, []string{"x"}},
		{"minus_signs", tabletest.Cells(200, func(i int) string { return []string{"\u2212", ""}[i%2] + strconv.Itoa(i) }), inference.FormNumeric, []string{"x"}},
		{"numbers_with_a_frequent_word", append(tabletest.Cells(100, func(i int) string { return strconv.Itoa(i * i) }), tabletest.Cells(50, func(int) string { return "unlimited" })...), inference.FormNumeric, []string{"x", "x.text"}},
		{"zip_codes", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("%05d", 7*(i%60)+900) }), inference.FormNumeric, []string{"x", "x.code"}},
		{"yes_and_no", tabletest.Cells(200, func(i int) string { return []string{"Yes", "no"}[i%2] }), inference.FormBoolean, []string{"x"}},
		{"names_of_rows", tabletest.Cells(200, func(i int) string { return fmt.Sprintf("K%04dX", i*i) }), inference.FormCategory, []string{}},
		{"names_of_25_rows", tabletest.Cells(25, func(i int) string { return fmt.Sprintf("Kid %d", i) }), inference.FormCategory, []string{}},
		{"names_of_25_rows_one_of_them_twice", tabletest.Cells(25, func(i int) string { return fmt.Sprintf("Kid %d", max(i, 1)) }), inference.FormCategory, []string{"x"}},
		{"names_of_a_few_rows", tabletest.Cells(9, func(i int) string { return fmt.Sprintf("Kid %d", i) }), inference.FormCategory, []string{"x"}},
		{"uuids", tabletest.Cells(200, func(int) string {
			return fmt.Sprintf("%08x-%04x-4a00-%012x", rng.Uint32(), rng.IntN(1<<16), rng.Uint64()>>16)
		}), inference.FormCategory, []string{}},
		{"row_counter", tabletest.Cells(200, func(i int) string { return strconv.Itoa(1 + (i*77)%200) }), inference.FormNumeric, []string{}},
		{"years", tabletest.Cells(200, func(i int) string { return strconv.Itoa(1800 + i) }), inference.FormNumeric, []string{"x"}},
		{"rising_amounts", tabletest.Cells(200, func(i int) string { return strconv.Itoa(3 * i) }), inference.FormNumeric, []string{"x"}},
		{"cabins", tabletest.Cells(200, func(i int) string { return string(rune('A'+i%4)) + strconv.Itoa(i) }), inference.FormText, []string{"x.text", "x.length", "x.words", "x:a", "x:b", "x:c", "x:d", "x.prefix1"}},
		{"constant", tabletest.Cells(200, func(int) string { return "7" }), inference.FormNumeric, []string{}},
		{"constant_but_for_gaps", tabletest.Cells(200, func(i int) string { return []string{"7", ""}[i%2] }), inference.FormNumeric, []string{"x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := tabletest.Column(quoted(c.cells)...)
			p := scanText(t, file, profile.ScanOptions{})
			if p.Columns[0].Form != c.form {
				t.Errorf("%s, want %s", p.Columns[0].Form, c.form)
			}
			if d := cmp.Diff(c.features, featuresOf(p)); d != "" {
				t.Error(d)
			}
			if !p.Schema.Valid() || p.Columns[0].Features != len(c.features) {
				t.Errorf("schema is valid: %v; %d features in the profile", p.Schema.Valid(), p.Columns[0].Features)
			}
			f := loadText(t, file, p.Schema)
			for i := range f.Columns {
				missing := 0
				for _, v := range valuesOf(f, i) {
					if v != v {
						missing++
					}
				}
				if n := len(valuesOf(f, i)) + len(f.Columns[i].Codes) + len(f.Columns[i].Texts); n != len(c.cells) || (i == 0 && c.form != inference.FormText && missing != p.Columns[0].Missing) {
					t.Errorf("%s: %d cells, %d of them missing, %d in the profile", p.Schema.Columns[i].Name, n, missing, p.Columns[0].Missing)
				}
			}
		})
	}
}

// TestCommaOfDurations checks that the comma in 1 day, 2:03:04 is not a separator of thousands.
func TestCommaOfDurations(t *testing.T) {
	p := scanText(t, tabletest.Column(quoted(tabletest.Cells(40, func(i int) string { return fmt.Sprintf("%d days, 2:03:04", i) }))...), profile.ScanOptions{})
	if format := p.Columns[0].NumberFormat(); format == nil || *format != (cells.NumberFormat{Unit: cells.DurationUnit}) {
		t.Errorf("%+v", format)
	}
}

func loadText(t *testing.T, file string, schema *frame.Schema) *frame.Frame {
	t.Helper()
	f, err := frame.Load(t.Context(), strings.NewReader(file), schema, frame.LoadOptions{Labelled: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFormsOfEvictedTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	for _, c := range []struct {
		name string
		cell func(i int) string
		form inference.Form
	}{
		{"dates", func(i int) string {
			return fmt.Sprintf("2020-03-%02d %02d:%02d:%02d", 1+i/9_000, i/360%24, i/6%60, i%6)
		}, inference.FormDate},
		{"amounts", func(i int) string { return fmt.Sprintf("$%d.25", i) }, inference.FormNumeric},
		{"words", func(i int) string { return fmt.Sprintf("good %d bad %d", i, i%7) }, inference.FormText},
		{"names", func(i int) string { return fmt.Sprintf("ab%dxy", i) }, inference.FormCategory},
	} {
		t.Run(c.name, func(t *testing.T) {
			columns, budget := columnstats.NewColumns(1, 40_000) // a few hundred texts fit in this memory
			stats := &columns[0]
			for i := range 20_000 {
				stats.AddCell([]byte(c.cell(i)), i+2)
				if i%1_000 == 999 {
					budget.CountInputAndEvict(columns, 5<<20, 1) // many bytes, so that texts are evicted now
				}
			}
			if stats.KnowsAllTexts() {
				t.Error("no text was evicted")
			}
			j := inference.Infer(stats)
			p, _ := profile.Describe(stats)
			if j.Form != c.form || p.Form != c.form || p.Distinct > 20_000 || p.Distinct < 17_000 || p.Missing != 0 {
				t.Errorf("%+v", p)
			}
			if n := len(inference.Features(stats, "x", &j)); (n == 0) != (c.name == "names") {
				t.Errorf("%d features", n)
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

// valuesOf returns the values of a numeric column, or nil for a category.
func valuesOf(f *frame.Frame, column int) []float64 {
	c := &f.Columns[column]
	if !c.IsNumeric() {
		return nil
	}
	return c.Values(make([]float64, f.Rows), 0, f.Rows)
}
