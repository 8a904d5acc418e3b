package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// repairText calls File for a file with the given text and returns the copy.
func repairText(t *testing.T, file string, opts Options) (string, *Report, error) {
	t.Helper()
	if opts.Layout.Delimiter == 0 {
		opts.Layout.Delimiter = csvfile.AutoDelimiter
	}
	var copied bytes.Buffer
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(file)), nil }
	done, err := File(t.Context(), open, &copied, opts)
	return copied.String(), done, err
}

func codesOf(done *Report) []string {
	var list []string
	for _, c := range done.Changes {
		list = append(list, fmt.Sprintf("%s %d line %d", c.Code, c.Count, c.Line))
	}
	return list
}

// people returns a valid file of 40 rows, with the given header and additional rows.
func people(header string, rows ...string) string {
	file := header + "\n"
	for i := range 40 {
		file += fmt.Sprintf("p%d,Ann %c,%d,%s\n", i, 'A'+i, 20+i%7, []string{"yes", "no"}[i%2])
	}
	return file + strings.Join(rows, "")
}

func TestFile(t *testing.T) {
	const header = "id,name,age,class"
	good := people(header)
	for _, c := range []struct {
		name, file, want string // want is appended to the valid file
		changes          []string
	}{
		{name: "a_good_file_stays", file: good},
		{
			name: "quotes_inside_a_field", file: people(header, "x,5\" pipe,30,yes\n", "y,\"say \"hi\" now\",30,no\n"),
			want: "x,\"5\"\" pipe\",30,yes\ny,\"say \"\"hi\"\" now\",30,no\n", changes: []string{"quotes 2 line 42"},
		},
		{
			name: "a_quote_that_nothing_closes", file: people(header, "x,\"lost,30,yes\n", "y,\"Ann, B.\",30,no\n"),
			want: "x,lost,30,yes\ny,\"Ann, B.\",30,no\n", changes: []string{"quotes 1 line 42"},
		},
		{name: "a_field_of_two_lines_stays", file: people(header, "x,\"a\nb\",30,yes\n"), want: "x,\"a\nb\",30,yes\n"},
		{
			name: "escaped_quotes", file: people(header, `x,"say \"hi\"",30,yes`+"\n", `y,"a \", b",30,no`+"\n", `z,"C:\",30,no`+"\n"),
			want: `x,"say ""hi""",30,yes` + "\n" + `y,"a "", b",30,no` + "\n" + `z,C:\,30,no` + "\n", changes: []string{"quote-escapes 2 line 42"},
		},
		{
			name: "a_comma_without_quotes", file: people(header, "x,Smith, John,30,yes\n"),
			want: "x,\"Smith, John\",30,yes\n", changes: []string{"fields-realigned 1 line 42"},
		},
		{
			name: "quotes_and_a_comma_without_quotes", file: people(header, "x,Smith, \"Jo\",30,yes\n"),
			want: "x,\"Smith, \"\"Jo\"\"\",30,yes\n", changes: []string{"quotes 1 line 42", "fields-realigned 1 line 42"},
		},
		{
			name: "too_many_empty_fields", file: people(header, "x,Bob,30,yes,,\n"),
			want: "x,Bob,30,yes\n", changes: []string{"fields-realigned 1 line 42"},
		},
		{
			name: "a_missing_field", file: people(header, "x,30,yes\n"),
			want: "x,,30,yes\n", changes: []string{"fields-realigned 1 line 42"},
		},
		{
			name: "what_cannot_be_told_is_left_out", file: people(header, "x,Bob\n", "y,1,2,3,4,5\n"),
			changes: []string{"ragged-row-left-out 2 line 42"},
		},
		{
			name: "rows_that_say_nothing_are_left_out", file: people(header, ",,,\n", header+"\n", "x,Bob,30, \n"),
			changes: []string{"blank-row-left-out 1 line 42", "repeated-header-left-out 1 line 43", "unlabelled-row-left-out 1 line 44"},
		},
		{
			name: "ids", file: people(header, "p3,Bob,30,yes\n", ",Bob,30,yes\n", "p3,Bob,30,no\n", "p3-2,Bob,30,no\n"),
			want:    "p3-3,Bob,30,yes\nr42,Bob,30,yes\np3-4,Bob,30,no\np3-2,Bob,30,no\n",
			changes: []string{"id-filled 1 line 43", "id-made-unique 2 line 42"},
		},
		{
			name: "latin_letters_and_NUL_bytes", file: people(header, "x,Jos\xe9,30,yes\n", "y,B\x00ob,30,no\n"),
			want: "x,José,30,yes\ny,Bob,30,no\n", changes: []string{"cell-encoding 1 line 42", "nul-removed 1 line 43"},
		},
		{
			name: "spaces_around_a_label", file: people(header, "x,Bob,30, yes \n"),
			want: "x,Bob,30,yes\n", changes: []string{"label-trimmed 1 line 42"},
		},
		{
			name: "mark_and_line_ends", file: "\xEF\xBB\xBF" + strings.ReplaceAll(good, "\n", "\r\n"),
			changes: []string{"byte-order-mark 1 line 1", "line-ends 41 line 1"},
		},
		{name: "semicolons", file: strings.ReplaceAll(good, ",", ";"), changes: []string{"delimiter 1 line 1"}},
		{
			name: "titles_before_the_header", file: "Report of 2026\n\nall staff,\n" + good,
			changes: []string{"preamble 2 line 1"},
		},
		{
			name: "a_second_header", file: strings.Replace(good, "\n", "\nkey,Full name,years,Which class?\n", 1),
			changes: []string{"second-header-left-out 1 line 2"},
		},
		{
			name: "columns_without_names", file: strings.Replace(good, header, ",name,age,class", 1),
			changes: []string{"column-named 1 line 1"},
		},
		{
			name: "a_delimiter_at_the_end_of_each_line", file: strings.ReplaceAll(good, "\n", ",\n"),
			changes: []string{"column-dropped 1 line 1"},
		},
		{
			name: "row_names_of_R", file: strings.Replace(good, header, "name,age,class", 1),
			changes: []string{"column-named 1 line 1"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, done, err := repairText(t, c.file, Options{})
			if err != nil {
				t.Fatal(err)
			}
			compareRepaired(t, good+c.want, got, c.changes, done)
			verifyRepaired(t, got, done, profile.ScanOptions{})
		})
	}
}

// compareRepaired compares a copy and its changes with the expected ones.
func compareRepaired(t *testing.T, want, got string, changes []string, done *Report) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(changes, codesOf(done)); d != "" {
		t.Error(d)
	}
}

// verifyRepaired checks the guarantees of File.
func verifyRepaired(t *testing.T, file string, done *Report, opts profile.ScanOptions) {
	t.Helper()
	p := scanned(t, file, opts)
	left := 0
	for _, c := range done.Changes {
		left += c.LeftOut
	}
	if !p.Partial && p.Rows != done.RowsWritten || done.RowsRead != done.RowsWritten+left {
		t.Errorf("%d rows read, %d left out, %d written, %d in the copy", done.RowsRead, left, done.RowsWritten, p.Rows)
	}
	for _, d := range p.Defects {
		switch d.Code { // defects that File cannot correct
		case csvfile.CodeNoRows, csvfile.CodeOneClass, csvfile.CodeTooManyClasses, csvfile.CodeNumericLabel, csvfile.CodeNoFeatures, csvfile.CodeTooFewColumns:
		default:
			t.Errorf("the copy has a defect: %s %s\n%q", d.Code, d.Error(), file)
		}
	}
}

func TestFileColumns(t *testing.T) {
	rows := func(format string) string {
		file := ""
		for i := range 40 {
			file += fmt.Sprintf(format+"\n", i, []string{"yes", "no"}[i%2], i%5)
		}
		return file
	}
	for _, c := range []struct {
		name, file, want string
		shape            Layout
		changes          []string
		chosen           ColumnRoles
	}{
		{
			name: "label_and_id_where_they_belong", changes: []string{"column-moved 1 line 1", "column-moved 1 line 1"},
			file:  "class,age,key\n" + rows("%[2]s,%[3]d,%[1]d"),
			want:  "key,age,class\n" + rows("%[1]d,%[3]d,%[2]s"),
			shape: Layout{Label: "class", ID: "key"},
		},
		{
			name: "a_label_that_is_not_last", changes: []string{"column-moved 1 line 1"},
			file: "id,churn,note\n" + rows("%[1]d,%[2]s,n%[1]d"),
			want: "id,note,churn\n" + rows("%[1]d,n%[1]d,%[2]s"), chosen: ColumnRoles{Label: 1},
		},
		{
			name: "an_id_that_is_not_first", changes: []string{"column-moved 1 line 1"},
			file: "age,user_id,class\n" + rows("%[3]d,%[1]d,%[2]s"),
			want: "user_id,age,class\n" + rows("%[1]d,%[3]d,%[2]s"), chosen: ColumnRoles{ID: 1, Label: -1},
		},
		{
			name: "no_id_at_all", changes: []string{"id-column-made 1 line 0"},
			file: "age,size,class\n" + rows("%[3]d,%[1]d,%[2]s"),
			want: "id,age,size,class\n" + numbered(rows("%[3]d,%[1]d,%[2]s")), chosen: ColumnRoles{ID: -1, Label: -1},
		},
		{
			name: "twin_names", changes: []string{"column-named 2 line 1"},
			file: "id,x,x,,class\n" + rows("%[1]d,%[3]d,1,2,%[2]s"),
			want: "id,x,x_2,column_4,class\n" + rows("%[1]d,%[3]d,1,2,%[2]s"),
		},
		{
			name: "no_header", changes: []string{"header-made 1 line 1"},
			file: "7,1,no\n" + rows("a%[1]d,%[3]d,%[2]s"),
			want: "id,column_2,label\n7,1,no\n" + rows("a%[1]d,%[3]d,%[2]s"),
		},
		{
			name: "dropped_columns", changes: []string{"column-dropped 1 line 1"},
			file:  "id,x,note,class\n" + rows("%[1]d,%[3]d,n,%[2]s"),
			want:  "id,x,class\n" + rows("%[1]d,%[3]d,%[2]s"),
			shape: Layout{Drop: []string{"note"}},
		},
		{
			name: "no_header_below_a_title", changes: []string{"header-made 1 line 1", "ragged-row-left-out 1 line 1"},
			file:  "Report\n" + rows("%[1]d,%[3]d,%[2]s"),
			want:  "column_1,column_2,column_3\n" + rows("%[1]d,%[3]d,%[2]s"),
			shape: Layout{NoHeader: true},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := Options{Layout: c.shape}
			if c.chosen.Label != 0 {
				opts.ChooseRoles = func([]string, [][][]byte) (ColumnRoles, error) { return c.chosen, nil }
			}
			got, done, err := repairText(t, c.file, opts)
			if err != nil {
				t.Fatal(err)
			}
			compareRepaired(t, c.want, got, c.changes, done)
			verifyRepaired(t, got, done, profile.ScanOptions{})
		})
	}
}

// numbered returns the lines with the IDs r1, r2, … prepended.
func numbered(text string) string {
	out := ""
	for i, line := range strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n") {
		out += fmt.Sprintf("r%d,%s", i+1, line)
	}
	return out + "\n"
}

func TestFileBlind(t *testing.T) {
	train := scanned(t, people("id,name,age,class"), profile.ScanOptions{})
	for _, c := range []struct {
		name, file, want string
		changes          []string
		chosen           ColumnRoles
	}{
		{"as_it_should_be", "id,name,age\na,Ann,21\n", "id,name,age\na,Ann,21\n", nil, ColumnRoles{}},
		{
			"order_names_label_and_extra", "Age,note,Class,ID,name\n21,x,yes,a,Ann\n", "id,name,age,note\na,Ann,21,x\n",
			[]string{"column-renamed 2 line 1", "columns-reordered 1 line 1", "label-taken-out 1 line 1"},
			ColumnRoles{ID: 3, Names: []string{"age", "note", "Class", "id", "name"}},
		},
		{
			"no_header", "a,Ann,21\nb,Bob,22\n", "id,name,age\na,Ann,21\nb,Bob,22\n",
			[]string{"header-made 1 line 1"},
			ColumnRoles{NoHeader: true, Names: []string{"id", "name", "age"}},
		},
		{
			"no_header_and_no_id", "Ann,21\nBob,22\n", "id,name,age\nr1,Ann,21\nr2,Bob,22\n",
			[]string{"header-made 1 line 1", "id-column-made 1 line 0"},
			ColumnRoles{ID: -1, NoHeader: true, Names: []string{"name", "age"}},
		},
		{"a_header_of_numbers", "1,2\nAnn,21\n", "id,1,2\nr1,Ann,21\n", []string{"id-column-made 1 line 0"}, ColumnRoles{ID: -1, Names: []string{"1", "2"}}},
		{
			"ids_repeat_below_the_first_rows", "note,name,age\nx,Ann,21\nx,Ann,22\n", "id,name,age,note\nr1,Ann,21,x\nr2,Ann,22,x\n",
			[]string{"id-column-made 1 line 0"},
			ColumnRoles{GenerateInvalid: true, Names: []string{"note", "name", "age"}},
		},
		{
			"ids_are_missing_below_the_first_rows", "note,name,age\nx,Ann,21\n,Ann,22\n", "id,name,age,note\nr1,Ann,21,x\nr2,Ann,22,\n",
			[]string{"id-column-made 1 line 0"},
			ColumnRoles{GenerateInvalid: true, Names: []string{"note", "name", "age"}},
		},
		{"rows_without_ids_stay", "id,name,age\na,Ann,21\n,Bob,22\na,Ann,21\n", "id,name,age\na,Ann,21\nr2,Bob,22\na-2,Ann,21\n", []string{"id-filled 1 line 3", "id-made-unique 1 line 4"}, ColumnRoles{}},
		{"fields_that_are_empty_at_the_end", "id,name,age\na,Ann,21\nb,Ann\n", "id,name,age\na,Ann,21\nb,Ann,\n", []string{"fields-realigned 1 line 3"}, ColumnRoles{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			choose := func([]string, [][][]byte) (ColumnRoles, error) { return c.chosen, nil }
			got, done, err := repairText(t, c.file, Options{Layout: Layout{Blind: true}, Train: train, ChooseRoles: choose})
			if err != nil {
				t.Fatal(err)
			}
			compareRepaired(t, c.want, got, c.changes, done)
			verifyRepaired(t, got, done, profile.ScanOptions{Blind: true, ID: train.Schema.ID})
		})
	}
	t.Run("a_row_that_cannot_be_told_is_an_error", func(t *testing.T) {
		_, _, err := repairText(t, "id,name,note\na,Ann,x\nb,Ann,Bob,Eve\n", Options{Layout: Layout{Blind: true}, Train: train})
		var defect *csvfile.Defect
		if !errors.As(err, &defect) || defect.Code != csvfile.CodeRaggedRow || defect.Line != 3 {
			t.Error(err)
		}
	})
}

func TestFileRefuses(t *testing.T) {
	half := people("id,name,age,class")
	for i := range 20 {
		half += fmt.Sprintf("q%d,one,two,three,four,five,six\n", i)
	}
	for _, c := range []struct {
		name, file string
		shape      Layout
		want       string
	}{
		{"an_empty_file", "", Layout{}, "line 1, column 1: the file is empty"},
		{"a_workbook", "PK\x03\x04\x00\x00", Layout{}, "line 1, column 1: this is a ZIP file or an Excel workbook: save the table as CSV"},
		{"a_label_that_is_not_there", half, Layout{Label: "classe"}, `line 1: there is no column "classe" for the label (did you mean "class"?)`},
		{"a_file_of_broken_rows", half, Layout{}, "line 42: 20 of 60 rows have too many or too few fields and cannot be aligned: is ',' the delimiter?"},
		{"another_number_of_names", half, Layout{NoHeader: true, Names: []string{"a", "b"}}, "line 1, column 1: expected 2 columns, got 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := repairText(t, c.file, Options{Layout: c.shape}); err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	t.Run("a_context_that_has_ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(half)), nil }
		if _, err := File(ctx, open, io.Discard, Options{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestSwapSeparators exchanges points and commas in numbers, and in no other cells.
func TestSwapSeparators(t *testing.T) {
	t.Parallel()
	const file = "id;size;note\na;1.234,5;1,5\nb;-0,7 €;2,5\nc;n.a., or so;3,5\nd;7;4,5\n"
	const want = "id,size,note\na,\"1,234.5\",\"1,5\"\nb,-0.7 €,\"2,5\"\nc,\"n.a., or so\",\"3,5\"\nd,7,\"4,5\"\n"
	got, done, err := repairText(t, file, Options{Layout: Layout{Blind: true}, SwapSeparators: []string{"size"}})
	if err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if at := slices.IndexFunc(done.Changes, func(c Change) bool { return c.Code == changeSeparatorsSwapped }); at < 0 || done.Changes[at].Count != 2 {
		t.Errorf("changes %+v", done.Changes)
	}
	if similar, _, err := repairText(t, file, Options{Layout: Layout{Blind: true}, SwapSeparators: []string{"Size "}}); err != nil || similar != want {
		t.Errorf("got %q, %v, want %q", similar, err, want)
	}
	for name, layout := range map[string]Layout{"other": {Blind: true}, "size": {Blind: true, Drop: []string{"size"}}} {
		if _, _, err := repairText(t, file, Options{Layout: layout, SwapSeparators: []string{name}}); err == nil {
			t.Errorf("%s is not a column of the copy, but was accepted", name)
		}
	}
}

// FuzzFile checks that every copy is valid, and that no row is lost without a change.
func FuzzFile(f *testing.F) {
	good := people("id,name,age,class")
	for _, seed := range []string{
		good, strings.ReplaceAll(good, ",", ";"), good + "x,\"lost,30,yes\n", good + "x,Smith, John,30,yes\r\n,,,\r\n",
		"a\tb\tc\n1\t2\t3\n", "\xFF\xFEi\x00d\x00", ",,\n\"\n\"\"\n", "id,x,x,\na,1\nid,x,x,\na,1,2,\x00,\n", "1,2\n3,4\n5\n", "\"a\r\r\n\",b,c\n\xe9,\"\"x,",
		"\t\ttitle\n1\t2\t", "id,x,x,\na,x,x,1\nid,x,x,",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, file []byte, blind bool) {
		got, done, err := repairText(t, string(file), Options{Layout: Layout{Blind: blind}})
		if err == nil {
			verifyRepaired(t, got, done, profile.ScanOptions{Blind: blind})
		}
	})
}

// scanned returns the profile of a file with the given text.
func scanned(t *testing.T, file string, opts profile.ScanOptions) *profile.Profile {
	t.Helper()
	p, err := profile.Scan(t.Context(), strings.NewReader(file), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
