package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

func TestCompare(t *testing.T) {
	// pets returns a file of 60 rows.
	pets := func(header string, row func(i int) string) string {
		file := header + "\n"
		for i := range 60 {
			file += fmt.Sprintf("r%d,%s\n", i, row(i))
		}
		return file
	}
	train := scanText(t, pets("id,age,weight,colour,kind", func(i int) string {
		return fmt.Sprintf("%d,%d.5,%s,%s", i%9, i, []string{"red", "black"}[i%2], []string{"cat", "dog"}[i/30])
	}), profile.ScanOptions{})
	if err := train.Err(); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"alike", pets("id,colour,age,weight", func(i int) string { return fmt.Sprintf("red,%d,%d.5", i%9, i) }), nil},
		{"missing_and_extra_columns", pets("id,colour,age,note,kind", func(i int) string { return fmt.Sprintf("red,%d,x,cat", i%9) }), []string{
			"defect missing-column weight: this column of the training file is missing",
			"warning extra-column note: the column is not in the training file, so it is copied to the result but not used to predict",
			"warning extra-column kind: the label is copied to the result and not used to predict",
		}},
		{"another_id", pets("key,colour,age,weight", func(i int) string { return fmt.Sprintf("red,%d,%d.5", i%9, i) }), []string{
			`warning other-id-name id: no column has this name, so the first column, "key", is the ID`,
		}},
		{"no_id", pets("age,colour,weight", func(i int) string { return fmt.Sprintf("red,%d.5", i) }), []string{
			`defect missing-column id: the ID column is missing, and the first column, "age", is a feature, not an ID`,
		}},
		{"other_cells", pets("id,colour,age,weight", func(i int) string {
			return fmt.Sprintf("%s,%s,%d.5", []string{"red", "blue", "green", "blue"}[i%4], []string{"old", "", ""}[i%3], i+40)
		}), []string{
			"warning more-missing age: 67 % of the rows have no value, compared with 0 % in training",
			"defect changed-kind age: the column has numbers in training, but texts here; the texts are treated as missing",
			"warning moved-range weight: the values range from 40.5 to 99.5; in training, they ranged from 0.5 to 59.5",
			`warning unseen-category colour: 45 rows (75 %) have one of 2 texts that the training file does not have, most often "blue"`,
		}},
		{"another_mean", pets("id,colour,age,weight", func(i int) string { return fmt.Sprintf("red,7,%d.5", i) }), []string{
			"warning moved-range age: the mean is 7, but 3.85 in training",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range Profiles(train, scanText(t, c.file, profile.ScanOptions{Blind: true, ID: train.Schema.ID})) {
				got = append(got, fmt.Sprintf("%s %s %s: %s", f.Severity, f.Code, f.Name, f.Message))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCompareForms(t *testing.T) {
	train := scanText(t, "id,when,price,note,k\na,13/1/2026,\"$1,000\",x,p\nb,2/2/2026,$20,y,q\nc,3/3/2026,$30,x,p\n", profile.ScanOptions{})
	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"alike", "id,when,price,note\na,14/1/2026,$500,x\n", nil},
		{"a_date_that_reads_two_ways", "id,when,price,note\na,1/12/2026,$20,x\n", nil},
		{"other_forms_and_range", "id,when,price,note\na,soon,$9999,x\n", []string{
			"changed-kind when: the column has dates in training, but texts here; the texts are treated as missing",
			"moved-range price: the values range from 9999 to 9999; in training, they ranged from 20 to 1000",
		}},
		{"another_time", "id,when,price,note\na,14/1/2029,$20,x\n", []string{
			"moved-range when: the values range from 2029-01-14 to 2029-01-14; in training, they ranged from 2026-01-13 to 2026-03-03",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range Profiles(train, scanText(t, c.file, profile.ScanOptions{Blind: true, ID: "id"})) {
				got = append(got, fmt.Sprintf("%s %s: %s", f.Code, f.Name, f.Message))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// If many columns have the same difference, there is one finding for all of them; if few
// have it, there is one for each.
func TestCompareManyColumns(t *testing.T) {
	file := func(columns, value int) string {
		var text strings.Builder
		text.WriteString("id")
		for i := range columns {
			fmt.Fprintf(&text, ",f%d", i)
		}
		text.WriteString(",kind\n")
		for row := range 40 {
			fmt.Fprintf(&text, "r%d%s,%s\n", row, strings.Repeat(fmt.Sprintf(",%d", value+row%7), columns), []string{"cat", "dog"}[row%2])
		}
		return text.String()
	}
	for columns, want := range map[int]int{minGroupedFindings - 1: minGroupedFindings - 1, 300: 1} {
		train, blind := scanText(t, strings.ReplaceAll(file(columns, 0), ",0", ",9"), profile.ScanOptions{}), scanText(t, file(columns, 500), profile.ScanOptions{Blind: true, ID: "id"})
		for i := range train.Columns { // all columns have the same profile
			train.Columns[i].Features = 1
		}
		var moved []Finding
		for _, f := range Profiles(train, blind) {
			if f.Code == csvfile.CodeMovedRange {
				moved = append(moved, f)
			}
		}
		if len(moved) != want {
			t.Fatalf("%d columns: %d findings", columns, len(moved))
		}
		const message = "300 columns of numbers have another range or mean than in training (f0, f1, f2, …)"
		if f := moved[0]; want == 1 && (f.Count != columns || f.Name != "" || f.Message != message) {
			t.Errorf("%+v", f)
		}
	}
}

// A column with two findings of the same code is counted once.
func TestCompareCountsColumnsOnce(t *testing.T) {
	t.Parallel()
	file := func(header, cell, label string) string {
		text := header
		for i := range minGroupedFindings {
			text += fmt.Sprintf(",f%d", i)
		}
		text += label + "\n"
		for i := range 40 {
			text += fmt.Sprintf("r%d%s", i, strings.Repeat(fmt.Sprintf(`,"`+cell+`"`, i+10), minGroupedFindings))
			if label != "" {
				text += []string{",cat", ",dog"}[i%2]
			}
			text += "\n"
		}
		return text
	}
	train := scanText(t, file("id", "%d.5%%", ",kind"), profile.ScanOptions{})
	for i := range train.Columns { // all columns have the same profile
		train.Columns[i].Features = 1
	}
	want := fmt.Sprintf("%d columns have another format than in training", minGroupedFindings)
	found := Profiles(train, scanText(t, file("id", "%d,5", ""), profile.ScanOptions{Blind: true, ID: "id"}))
	if len(found) == 0 || !strings.HasPrefix(found[0].Message, want) {
		t.Errorf("got %v, want %s", found, want)
	}
}

// The size of a file and the way in which numbers are written may change the inferred form
// of a column. Profiles therefore checks whether the values can be parsed.
func TestCompareCellsOfAnotherForm(t *testing.T) {
	file := func(rows int, cell func(i int) string) string {
		text := "id,x,kind\n"
		for i := range rows {
			text += fmt.Sprintf("r%d,%s,%s\n", i, cell(i), []string{"cat", "dog"}[i%2])
		}
		return text
	}
	compact := func(i int) string { return fmt.Sprintf("202001%02d", i%28+1) }
	dashed := func(i int) string { return fmt.Sprintf("2020-01-%02d", i%28+1) }
	plain := func(i int) string { return fmt.Sprint(7 * i) }
	dollars := func(i int) string { return fmt.Sprintf("$%d", 7*i) }
	percent := func(i int) string { return fmt.Sprintf("%d%%", i) }
	const percents = `numbers in 60 rows have another format than in training, most often "0%"; these numbers are treated as missing`
	for _, c := range []struct {
		name         string
		train, blind func(i int) string
		rows         int
		want         []string
	}{
		{"few_compact_dates", compact, compact, 5, nil},
		{"dashed_for_compact_dates", compact, dashed, 60, nil},
		{"numbers_for_dates", dashed, plain, 60, []string{"the column has dates in training, but numbers here; the numbers are treated as missing"}},
		{"dates_for_numbers", plain, dashed, 60, []string{"the column has numbers in training, but dates here; the dates are treated as missing"}},
		{"plain_for_dollars", dollars, plain, 60, []string{`the numbers have the unit "$" in training, but no unit here; the numbers here are read in the unit of training`}},
		{"plain_for_some_with_a_unit", func(i int) string { return []string{"2", "3", "4", "5more"}[i%4] }, func(i int) string { return fmt.Sprint(2 + i%3) }, 60, nil},
		{"percent_for_dollars", dollars, percent, 60, []string{percents}},
	} {
		t.Run(c.name, func(t *testing.T) {
			train := scanText(t, file(60, c.train), profile.ScanOptions{})
			blind := scanText(t, file(c.rows, c.blind), profile.ScanOptions{Blind: true, ID: "id"})
			var got []string
			for _, f := range Profiles(train, blind) {
				if f.Code != csvfile.CodeExtraColumn {
					got = append(got, f.Message)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCompareNamesMissingColumns(t *testing.T) {
	train := scanText(t, "id,a,b,c,d,e,f,g,h,i,j,k,l,kind\n1,1,2,3,4,5,6,7,8,9,10,11,12,cat\n2,0,0,0,0,0,0,0,0,0,0,0,0,dog\n", profile.ScanOptions{})
	blind := scanText(t, "id,a\n1,1\n", profile.ScanOptions{Blind: true, ID: "id"})
	var missing []Finding
	for _, f := range Profiles(train, blind) {
		if f.Code == csvfile.CodeMissingColumn {
			missing = append(missing, f)
		}
	}
	const message = `the columns "b", "c", "d", "e", "f", "g", "h", "i", "j", "k" and 1 more of the training file are missing`
	if len(missing) != 1 || missing[0].Count != 11 || missing[0].Message != message {
		t.Errorf("%+v", missing)
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

// TestWordsForMissingCategories compares a blind file that has NA with a training file that has empty
// cells instead. A training file with NA as a category has this category.
func TestWordsForMissingCategories(t *testing.T) {
	t.Parallel()
	file := func(header, word string, ends ...string) string {
		text := header
		for i := range 60 {
			text += fmt.Sprintf("r%d,%s,%d%s\n", i, []string{word, "red", "blue", "green"}[i%4], i%7, ends[i%len(ends)])
		}
		return text
	}
	blind := scanText(t, file("id,colour,n\n", "NA", ""), profile.ScanOptions{Blind: true})
	for word, want := range map[string]string{"": "", "NA": "", "black": `15 rows (25 %) have a text that the training file does not have: "NA"`} {
		got := ""
		for _, f := range Profiles(scanText(t, file("id,colour,n,label\n", word, ",x", ",y"), profile.ScanOptions{}), blind) {
			got += f.Message
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

// TestMixedNumbersAndTexts compares columns of numbers and texts. The training file and the blind file
// have the same values, but only one of them has more numbers than texts.
func TestMixedNumbersAndTexts(t *testing.T) {
	t.Parallel()
	var values strings.Builder
	for i := range 60 {
		fmt.Fprintf(&values, "%d.5 ", i+10)
	}
	moreTexts, moreNumbers := values.String()+strings.Repeat("L M ", 40), values.String()+strings.Repeat("L M ", 20)
	sizes := profile.TrainingColumn{Name: "x", Form: inference.FormCategory, Rows: 140, Distinct: 62, Texts: strings.Fields(values.String() + "L M")}
	numbers := profile.TrainingColumn{Name: "x", Form: inference.FormNumeric, NumberFormat: new(cells.NumberFormat), Rows: 140, Missing: 60}
	words := numbers
	words.Rows, words.Missing, words.SampleRows, words.SampleMissing, words.Min, words.Max = 0, 0, 24, 16, 10.5, 69.5
	words.Levels = []string{"L", "M"}
	for name, c := range map[string]struct {
		train, blind string
		known        profile.TrainingColumn
		profiles     string // the messages of Profiles
		knownOnly    string // those of TrainingColumns
	}{
		"category":                  {moreTexts, moreNumbers, sizes, "", ""},
		"category_with_empty_cells": {moreTexts, "- - - L M 44.5 45.5 46.5", sizes, "39 % of the rows have no value, compared with 0 % in training", "39 % of the rows have no value, compared with 0 % in training"},
		"words":                     {moreNumbers, moreTexts, words, "", ""},
		"words_and_n/a":             {moreNumbers, "n/a " + moreTexts, words, "", ""},
		"words_of_the_dataset": {
			moreNumbers, "L M", numbers, "",
			`the column has numbers in training, but text in 140 rows here, most often "L"; such text is treated as missing, unless the training file has it in several rows`,
		},
		"other_words": {
			moreNumbers, "low high low high 44.5", words,
			`the column has numbers in training, but text in 112 rows here, most often "low"; such text is treated as missing`,
			`the column has numbers in training, but text in 112 rows here, most often "low"; such text is treated as missing`,
		},
	} {
		train := scanText(t, fileOf(c.train, 140, true), profile.ScanOptions{})
		blind := scanText(t, fileOf(c.blind, 140, false), profile.ScanOptions{Blind: true, ID: "id"})
		for i, findings := range [][]Finding{Profiles(train, blind), TrainingColumns([]profile.TrainingColumn{c.known}, blind)} {
			got := ""
			for _, f := range findings {
				got += f.Message
			}
			if want := []string{c.profiles, c.knownOnly}[i]; got != want {
				t.Errorf("%s, %d: %q, want %q", name, i, got, want)
			}
		}
	}
}
