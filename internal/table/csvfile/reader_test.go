package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
)

// readAll returns the records, each with its line, and the defects.
func readAll(src io.Reader) (records [][]string, defects []string) {
	r := NewReader(src, ',')
	for {
		rec, err := r.Read()
		var defect *Defect
		switch {
		case errors.Is(err, io.EOF):
			return records, defects
		case errors.As(err, &defect):
			defects = append(defects, defect.Code+": "+formatLocation(defect.Line, defect.Column, ""))
		case err != nil:
			return records, append(defects, err.Error())
		default:
			one := []string{strconv.Itoa(rec.Line)}
			for i := range rec.Fields {
				one = append(one, string(rec.Fields[i]))
			}
			records = append(records, one)
		}
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", MaxFieldBytes+1)
	for _, c := range []struct {
		name, in string
		want     [][]string
		defects  []string
	}{
		{name: "empty", in: ""},
		{name: "only_a_mark", in: "\uFEFF"},
		{name: "last_line_without_end", in: "a,b\n1,2", want: [][]string{{"1", "a", "b"}, {"2", "1", "2"}}},
		{name: "line_ends", in: "a\r\nb\rc\nd", want: [][]string{{"1", "a"}, {"2", "b"}, {"3", "c"}, {"4", "d"}}},
		{name: "mark_and_blank_lines", in: "\uFEFFa\n\n\r\nb\n\n", want: [][]string{{"1", "a"}, {"4", "b"}}},
		{name: "empty_fields", in: ",\n\"\",", want: [][]string{{"1", "", ""}, {"2", "", ""}}},
		{name: "quotes", in: "\"a,\"\"b\"\"\",\"\"\"\"\nc", want: [][]string{{"1", `a,"b"`, `"`}, {"2", "c"}}},
		{name: "line_ends_in_quotes", in: "\"a\r\nb\nc\rd\",e\nf", want: [][]string{{"1", "a\r\nb\nc\rd", "e"}, {"5", "f"}}},
		{
			name: "stray_quote_goes_on", in: "a,5\"x,b\r\n1,\"y\"z\n2,3", want: [][]string{{"3", "2", "3"}},
			defects: []string{"stray-quote: line 1, column 2", "stray-quote: line 2, column 2"},
		},
		{
			name: "unclosed_quote", in: "a\n\"b\nc", want: [][]string{{"1", "a"}},
			defects: []string{"unclosed-quote: line 2, column 1"},
		},
		{
			name: "quote_closed_by_the_next", in: "a\nb,\"c\nd,\"e\"\nf", want: [][]string{{"1", "a"}},
			defects: []string{"unclosed-quote: line 2, column 2"},
		},
		{
			name: "nul_and_bad_utf8_go_on", in: "\"\n\n\",a\x00b\n\xFF\nc", want: [][]string{{"5", "c"}},
			defects: []string{"binary: line 3, column 2", "invalid-utf8: line 4, column 1"},
		},
		{name: "long_field", in: "a\nb," + long + "\n", want: [][]string{{"1", "a"}}, defects: []string{"too-long: line 2, column 2"}},
		{name: "long_quoted_field", in: "a\n\"" + long + long + long, want: [][]string{{"1", "a"}}, defects: []string{"unclosed-quote: line 2, column 1"}},
		{name: "longest_field", in: long[1:] + "\nb", want: [][]string{{"1", long[1:]}, {"2", "b"}}},
		{name: "gzip", in: "\x1F\x8B\x08", defects: []string{"binary: line 1, column 1"}},
		{name: "utf16", in: "\xFF\xFEa\x00", defects: []string{"invalid-utf8: line 1, column 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in))} {
				got, defects := readAll(src)
				if d := cmp.Diff(c.want, got); d != "" {
					t.Error(d)
				}
				if d := cmp.Diff(c.defects, defects); d != "" {
					t.Error(d)
				}
			}
		})
	}

	t.Run("an_error_of_the_source_comes_through", func(t *testing.T) {
		_, defects := readAll(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a,b\n"))))
		if d := cmp.Diff([]string{iotest.ErrTimeout.Error()}, defects); d != "" {
			t.Error(d)
		}
	})
}

// randomTable returns records of the special characters of CSV.
func randomTable(rng *rand.Rand) [][]string {
	pieces := []string{"a", "1.5", ",", `"`, "\n", "\r\n", "\r", " ", "é", ";", ""}
	table := make([][]string, 1+rng.IntN(20))
	columns := 1 + rng.IntN(5)
	for i := range table {
		table[i] = []string{strconv.Itoa(i)} // so that no line is blank
		for range columns {
			text := ""
			for range rng.IntN(5) {
				text += pieces[rng.IntN(len(pieces))]
			}
			table[i] = append(table[i], text)
		}
	}
	return table
}

func TestReaderAgreesWithEncodingCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		want := randomTable(rng)
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		w.UseCRLF = false
		if err := w.WriteAll(want); err != nil {
			t.Fatal(err)
		}
		got, defects := readAll(bytes.NewReader(file.Bytes()))
		for i := range got {
			got[i] = got[i][1:]
		}
		if d := cmp.Diff(want, got); d != "" || defects != nil {
			t.Fatalf("%q: %v %s", file.String(), defects, d)
		}
	}
}

func TestReaderReadsWhatWriterWrote(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		want := randomTable(rng)
		var file bytes.Buffer
		w := NewWriter(&file)
		for _, row := range want {
			for _, cell := range row[1:] {
				w.WriteField([]byte(cell))
			}
			w.EndRecord()
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		got, defects := readAll(&file)
		for i := range got {
			got[i][0] = want[i][0]
		}
		if d := cmp.Diff(want, got); d != "" || defects != nil {
			t.Fatal(defects, d)
		}
	}
}

// FuzzReader checks that the sizes of reads do not matter, and that reading ends. A file without
// defects must be read as encoding/csv reads it, if encoding/csv can read it.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"a,b\n1,\"2\"\n", "\uFEFFa\r\n\"x\"\"y\"", "a\r\rb\n\n", "\"a\nb", "a\"b", "\x00\xFF"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, defects := readAll(bytes.NewReader(file))
		again, defectsAgain := readAll(iotest.OneByteReader(bytes.NewReader(file)))
		if d := cmp.Diff(got, again) + cmp.Diff(defects, defectsAgain); d != "" {
			t.Fatal(d)
		}
		if defects != nil || bytes.ContainsRune(file, '\r') {
			return
		}
		r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\uFEFF"))))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil || len(want) != len(got) {
			t.Fatalf("%d records, encoding/csv has %d: %v", len(got), len(want), err)
		}
		for i := range want {
			if d := cmp.Diff(want[i], got[i][1:]); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// numericFile returns about the given number of megabytes of rows of numbers.
func numericFile(megabytes, digits int) []byte {
	rng := rand.New(rand.NewPCG(7, 8))
	file := []byte("id")
	for j := range 20 {
		file = fmt.Appendf(file, ",f%02d", j)
	}
	file = append(file, ",label\n"...)
	for i := 0; len(file) < megabytes<<20; i++ {
		file = fmt.Appendf(file, "r%06d", i)
		for range 20 {
			file = append(file, ',')
			file = strconv.AppendFloat(file, rng.NormFloat64()*10, 'g', digits, 64)
		}
		file = fmt.Appendf(file, ",c%d\n", rng.IntN(3))
	}
	return file
}

func BenchmarkReader(b *testing.B) {
	for _, digits := range []int{3, 6, 17} {
		file := numericFile(8, digits)
		for _, parse := range []bool{false, true} {
			b.Run(fmt.Sprintf("digits=%d/parse=%v", digits, parse), func(b *testing.B) {
				b.SetBytes(int64(len(file)))
				sum := 0.0
				for b.Loop() {
					r := NewReader(bytes.NewReader(file), ',')
					for {
						rec, err := r.Read()
						if err != nil {
							break
						}
						for i := 1; parse && i < 21; i++ {
							_, value := cells.Classify(rec.Fields[i])
							sum += value
						}
					}
				}
			})
		}
	}
}
