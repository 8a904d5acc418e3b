package repair

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/profile"
)

// TestMissingFieldAtTheEnd repairs rows without their last category.
func TestMissingFieldAtTheEnd(t *testing.T) {
	t.Parallel()
	row := func(order string, i int) string {
		values := map[rune]string{
			'i': fmt.Sprintf("r%d", i), 'a': []string{"red", "green", "blue"}[i%3], 'b': []string{"cat", "dog", "cow"}[i/3%3],
			'c': []string{"paris", "rome", "oslo"}[i/9%3], 'l': []string{"yes", "no"}[i%2],
		}
		var fields []string
		for _, letter := range order {
			fields = append(fields, values[letter])
		}
		return strings.Join(fields, ",") + "\n"
	}
	rows := func(header, order string) string {
		text := header + "\n"
		for i := range 60 {
			text += row(order, i)
		}
		return text
	}
	schema := scanned(t, rows("id,a,b,c,label", "iabcl"), profile.ScanOptions{})
	blind := rows("id,a,b,c", "iabc")
	for name, c := range map[string]struct {
		file, want string
		opts       Options
	}{
		"known_texts": {blind + "x,red,cow\n", blind + "x,red,cow,\n", Options{Layout: Layout{Blind: true}, Train: schema}},
		"a_new_text":  {blind + "x,red,yak\n", blind + "x,red,yak,\n", Options{Layout: Layout{Blind: true}, Train: schema}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := repairText(t, c.file, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got[max(0, len(got)-60):], c.want[len(c.want)-60:])
			}
		})
	}
}

// TestFirstRowOfBlindFileStays repairs blind files whose first row has texts in columns of numbers. It
// is left out as a line of units only if it has no ID.
func TestFirstRowOfBlindFileStays(t *testing.T) {
	t.Parallel()
	rows, labelled := "", "id,age,size,class\n"
	for i := range 60 {
		rows += fmt.Sprintf("b%d,%d,%d.5\n", i+1, 20+i%9, i%7)
		labelled += fmt.Sprintf("t%d,%d,%d.5,%s\n", i, 20+i%9, i%7, []string{"yes", "no"}[i%2])
	}
	train := scanned(t, labelled, profile.ScanOptions{})
	const header = "id,age,size\n"
	for first, want := range map[string]string{"b0,about forty,no answer\n": "b0,about forty,no answer\n", ",years,cm\n": "", ",,\n": "", header: ""} {
		got, _, err := repairText(t, header+first+rows, Options{Layout: Layout{Blind: true}, Train: train})
		if err != nil {
			t.Fatal(err)
		}
		if got != header+want+rows {
			t.Errorf("%q: got %q", first, got[:80])
		}
	}
}

func TestEmptyLinesOfSingleColumnAreDefects(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"between_rows", "x\n0.9\n\n\n0.1\n\n0.2\n", "line 3: 3 rows are empty lines, in lines 3, 4 and 6: it is not clear whether they are rows without a value"},
		{"before_the_first_row", "x\r\n\r\n0.1", "line 2: the line is empty, so it is not clear whether it is a row without a value"},
		{"at_the_end", "x\n0.9\n\n\n", ""},
		{"quoted_is_a_row", "x\n0.9\n\"\"\n0.1\n", ""},
		{"line_end_in_a_field", "x\n\"a\n\nb\"\n0.1\n", ""},
		{"two_columns", "x,y\n1,2\n\n3,4\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Normalize(strings.NewReader(c.file), Layout{Blind: true, GenerateID: true})
			if err != nil {
				t.Fatal(err)
			}
			r.CollectDefects()
			if _, err := io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
			var got string
			for _, defect := range r.canonical.defects.Defects(nil, nil, false) {
				got += defect.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestEmptyLinesOfSingleColumn(t *testing.T) {
	const file = "x\n0.9\n\n\n0.1\n\"\"\n0.2\n\n\n"
	copied, done, err := repairText(t, file, Options{Layout: Layout{Blind: true, GenerateID: true}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "id,x\nr1,0.9\nr2,\nr3,\nr4,0.1\nr5,\nr6,0.2\n"
	if diff := cmp.Diff(want, copied); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"empty-line-kept 2 line 3", "id-column-made 1 line 0"}, codesOf(done)); diff != "" {
		t.Error(diff)
	}
}

// TestQuoteStyles repairs files whose fields are quoted in another way than RFC 4180 says. Numbers and
// dates must not become texts with quotes, whatever the style.
func TestQuoteStyles(t *testing.T) {
	t.Parallel()
	plain, quoted, other, single, formulas := "", "", "", "", ""
	for i := range 31 {
		fields := []string{"id", "size", "day", "note", "class"}
		if i > 0 {
			fields = []string{fmt.Sprintf("r%02d", i), fmt.Sprintf("%d.5", i), fmt.Sprintf("2020-01-%02d", i), []string{"so so", "it's bad"}[i%2], []string{"A", "B"}[i%2]}
		}
		plain += strings.Join(fields, ",") + "\n"
		quoted += `"` + strings.Join(fields, `", "`) + "\"\n"
		other += `"` + strings.Join(fields, `" ;"`) + "\" \n"
		single += "'" + strings.ReplaceAll(strings.Join(fields, "','"), "it's", "it''s") + "'\n"
		formulas += `="` + strings.Join(fields, `",="`) + "\"\n"
	}
	const (
		row  = "r31,2.5,2020-01-31,\"good, \"\"one\"\"\",A\n"
		text = "good, \"\"one\"\"" // as it is in quotes
	)
	for name, c := range map[string]struct {
		file, want string
		changes    []string
	}{
		"spaces":              {quoted + `"r31",2.5,  "2020-01-31", "` + text + `", "A"` + "\n", plain + row, []string{"quotes 32 line 1"}},
		"backslashes":         {quoted + `"r31", "2.5", "2020-01-31", "good, \"one\"", "A"` + "\n", plain + row, []string{"quotes 31 line 1", "quote-escapes 1 line 32"}},
		"a_quote_too_many":    {quoted + `"r31", "2.5", "2020-01-31", "5" pipe", "A"` + "\n", plain + `r31,2.5,2020-01-31,"5"" pipe",A` + "\n", []string{"quotes 32 line 1"}},
		"semicolons":          {other + `"r31" ;"2.5" ;"2020-01-31" ;"` + text + `" ;"A"` + "\n", plain + row, []string{"delimiter 1 line 1", "quotes 32 line 1"}},
		"spaces_at_the_end":   {other + `"r31" ;"2.5" ;"2020-01-31" ;"5" pipe" ;"A" ` + "\n", plain + `r31,2.5,2020-01-31,"5"" pipe",A` + "\n", []string{"delimiter 1 line 1", "quotes 32 line 1"}},
		"a_missing_field":     {quoted + `"r31", "2.5", "2020-01-31", "A"` + "\n", plain + "r31,2.5,2020-01-31,,A\n", []string{"quotes 32 line 1", "fields-realigned 1 line 32"}},
		"single_quotes":       {single + `'r31','2.5','2020-01-31','good, "one"','A'` + "\n", plain + row, []string{"single-quotes 1 line 1"}},
		"formulas":            {formulas + `="r31",2.5,="2020-01-31",="` + text + `",A` + "\n", plain + row, []string{"quotes 32 line 1"}},
		"quoted_formulas":     {plain + `r31,"=""2.5""","=""2020-01-31""","=""good, """"one""""""",A` + "\n", plain + row, []string{"quotes 1 line 32"}},
		"other_formulas":      {plain + `r31,2.5,2020-01-31,"=""a""&""b""",A` + "\n", plain + `r31,2.5,2020-01-31,"=""a""&""b""",A` + "\n", nil},
		"text_in_apostrophes": {plain + "r31,2.5,2020-01-31,'so so',A\n", plain + "r31,2.5,2020-01-31,'so so',A\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, done, err := repairText(t, c.file, Options{})
			if err != nil {
				t.Fatal(err)
			}
			compareRepaired(t, c.want, got, c.changes, done)
			verifyRepaired(t, got, done, profile.ScanOptions{})
		})
	}
}

// TestRowNames repairs files whose rows have one field more than the header. The first column has row
// names only if the name that then belongs to the second column can be right.
func TestRowNames(t *testing.T) {
	t.Parallel()
	const header = "id,size,age,class\n"
	shifted, named := "", ""
	for i := range 30 {
		shifted += fmt.Sprintf("r%d,%d,5,%d,%s\n", i, i%9, 20+i%7, []string{"yes", "no"}[i%2]) // decimal commas
		named += fmt.Sprintf("%d,r%d,%d.5,%d,%s\n", i+1, i, i%9, 20+i%7, []string{"yes", "no"}[i%2])
	}
	if got, _, err := repairText(t, header+shifted, Options{}); err == nil {
		t.Errorf("the header is shifted: %q", got[:80])
	}
	panel := "patient_id,size,age,class\n" + strings.ReplaceAll(named, ",r", ",p7") // a patient has several rows
	if got, _, err := repairText(t, panel, Options{}); err != nil || !strings.HasPrefix(got, "id,patient_id,size,age,class\n1,p70,0.5,20,yes\n") {
		t.Errorf("%v: %q", err, got[:min(len(got), 80)])
	}
	got, _, err := repairText(t, header+named, Options{})
	if err != nil || !strings.HasPrefix(got, "id_2,id,size,age,class\n1,r0,0.5,20,yes\n") {
		t.Errorf("%v: %q", err, got[:min(len(got), 80)])
	}
}
