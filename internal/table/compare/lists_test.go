package compare

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// TestNewListsAndCodes checks that new lists, and new codes of a column that has nearly as many codes as
// rows, are usual, but not another separator of a list.
func TestNewListsAndCodes(t *testing.T) {
	file := func(separator string, from int, label string) string {
		var b strings.Builder
		b.WriteString("id,tags,code" + strings.ReplaceAll(label, "x", "y") + "\n")
		for i := range 100 {
			var tags []string
			for bit, tag := range strings.Fields("C C++ C# Go R") {
				if (from+i)%31>>bit&1 == 1 || bit == i%5 {
					tags = append(tags, tag)
				}
			}
			fmt.Fprintf(&b, "r%d,%q,%s-%05d%s\n", i, strings.Join(tags, separator), []string{"AB", "CD", "EF"}[i%3], (from+i)*7919%90_000, strings.ReplaceAll(label, "x", string(rune('a'+i%2))))
		}
		return b.String()
	}
	train := scanText(t, file(";", 0, ",x"), profile.ScanOptions{})
	for separator, want := range map[string]string{
		";": "",
		"|": `tags: the items of the lists are separated by ";" in training, but by "|" here, so the items are not found`,
	} {
		blind := scanText(t, file(separator, 1000, ""), profile.ScanOptions{Blind: true, ID: "id"})
		known := profile.TrainingColumn{Name: "tags", ListSeparator: ";", Form: inference.FormCategory, Rows: 100, Distinct: 31, Texts: []string{"a"}, TextRows: 90}
		for kind, findings := range map[string][]Finding{"profile": Profiles(train, blind), "known": TrainingColumns([]profile.TrainingColumn{known}, blind)} {
			var got []string
			for _, f := range findings {
				got = append(got, f.Name+": "+f.Message)
			}
			if strings.Join(got, "\n") != want {
				t.Errorf("%s, %s: %q, want %q", separator, kind, got, want)
			}
		}
	}
}

// TestPartsOfListsAndCodes checks that items of lists and first characters of codes that the training
// file does not have, or has in another spelling, are reported.
func TestPartsOfListsAndCodes(t *testing.T) {
	file := func(from int, label string, change func(tags, code string) string) string {
		var b strings.Builder
		b.WriteString("id,tags,code" + label + "\n")
		for i := range 100 {
			var tags []string
			for bit, tag := range strings.Fields("Cpp Java Rust Go Perl") {
				if (from+i)%31>>bit&1 == 1 || bit == i%5 {
					tags = append(tags, tag)
				}
			}
			code := fmt.Sprintf("%s%05d", []string{"AB", "CD", "EF"}[i%3], (from+i)*7919%90_000)
			fmt.Fprintf(&b, "r%d,%s", i, change(strings.Join(tags, ";"), code))
			if label != "" {
				b.WriteString("," + string(rune('a'+i%2)))
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	same := func(tags, code string) string { return tags + "," + code }
	train := scanText(t, file(0, ",y", same), profile.ScanOptions{})
	model := []profile.TrainingColumn{
		{Name: "tags", ListSeparator: ";", Parts: strings.Fields("Cpp Go Java Perl Rust")},
		{Name: "code", PrefixLengths: []int{1, 2}, Parts: strings.Fields("A C E AB CD EF")},
	}
	dataset := []profile.TrainingColumn{
		{Name: "tags", Form: inference.FormCategory, ListSeparator: ";", Rows: 100, Distinct: 31, Texts: strings.Fields("Cpp;Java Java;Rust;Go Perl"), TextRows: 20},
	}
	const misspelledItems = "tags: 100 rows (100 %) have items that the training file has only in another spelling, such as"
	const misspelledCodes = "code: 100 rows (100 %) begin with characters that the training file has only in another spelling, such as"
	for name, c := range map[string]struct {
		change         func(tags, code string) string
		want           []string
		model, dataset []string // the findings if only the columns of a model or a dataset are known
	}{
		"new lists and codes": {change: same},
		"some in lower case": {change: func(tags, code string) string {
			return strings.Replace(tags, "Cpp", "cpp", 1) + "," + strings.Replace(code, "AB0000", "ab0000", 1)
		}, want: []string{"warning: tags: "}, model: []string{"warning: tags: "}},
		"lower case": {
			change: func(tags, code string) string { return strings.ToLower(tags + "," + code) },
			want: []string{
				"defect: " + misspelledItems,
				"defect: " + misspelledCodes,
			},
			model:   []string{"defect: " + misspelledItems, "defect: " + misspelledCodes},
			dataset: []string{"warning: " + misspelledItems},
		},
		"others": {
			change: func(tags, code string) string {
				return strings.ReplaceAll("Ada;"+tags, ";", "/") + "," + strings.NewReplacer("AB", "X", "CD", "Y", "EF", "Z").Replace(code)
			},
			want: []string{
				`warning: tags: 100 rows (100 %) have no item of the training file, whose items are separated by ";", most often`,
				`warning: code: 100 rows (100 %) begin with other characters than all texts of the training file, most often`,
			},
		},
	} {
		blind := scanText(t, file(1000, "", c.change), profile.ScanOptions{Blind: true, ID: "id"})
		expectFindings(t, name, Profiles(train, blind), c.want)
		expectFindings(t, name+", model", TrainingColumns(model, blind), c.model)
		expectFindings(t, name+", dataset", TrainingColumns(dataset, blind), c.dataset)
	}
	// A model does not know the rare items. Items in lower case are not new if it knows other such items.
	bothCases := []profile.TrainingColumn{{Name: "tags", ListSeparator: ";", Parts: strings.Fields("Cpp Go Java Perl rust")}}
	lower := scanText(t, file(1000, "", func(tags, code string) string { return strings.ToLower(tags) + "," + code }), profile.ScanOptions{Blind: true, ID: "id"})
	expectFindings(t, "lower case is usual", TrainingColumns(bothCases, lower), nil)
}

// expectFindings checks the beginnings of findings with their severity and column.
func expectFindings(t *testing.T, name string, findings []Finding, want []string) {
	t.Helper()
	if len(findings) != len(want) {
		t.Errorf("%s: %+v, want %q", name, findings, want)
		return
	}
	for i, f := range findings {
		if got := fmt.Sprintf("%s: %s: %s", f.Severity, f.Name, f.Message); !strings.HasPrefix(got, want[i]) {
			t.Errorf("%s: %s, want %s …", name, got, want[i])
		}
	}
}

// TestItemsOfModels checks that lists are reported if a model knows an item of few of them, unless this is
// usual in training.
func TestItemsOfModels(t *testing.T) {
	blind := "id,tags\n"
	for i, tags := range strings.Fields(strings.Repeat("a;b b;c [a] c;d d;e ", 12)) {
		blind += fmt.Sprintf("r%d,%s\n", i, tags)
	}
	for name, c := range map[string]struct {
		items   string
		without int // of 32 training rows
		want    string
	}{
		"known":       {"a b", 4, ""},
		"other_case":  {"A B C D E", 2, `in 60 rows (100 %), the text contains no item that the model knows; the most frequent of these texts is "a;b"`},
		"usually_few": {"x", 29, ""},
	} {
		known := profile.TrainingColumn{Name: "tags", ListSeparator: ";", Terms: strings.Fields(c.items), TermSampleRows: 32, TermSampleWithout: c.without}
		got := ""
		for _, f := range TrainingColumns([]profile.TrainingColumn{known}, scanText(t, blind, profile.ScanOptions{Blind: true, ID: "id"})) {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
