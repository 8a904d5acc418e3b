package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

func TestCompareKnown(t *testing.T) {
	blind := scanText(t, datesTable(false, "02/01/2006", ""), ScanOptions{Blind: true})
	words := scanText(t, strings.ReplaceAll(datesTable(false, "02/01/2006?", ""), "/", " or "), ScanOptions{Blind: true})
	for _, c := range []struct {
		known KnownColumn
		blind *Profile
		want  string
	}{
		{KnownColumn{Name: "when", Form: FormDate, DateOrder: DayFirst}, blind, ""},
		{KnownColumn{Name: "when", Form: FormDate}, blind, ""},
		{KnownColumn{Name: "when"}, words, ""},
		{KnownColumn{Name: "other", Form: FormDate, DateOrder: MonthFirst}, blind, ""},
		{KnownColumn{Name: "when", Form: FormDate, DateOrder: MonthFirst}, blind, csvfile.CodeDateOrder},
		{KnownColumn{Name: "when", Form: FormDate, DateOrder: DayFirst}, words, csvfile.CodeChangedKind},
		{KnownColumn{Name: "when", Form: FormNumeric}, words, csvfile.CodeChangedKind},
	} {
		got := ""
		for _, f := range CompareKnown([]KnownColumn{c.known}, c.blind) {
			got += f.Code
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.known, got, c.want)
		}
	}
}

// TestCompareKnownValues compares numbers and texts with what is known of the training file.
func TestCompareKnownValues(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("id,size,colour\n")
	for i := range 40 {
		fmt.Fprintf(&text, "r%d,%d,%s\n", i, i+10, []string{"red", "blue", "NA", "green"}[i%4])
	}
	blind := scanText(t, text.String(), ScanOptions{Blind: true})
	size := KnownColumn{Name: "size", Form: FormNumeric, HasRange: true, Min: 10, Max: 50}
	colour := KnownColumn{Name: "colour", Form: FormCategory, Distinct: 3, Texts: []string{"red", "blue", "NA"}}
	with := func(k KnownColumn, change func(k *KnownColumn)) KnownColumn { change(&k); return k }
	for name, c := range map[string]struct {
		known KnownColumn
		want  string
	}{
		"inside":               {size, ""},
		"above":                {with(size, func(k *KnownColumn) { k.Max = 20 }), "the values are from 10 to 49, but from 10 to 20 in training"},
		"no range":             {with(size, func(k *KnownColumn) { k.Max, k.HasRange = 20, false }), ""},
		"other text":           {colour, "10 rows (25 %) have a text that the training file does not have: \"green\""},
		"all texts":            {with(colour, func(k *KnownColumn) { k.Distinct, k.Texts = 4, append(k.Texts, "green") }), ""},
		"not all texts":        {with(colour, func(k *KnownColumn) { k.Distinct = 4 }), ""},
		"texts not categories": {with(colour, func(k *KnownColumn) { k.Form = FormText }), ""},
	} {
		got := ""
		for _, f := range CompareKnown([]KnownColumn{c.known}, blind) {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestBooleanCase compares booleans whose case differs, which a model treats as equal.
func TestBooleanCase(t *testing.T) {
	t.Parallel()
	file := func(header string, words ...string) string {
		text := header + "\n"
		for i := range 40 {
			text += fmt.Sprintf("r%d,%s,%d,%c\n", i, words[i%len(words)], i, "xy"[i%2])
		}
		return text
	}
	train := scanText(t, file("id,paid,n,label", "True", "False"), ScanOptions{})
	for name, c := range map[string]struct {
		words []string
		want  string
		rows  []int // of True and False
	}{
		"upper":      {[]string{"TRUE", "FALSE", "FALSE", "false"}, "", []int{10, 30}},
		"other_word": {[]string{"TRUE", "FALSE", "TRUE", "no"}, `10 rows (25 %) have a text that the training file does not have: "no"`, []int{20, 10}},
	} {
		blind := scanText(t, file("id,paid,n,note", c.words...), ScanOptions{Blind: true})
		for i, findings := range [][]Finding{
			Compare(train, blind),
			CompareKnown([]KnownColumn{{Name: "paid", Form: FormBoolean, Distinct: 2, Texts: []string{"True", "False"}}}, blind),
		} {
			got := ""
			for _, f := range findings {
				if f.Name == "paid" {
					got += f.Message
				}
			}
			if got != c.want {
				t.Errorf("%s, %d: %q, want %q", name, i, got, c.want)
			}
		}
		rows := blind.Columns[blind.ColumnIndex("paid")].CountTexts([]string{"True", "False"}, func(text string) string { return text })
		if !slices.Equal(rows, c.rows) {
			t.Errorf("%s: %v rows, want %v", name, rows, c.rows)
		}
	}
}

// TestCompareKnownNumberFormat compares numbers with the format of the numbers of the training file.
// Texts are ignored, because they may also be in the training file.
func TestCompareKnownNumberFormat(t *testing.T) {
	t.Parallel()
	plain, comma, percent := new(cells.NumberFormat), &cells.NumberFormat{DecimalComma: true}, &cells.NumberFormat{Unit: "%"}
	message := func(first string) string {
		return "40 rows have numbers in another format than in training, most often " + first + "; these numbers are treated as missing"
	}
	for name, c := range map[string]struct {
		known *cells.NumberFormat
		cell  string // the format of a number
		want  string
	}{
		"plain":                  {plain, "%d.5", ""},
		"thousands":              {plain, "%d,250.5", ""},
		"decimal comma":          {plain, "%d,5", message(`"10,5"`)},
		"unit":                   {plain, "%d%%", message(`"10%"`)},
		"decimal comma expected": {comma, "%d,5", ""},
		"decimal point":          {comma, "%d.5", message(`"10.5"`)},
		"unit expected":          {percent, "%d%%", ""},
		"no unit":                {percent, "%d.5", `the numbers have the unit "%" in training, but no unit here; they are read as numbers with this unit`},
		"unknown":                {nil, "%d,5", ""},
	} {
		var text strings.Builder
		text.WriteString("id,size,colour\n")
		for i := range 40 {
			fmt.Fprintf(&text, "r%d,\""+c.cell+"\",red\n", i, i+10)
		}
		text.WriteString("x,unknown,red\n")
		blind := scanText(t, text.String(), ScanOptions{Blind: true})
		got := ""
		for _, f := range CompareKnown([]KnownColumn{{Name: "size", Form: FormNumeric, NumberFormat: c.known}}, blind) {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
