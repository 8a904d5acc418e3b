package profile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/tabletest"
)

func scanText(t *testing.T, file string, opts ScanOptions) *Profile {
	t.Helper()
	p, err := Scan(t.Context(), strings.NewReader(file), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// long returns a text of n characters that have two bytes each.
func long(n int) string { return strings.Repeat("é", n) }

func errorsOf(defects []csvfile.Defect) []string {
	var list []string
	for i := range defects {
		list = append(list, defects[i].Code+": "+defects[i].Error())
	}
	return list
}

func TestScanDefects(t *testing.T) {
	const good = "id,age,job,label\n1,20,cook,yes\n2,30,smith,no\n3,40,cook,no\n"
	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"good", good, nil},
		{"blank_lines_at_the_end", good + "\n\r\n", nil},
		{"blank_line_between", "id,x,y\n1,1,a\n\n2,2,b\n", nil},
		{"empty_file", "", []string{"empty-file: line 1, column 1: the file is empty"}},
		{"blank_file", "\n\n", []string{"empty-file: line 1, column 1: the file is empty"}},
		{"header_alone", "id,x,y\n", []string{"no-rows: line 1: no data row follows the header"}},
		{"header_of_numbers", "1,2,0\n2,3,1\n3,4,0\n4,4,1\n", []string{"no-header: line 1, column 1 (1): the first row holds numbers only: the file needs a header row that names the columns"}},
		{
			"header_of_data", "a1,3.5,red,yes\na2,3,blue,no\na3,2,red,yes\na4,1,blue,no\n",
			[]string{"no-header: line 1, column 1 (a1): the first row looks like data, but must be a header with the names of the columns"},
		},
		{
			"header_of_data_with_twins", "a1,3,3,yes\na2,3,1,no\na3,2,2,yes\na4,1,1,no\n",
			[]string{"no-header: line 1, column 1 (a1): the first row looks like data, but must be a header with the names of the columns"},
		},
		{"columns_named_by_years", "id,2019,2020,y\n1,3,1,yes\n2,2,2,no\n3,3,1,yes\n4,4,4,no\n", nil},
		{"label_named_like_a_class", "id,words,spam\n1,3,spam\n2,2,ham\n3,3,spam\n4,4,ham\n", nil},
		{"unnamed_column", "id,,y\n1,1,a\n2,2,b\n", []string{"unnamed-column: line 1, column 2: the column has no name"}},
		{"unnamed_id_is_fine", ",x,y\n1,1,a\n2,2,b\n", nil},
		{"twin_columns", "id,x,x ,y\n1,1,1,a\n2,2,2,b\n", []string{"duplicate-column: line 1, column 3 (x): column 2 has the same name"}},
		{
			"long_names", "id," + long(1001) + "," + long(1000) + ",y\n1,1,2,a\n2,2,1,b\n",
			[]string{"long-name: line 1, column 2 (éééééééééééééééééééééééééééééééééééééééé…): the column's name has 1,001 characters, but may have at most 1,000: shorten it"},
		},
		{
			"several_long_names", "id," + long(1002) + "," + long(1001) + ",y\n1,1,2,a\n2,2,1,b\n",
			[]string{"long-name: line 1, column 2 (éééééééééééééééééééééééééééééééééééééééé…): 2 columns have a name of more than 1,000 characters, columns 2 and 3: shorten the names"},
		},
		{
			"long_label", "id,x,y\n1,1," + long(500) + "\n2,2," + long(501) + "\n3,1," + long(500) + "\n4,2," + long(501) + "\n",
			[]string{"long-label: line 3, column 3 (y): the label \"éééééééééééééééééééééééééééééééééééééééé…\" has 501 characters, but may have at most 500: shorten it, or is the label the last column?"},
		},
		{"two_columns", "id,y\n1,a\n", []string{"too-few-columns: line 1, column 2 (y): 2 columns, but at least 3 are required: an ID first, a feature and the label last"}},
		{
			"semicolons", "id;x;y\n1;1;a\n",
			[]string{"too-few-columns: line 1, column 1 (id;x;y): 1 column, but at least 3 are required: an ID first, a feature and the label last (are the fields separated by ';'?)"},
		},
		{
			"ragged_rows", "id,x,y\n1,1\n2,2,b\n3,3,a,z\n4\n",
			[]string{
				"ragged-row: line 2, column 3 (y): 3 rows do not have as many fields as the header, in lines 2, 4 and 5",
			},
		},
		{"duplicate_id", "id,x,y\na,\"\n\n\",p\nb,2,q\na,3,p\na,4,q\n", []string{
			"duplicate-id: line 6, column 1 (id): 2 rows repeat the ID of an earlier row, in lines 6 and 7: IDs must be unique",
		}},
		{"empty_id", "id,x,y\na,1,p\n,2,q\n \t,2,q\n", []string{
			"empty-id: line 3, column 1 (id): 2 rows have no ID, in lines 3 and 4",
		}},
		{"empty_label", "id,x,y\na,1,p\nb,2,\nc,3,q\n", []string{"empty-label: line 3, column 3 (y): the row has no label"}},
		{"no_features", "id,x,y,z\na,1,,p\nb,1,,q\n", []string{"no-features: line 1: no column can be used as a feature"}},
		{"one_class", "id,x,y\na,1,p\nb,2,p\n", []string{"one-class: line 1, column 3 (y): every row has the label \"p\", but at least two classes are required"}},
		{
			"label_of_many_values", "id,x,price\na,1,1.5\nb,2,1.6\nc,3,1.7\nd,4,1.5\n",
			[]string{"numeric-label: line 1, column 3 (price): foretell predicts classes, not numbers; the label has 3 different numbers in 4 rows"},
		},
		{"nul_byte", "id,x,y\na,1,p\nb,\x00,q\n", []string{"binary: line 3, column 2 (x): the field has a NUL byte, which a text file must not have"}},
		{"nul_in_the_header", "id,\x00,y\na,1,p\n", []string{"binary: line 1, column 2: the field has a NUL byte, which a text file must not have"}},
		{"invalid_utf8", "id,x,y\na,caf\xE9,p\nb,2,q\n", []string{"invalid-utf8: line 2, column 2 (x): byte 0xE9 is not valid UTF-8: set the file's encoding, or save the file as UTF-8"}},
		{"stray_quote", "id,x,y\na,5\",p\nb,2,q\nc,2,p\n", []string{"stray-quote: line 2, column 2 (x): the field has a quote inside: put the field in quotes, and double each quote in it"}},
		{"unclosed_quote", "id,x,y\na,1,p\nb,\"2,q\nc,3,p\n", []string{"unclosed-quote: line 3, column 2 (x): the quote that opens here is never closed"}},
		{"workbook", "PK\x03\x04\x00\x00", []string{"binary: line 1, column 1: this is a ZIP file or an Excel workbook: save the table as CSV"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := errorsOf(scanText(t, c.file, ScanOptions{}).Defects)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}

	t.Run("all_rows_are_counted", func(t *testing.T) {
		p := scanText(t, "id,x,y\n"+strings.Repeat("1\n2,3,\n", 100)+"a,1,p\nb,2,q\n", ScanOptions{})
		want := []string{
			"ragged-row: line 2, column 2 (x): 100 rows do not have as many fields as the header, first in lines 2, 4, 6",
			"empty-label: line 3, column 3 (y): 100 rows have no label, first in lines 3, 5, 7",
			"duplicate-id: line 5, column 1 (id): 99 rows repeat the ID of an earlier row, first in lines 5, 7, 9: IDs must be unique",
		}
		if d := cmp.Diff(want, errorsOf(p.Defects)); d != "" || p.Partial || p.Rows != 202 || len(p.Classes) != 2 {
			t.Error(d, p.Partial, p.Rows, p.Classes)
		}
	})

	t.Run("a_file_that_cannot_be_read_to_its_end_may_have_more", func(t *testing.T) {
		p := scanText(t, "id,x,y\n1,2,\n2,2,\n3,\"4,\n4,5,\n", ScanOptions{})
		want := []string{
			"empty-label: line 2, column 3 (y): at least 2 rows have no label, in lines 2 and 3",
			"unclosed-quote: line 4, column 2 (x): the quote that opens here is never closed",
		}
		if d := cmp.Diff(want, errorsOf(p.Defects)); d != "" || !p.Partial || !p.Defects[0].AtLeast {
			t.Error(d, p.Partial)
		}
	})

	t.Run("data_as_header_is_told_beside_many_twins", func(t *testing.T) {
		row := strings.Repeat(",0", 50)
		p := scanText(t, "a1"+row+",x\na2"+row+",x\na3"+row+",y\na4"+row+",y\n", ScanOptions{})
		if len(p.Defects) != 1 || p.Defects[0].Code != csvfile.CodeNoHeader {
			t.Error(errorsOf(p.Defects))
		}
	})

	t.Run("errors_of_source_and_context_are_no_defects", func(t *testing.T) {
		if _, err := Scan(t.Context(), iotest.ErrReader(errors.ErrUnsupported), ScanOptions{}); !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Scan(ctx, strings.NewReader(good), ScanOptions{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestScanKinds(t *testing.T) {
	integer := strconv.Itoa
	word := func(i int) string { return "w" + strconv.Itoa(i) }
	const many = 5_000 // more distinct texts than a column counts before it chooses a strategy
	for _, c := range []struct {
		name     string
		cells    []string
		form     inference.Form
		missing  int
		distinct int
	}{
		{"numbers", []string{"1", "2.50", " 2.5 ", "", "+1e0"}, inference.FormNumeric, 1, 2},
		{"markers_among_numbers_are_missing", []string{"1", "NaN", "?", "n/a", "inf", "2", "1e999"}, inference.FormNumeric, 5, 2},
		{"markers_alone_are_texts", []string{"NA", "?", "", "NA"}, inference.FormCategory, 1, 2},
		{"nothing_at_all", []string{"", " ", ""}, inference.FormNumeric, 3, 0},
		{"texts", []string{"a", "b", "", "a"}, inference.FormCategory, 1, 2},
		{"numbers_and_texts", []string{"2", "4", "more", "2"}, inference.FormCategory, 0, 3},
		{"one_junk_cell_in_many_numbers", append(tabletest.Cells(100, integer), "oops"), inference.FormNumeric, 1, 100},
		{"one_junk_cell_in_few_numbers", append(tabletest.Cells(90, integer), "oops"), inference.FormNumeric, 1, 90},
		{"junk_in_two_of_a_hundred", append(tabletest.Cells(98, integer), "oops", "no"), inference.FormNumeric, 2, 98},
		{"different_numbers", tabletest.Cells(many, integer), inference.FormNumeric, 0, many},
		{"early_junk_in_different_numbers", append([]string{"oops"}, tabletest.Cells(many, integer)...), inference.FormNumeric, 1, many},
		{"late_junk_in_different_numbers", append(tabletest.Cells(many, integer), "oops", "NA", "oops"), inference.FormNumeric, 3, many},
		{"different_texts", tabletest.Cells(many, word), inference.FormCategory, 0, many},
		{"texts_before_numbers", append(tabletest.Cells(many, word), tabletest.Cells(100, integer)...), inference.FormText, 0, many + 100},
		{"few_texts_behind_many_numbers", append(tabletest.Cells(many, integer), tabletest.Cells(200, func(int) string { return "zz" })...), inference.FormNumeric, 200, many},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := scanText(t, tabletest.Column(c.cells...), ScanOptions{})
			got := p.Columns[0]
			if got.Form != c.form || got.Missing != c.missing || got.Distinct != c.distinct || p.Rows != len(c.cells) {
				t.Errorf("%s, missing %d, distinct %d", got.Form, got.Missing, got.Distinct)
			}
			if got.Form != inference.FormNumeric || got.Features == 0 {
				return
			}
			// Load must see the same missing values.
			f, err := frame.Load(t.Context(), strings.NewReader(tabletest.Column(c.cells...)), p.Schema, frame.LoadOptions{Rows: p.Rows})
			if err != nil {
				t.Fatal(err)
			}
			missing := 0
			for _, v := range valuesOf(f, 0) {
				if v != v {
					missing++
				}
			}
			if missing != c.missing {
				t.Errorf("Load sees %d missing cells", missing)
			}
		})
	}
}

func TestScanProfile(t *testing.T) {
	p := scanText(t, "key,age,job,label\na,20,cook,10\nb,30,smith,9\nc,,cook,10\nd,25,,9\ne,20,\"co,ok\",9.0\nf,,cook,9.0\n", ScanOptions{})
	want := &Profile{
		Rows: 6, Bytes: 92,
		Schema: &frame.Schema{
			ID: "key", Label: "label",
			Columns: []frame.ColumnSchema{
				{Name: "age", Kind: frame.Numeric},
				{Name: "job", Kind: frame.Category, Levels: []string{"co,ok", "cook", "smith"}},
			},
			Classes: []string{"9", "9.0", "10"},
		},
		Columns: []ColumnProfile{
			{
				Name: "age", Column: 2, Form: inference.FormNumeric, Features: 1, Missing: 2, Distinct: 3,
				Numbers: &columnstats.NumericStats{Min: 20, Max: 30, Mean: 23.75, StdDev: 4.14578098794425, Median: 22.5},
			},
			{
				Name: "job", Column: 3, Form: inference.FormCategory, Features: 1, Missing: 1, Distinct: 3,
				Top: []ValueCount{{"cook", 3}, {"co,ok", 1}, {"smith", 1}},
			},
		},
		Classes: []ValueCount{{"9", 2}, {"9.0", 2}, {"10", 2}},
	}
	opts := []cmp.Option{
		cmpopts.IgnoreUnexported(Profile{}, ColumnProfile{}), cmpopts.IgnoreFields(columnstats.NumericStats{}, "Histogram"),
		cmpopts.IgnoreFields(Profile{}, "Warnings"), cmpopts.EquateApprox(1e-12, 0),
	}
	if d := cmp.Diff(want, p, opts...); d != "" {
		t.Error(d)
	}
}

func TestScanWarnings(t *testing.T) {
	file := "id,row,name,same,void,dirty,label\n"
	for i := range 120 {
		dirty := strconv.Itoa(i / 2)
		if i == 7 {
			dirty = "oops"
		}
		label := []string{"Yes", "no", "yes"}[min(i%50, 2)]
		file += fmt.Sprintf("%d,%d,n%d,s,,%s,%s\n", i, i+1000, i, dirty, label)
	}
	var got []string
	for _, w := range scanText(t, file, ScanOptions{}).Warnings {
		got = append(got, w.Code+" "+w.Name)
	}
	want := []string{
		"id-like-column row", "constant-column same", "empty-column void", "junk-in-numbers dirty",
		"small-class label", "small-class label", "similar-classes label",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestScanOfABlindFile(t *testing.T) {
	p := scanText(t, "x,key\n1,a\n2,b\n", ScanOptions{Blind: true, ID: "key"})
	if p.Defects != nil || p.Schema.ID != "key" || len(p.Columns) != 1 || p.Schema.Columns[0].Name != "x" || p.Schema.Classes != nil {
		t.Errorf("%+v", p)
	}
	p = scanText(t, "x,key\n1,a\n1,b\n", ScanOptions{Blind: true, ID: "none"})
	if d := cmp.Diff([]string{"duplicate-id: line 3, column 1 (x): line 2 has the same ID: IDs must be unique"}, errorsOf(p.Defects)); d != "" {
		t.Error(d)
	}
}

// FuzzScan checks that any file has a profile, independent of the sizes of reads, and that
// a file without defects can be loaded.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{"id,x,y\n1,2,a\n2,,b\n", "id,x,y\n1,\"2\n", "\uFEFFid,x,y\r\n1,1e999,0\r\n2,NaN,1", "1,2,3\n", "id,x,y\n1,-1e308,a\n2,1e308,b\n", "0,0,0\n0,1e308,\n,1e308,0"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		p := scanText(t, string(file), ScanOptions{})
		again, err := Scan(t.Context(), iotest.OneByteReader(strings.NewReader(string(file))), ScanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(p, again, cmpopts.IgnoreUnexported(Profile{}, ColumnProfile{})); d != "" {
			t.Fatal(d)
		}
		if p.Err() != nil {
			return
		}
		frame, err := frame.Load(t.Context(), strings.NewReader(string(file)), p.Schema, frame.LoadOptions{Labelled: true})
		if err != nil || frame.Rows != p.Rows {
			t.Fatalf("scanned %d rows, then: %v", p.Rows, err)
		}
	})
}

// TestReadingDoesNotDependOnTheCores reads a file of many chunks, in which strategies are
// chosen in the middle of a chunk.
func TestReadingDoesNotDependOnTheCores(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	var file strings.Builder
	file.WriteString("id,number,holes,word,name,dirty,y\n")
	for i := range 40_000 {
		dirty := strconv.Itoa(rng.IntN(100_000))
		if i == 15_000 || i == 39_000 {
			dirty = "\"un,\n\"\"known\""
		}
		hole := ""
		if rng.IntN(3) > 0 {
			hole = strconv.FormatFloat(rng.NormFloat64(), 'g', 12, 64)
		}
		fmt.Fprintf(&file, "%d,%.5f,%s,w%d,name%d,%s,%c\n", i, rng.NormFloat64(), hole, rng.IntN(500), i, dirty, 'a'+i%2)
	}
	var profile, loaded []byte
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	numbers := []int{1, 2, 5}
	if testing.Short() { // the race detector finds data races without a comparison
		numbers = []int{5}
	}
	for _, cores := range numbers {
		runtime.GOMAXPROCS(cores)
		p := scanText(t, file.String(), ScanOptions{})
		f, err := frame.Load(t.Context(), strings.NewReader(file.String()), p.Schema, frame.LoadOptions{Labelled: true, Rows: p.Rows})
		if err != nil {
			t.Fatal(err)
		}
		found, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		read := fmt.Append(nil, f.Rows, f.Columns, f.Labels)
		if profile == nil {
			profile, loaded = found, read
		}
		if !bytes.Equal(profile, found) || !bytes.Equal(loaded, read) {
			t.Errorf("another profile or frame with %d cores", cores)
		}
	}
}

// A source may return io.EOF together with its last bytes, as gzip and HTTP do. These
// bytes may fill the buffer exactly.
func TestLastLineWithoutEndFillsTheBuffer(t *testing.T) {
	for size := csvfile.ChunkSize - 2; size <= csvfile.ChunkSize+2; size++ {
		file := []byte("id,a,label\n")
		for len(file) < size {
			file = append(file, "7,1,x\n"...)
		}
		file = bytes.TrimRight(file[:size], "\n7,1") // cuts the file within a row, so that it ends in a label
		file = append(file, bytes.Repeat([]byte("x"), size-len(file))...)
		reader := iotest.DataErrReader(bytes.NewReader(file))
		if _, err := Scan(t.Context(), reader, ScanOptions{}); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// valuesOf returns the values of a numeric column, or nil for a category.
func valuesOf(f *frame.Frame, column int) []float64 {
	c := &f.Columns[column]
	if !c.IsNumeric() {
		return nil
	}
	return c.Values(make([]float64, f.Rows), 0, f.Rows)
}

func loadText(t *testing.T, file string, schema *frame.Schema) *frame.Frame {
	t.Helper()
	f, err := frame.Load(t.Context(), strings.NewReader(file), schema, frame.LoadOptions{Labelled: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
