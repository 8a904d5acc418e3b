package profile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// featuresOf returns the names of the features of a profile.
func featuresOf(p *Profile) []string {
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
		form     Form
		features []string
	}{
		{"iso_dates", cellsOf(200, format("%04d-%02d-%02d", 0, 1, 2)), FormDate, dates},
		{"german_dates", cellsOf(200, format("%02d.%02d.%d", 2, 1, 0)), FormDate, dates},
		{"american_dates", cellsOf(200, format("%d/%d/%d", 1, 2, 0)), FormDate, dates},
		{"british_dates", cellsOf(200, format("%d/%d/%d", 2, 1, 0)), FormDate, dates},
		{"compact_dates", cellsOf(200, format("%04d%02d%02d", 0, 1, 2)), FormDate, dates},
		{"dates_of_one_month", cellsOf(200, func(i int) string { return fmt.Sprintf("2020-02-%02d", 1+i%28) }), FormDate, []string{"x.time", "x.day", "x.weekday"}},
		{"timestamps", cellsOf(200, func(i int) string { return fmt.Sprintf("2020-%02d-%02d %02d:30", 1+i%12, 1+i%28, i%24) }), FormDate, append(dates[:4:4], "x.hour")},
		{"times_of_day", cellsOf(200, func(i int) string { return fmt.Sprintf("%02d:%02d", i%24, i%60) }), FormTime, []string{"x.hour"}},
		{"dates_with_a_few_words", append(cellsOf(300, format("%04d-%02d-%02d", 0, 1, 2)), "unknown", "never", "NA", ""), FormDate, dates},
		{"one_date_among_words", cellsOf(200, func(i int) string { return []string{"1-2-03", "plan", "5-7-09"}[i%3] }), FormCategory, []string{"x"}},
		{"numbers_of_eight_digits", cellsOf(200, func(i int) string { return strconv.Itoa(20_190_101 + 37*i) }), FormNumeric, []string{"x"}},
		{"prices", cellsOf(200, price), FormNumeric, []string{"x"}},
		{"percents", cellsOf(200, func(i int) string { return strconv.Itoa(i%70) + "%" }), FormNumeric, []string{"x"}},
		{"two_terms", cellsOf(200, func(i int) string { return strconv.Itoa(36+24*(i%2)) + " months" }), FormNumeric, []string{"x"}},
		{"decimal_commas", cellsOf(200, func(i int) string { return strconv.Itoa(i) + ",5" }), FormNumeric, []string{"x"}},
		{"indian_groups", cellsOf(200, func(i int) string { return fmt.Sprintf("₹%d,%02d,%03d", i%9+1, i%100, i*4) }), FormNumeric, []string{"x"}},
		{"currency_codes", cellsOf(200, func(i int) string { return fmt.Sprintf([]string{"USD %d", "%d USD"}[i%2], 3*i) }), FormNumeric, []string{"x"}},
		{"minus_signs", cellsOf(200, func(i int) string { return []string{"\u2212", ""}[i%2] + strconv.Itoa(i) }), FormNumeric, []string{"x"}},
		{"numbers_with_a_frequent_word", append(cellsOf(100, func(i int) string { return strconv.Itoa(i * i) }), cellsOf(50, func(int) string { return "unlimited" })...), FormNumeric, []string{"x", "x.text"}},
		{"zip_codes", cellsOf(200, func(i int) string { return fmt.Sprintf("%05d", 7*(i%60)+900) }), FormNumeric, []string{"x", "x.code"}},
		{"yes_and_no", cellsOf(200, func(i int) string { return []string{"Yes", "no"}[i%2] }), FormBoolean, []string{"x"}},
		{"names_of_rows", cellsOf(200, func(i int) string { return fmt.Sprintf("K%04dX", i*i) }), FormCategory, []string{}},
		{"uuids", cellsOf(200, func(int) string {
			return fmt.Sprintf("%08x-%04x-4a00-%012x", rng.Uint32(), rng.IntN(1<<16), rng.Uint64()>>16)
		}), FormCategory, []string{}},
		{"row_counter", cellsOf(200, func(i int) string { return strconv.Itoa(1000 + (i*77)%200) }), FormNumeric, []string{}},
		{"rising_amounts", cellsOf(200, func(i int) string { return strconv.Itoa(3 * i) }), FormNumeric, []string{"x"}},
		{"cabins", cellsOf(200, func(i int) string { return string(rune('A'+i%4)) + strconv.Itoa(i) }), FormText, []string{"x.text", "x.length", "x.words", "x:a", "x:b", "x:c", "x:d"}},
		{"constant", cellsOf(200, func(int) string { return "7" }), FormNumeric, []string{}},
		{"constant_but_for_gaps", cellsOf(200, func(i int) string { return []string{"7", ""}[i%2] }), FormNumeric, []string{"x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := column(quoted(c.cells)...)
			p := scanText(t, file, ScanOptions{})
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
				if n := len(valuesOf(f, i)) + len(f.Columns[i].Codes) + len(f.Columns[i].Texts); n != len(c.cells) || (i == 0 && c.form != FormText && missing != p.Columns[0].Missing) {
					t.Errorf("%s: %d cells, %d of them missing, %d in the profile", p.Schema.Columns[i].Name, n, missing, p.Columns[0].Missing)
				}
			}
		})
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
	for _, c := range []struct {
		name string
		cell func(i int) string
		form Form
	}{
		{"dates", func(i int) string {
			return fmt.Sprintf("2020-03-%02d %02d:%02d:%02d", 1+i/9_000, i/360%24, i/6%60, i%6)
		}, FormDate},
		{"amounts", func(i int) string { return fmt.Sprintf("$%d.25", i) }, FormNumeric},
		{"words", func(i int) string { return fmt.Sprintf("good %d bad %d", i, i%7) }, FormText},
		{"names", func(i int) string { return fmt.Sprintf("ab%dxy", i) }, FormCategory},
	} {
		t.Run(c.name, func(t *testing.T) {
			stats := ColumnStats{limits: memoryLimits{maxTexts: 100, maxHashes: 4_096, sampleBytes: maxSampleBytes}}
			for i := range 20_000 {
				stats.addCell([]byte(c.cell(i)), i+2)
				if len(stats.texts.values) == 1_000 {
					stats.texts.evictRareTexts(stats.texts.bytes/2, &stats.limits)
				}
			}
			j := stats.infer()
			p := stats.profile(&j)
			if j.form != c.form || p.Form != c.form || p.Distinct > 20_000 || p.Distinct < 17_000 || p.Missing != 0 {
				t.Errorf("%+v", p)
			}
			if n := len(stats.features("x", &j)); (n == 0) != (c.name == "names") {
				t.Errorf("%d features", n)
			}
		})
	}
}

func TestDuplicateColumns(t *testing.T) {
	file := "id,name,copy,code,number,other,y\n"
	for i := range 120 {
		k := i * i % 7
		file += fmt.Sprintf("%d,n%d,n%d,%c,%d,%d,%c\n", i, k, k, 'z'-k, k, (i+1)*i%5, 'a'+i%2)
	}
	p := scanText(t, file, ScanOptions{})
	if d := cmp.Diff([]string{"name", "number", "other"}, featuresOf(p)); d != "" {
		t.Error(d)
	}
	var same []string
	for _, w := range p.Warnings {
		if w.Code == csvfile.CodeEqualColumn {
			same = append(same, w.String())
		}
	}
	want := []string{"line 1, column 3 (copy): 2 columns have the same content as an earlier column, or exactly one text for each of its values, so they are not used (copy, code)"}
	if d := cmp.Diff(want, same); d != "" {
		t.Error(d)
	}
}

// TestDuplicateColumnNamesTheOther expects a name and no number, because columns of the file may be
// at other positions than those of the table.
func TestDuplicateColumnNamesTheOther(t *testing.T) {
	for place, want := range map[string]string{
		"n%d":    `the column has the same content as the column "town", so it is not used`,
		"~%d km": `the column has exactly one text for each value of the column "town", so it is not used`,
	} {
		file := "id,town,place,y\n"
		for i := range 120 {
			file += fmt.Sprintf("%d,n%d,"+place+",%c\n", i, i*i%7, i*i%7, 'a'+i%2)
		}
		if p := scanText(t, file, ScanOptions{}); !slices.ContainsFunc(p.Warnings, func(w csvfile.Warning) bool { return w.Message == want }) {
			t.Errorf("%s: %+v", place, p.Warnings)
		}
	}
}

func TestCommasInABlindFileAreRead(t *testing.T) {
	schema := &frame.Schema{ID: "id", Columns: []frame.ColumnSchema{{Name: "x"}}}
	f, err := frame.Load(t.Context(), strings.NewReader("id,x\n1,\"1,234.5\"\n2,$5\n3,7\n"), schema, frame.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if x := valuesOf(f, 0); x[0] != 1234.5 || x[1] == x[1] || x[2] != 7 {
		t.Error(x)
	}
}

func TestEqualNumbersInAnotherOrderAreNotDuplicates(t *testing.T) {
	file, last := "id,up,down,same,y\n", 4_000 // more than are counted as texts
	for i := range last {
		file += fmt.Sprintf("%d,%d,%d,%d.0,%c\n", i, 2*i, 2*(last-1-i), 2*i, 'a'+i%2)
	}
	p := scanText(t, file, ScanOptions{})
	if d := cmp.Diff([]string{"up", "down"}, featuresOf(p)); d != "" {
		t.Error(d)
	}
}

func TestSpacesAroundCategoriesDoNotCount(t *testing.T) {
	file := column("red", " red", "red\t", "blue", " ", "")
	p := scanText(t, file, ScanOptions{})
	f := loadText(t, file, p.Schema)
	if d := cmp.Diff([]int32{1, 1, 1, 0, frame.Missing, frame.Missing}, f.Columns[0].Codes); d != "" {
		t.Error(d, p.Schema.Columns[0].Levels)
	}
}

func TestWordFeatures(t *testing.T) {
	for text, want := range map[string]string{
		"Don't STOP, stop!":          "dont stop stop",
		"C85 3rd b2b 2006":           "c 85 3 rd b2b 2006",
		"Grüße ÉTÉ":                  "grüße été",
		"日本 abc":                     "日 本 abc",
		"3f2504e0-4f89-11d3-9a0c-03": "",
		"  ":                         "",
	} {
		var got []string
		new(cells.Tokenizer).Tokenize([]byte(text), func(word []byte) { got = append(got, string(word)) })
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}
