package csvfile

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
)

// rowsOf reads the rest of a table record by record. It returns the line and the cells of each row,
// and the defects.
func rowsOf(t *Table, rows [][]string) [][]string {
	for {
		rec, err := t.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			rows = append(rows, []string{err.Error()})
			if t.Reader.Done() {
				return rows
			}
			continue
		}
		row := []string{strconv.Itoa(rec.Line), string(rec.Text)}
		for _, field := range rec.Fields {
			row = append(row, string(field))
		}
		rows = append(rows, row)
	}
}

// rowsWorker collects from chunks what rowsOf returns.
type rowsWorker struct {
	table  *Table
	rows   *[][]string
	parsed ParsedChunk
	whole  bool

	numeric []bool
}

func (h *rowsWorker) Parse(c *Chunk) error {
	h.numeric = make([]bool, len(h.table.Names))
	for i := range h.numeric {
		h.numeric[i] = i%2 == 0
	}
	h.whole = h.parsed.Parse(c, h.numeric)
	for i := 0; h.whole && i < len(h.numeric); i += 2 {
		h.parsed.FloatsOrText(i)
	}
	return nil
}

func (h *rowsWorker) Commit(c *Chunk) error {
	p := &h.parsed
	if !h.whole {
		return h.table.RereadChunk(c, func() error {
			*h.rows = rowsOf(h.table, *h.rows)
			return nil
		})
	}
	for i := range p.Rows {
		row := []string{strconv.Itoa(c.Line + int(p.RowLines[i])), string(p.RawRow(i))}
		for field := range p.fieldCount {
			cell := p.Cell(i, field)
			kind, value := cells.Classify(cell)
			if h.numeric[field] {
				if got := p.FloatBuffer(field)[i]; got == got && (kind != cells.Number || got != value) {
					return errors.New("a cell with another value: " + string(cell))
				}
			}
			row = append(row, string(cell))
		}
		*h.rows = append(*h.rows, row)
	}
	h.table.CountRowsOf(p)
	return nil
}

// compareReading checks that reading a file by chunks and by records yields the same.
func compareReading(t *testing.T, file []byte, workers, size int) {
	t.Helper()
	whole, err := OpenTable(NewReader(bytes.NewReader(file), ','))
	if err != nil {
		return
	}
	want := rowsOf(whole, nil)
	var got [][]string
	parted, err := OpenTable(NewReader(bytes.NewReader(file), ','))
	if err != nil {
		t.Fatal(err)
	}
	err = parted.RunPipeline(t.Context(), workers, size, func() ChunkWorker { return &rowsWorker{table: parted, rows: &got} })
	if err != nil {
		t.Fatal(err)
	}
	got = rowsOf(parted, got)
	if d := cmp.Diff(want, got); d != "" || parted.Rows != whole.Rows || parted.Reader.nextLine != whole.Reader.nextLine {
		t.Fatalf("%q in chunks of %d: %d rows to line %d, want %d to %d: %s",
			file, size, parted.Rows, parted.Reader.nextLine, whole.Rows, whole.Reader.nextLine, d)
	}
}

func TestChunksAreReadAsRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		w.UseCRLF = rng.IntN(2) == 0
		for _, row := range randomTable(rng) {
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		text := file.Bytes()
		for range rng.IntN(3) { // and some defects
			text[rng.IntN(len(text))] = "\n\r\",\x00\xFF"[rng.IntN(6)]
		}
		compareReading(t, text, 1+rng.IntN(3), 1+rng.IntN(100))
	}
}

func FuzzChunks(f *testing.F) {
	for _, seed := range []string{"a,b\n1,\"2\"\n", "\uFEFFa\r\n\"x\"\"y\"\r\n", "a\r\rb\n\n", "a\n\"\n\nb\n", "a\nx\nb\"\n2", "a,b\n1\n-1.5,+2e3\n"} {
		f.Add([]byte(seed), uint8(8))
	}
	f.Fuzz(func(t *testing.T, file []byte, size uint8) { compareReading(t, file, 2, 1+int(size)) })
}

// parsedDecimals parses the cells of a text with parseDecimals and with parseDecimalsGo.
func parsedDecimals(t *testing.T, texts []string) []cells.Decimal {
	t.Helper()
	begins, text := []int32{0}, []byte{}
	for _, cell := range texts {
		text = append(append(text, cell...), ",\r\n"[len(text)%3])
		begins = append(begins, int32(len(text)))
	}
	text = append(text, make([]byte, chunkPadding)...)
	got, want := make([]cells.Decimal, len(texts)), make([]cells.Decimal, len(texts))
	all := parseDecimals(got, text, begins, 1)
	if parseDecimalsGo(want, text, begins, 1) != all || all == slices.Contains(want, unparsedDecimal) {
		t.Error("the assembly and the portable code disagree whether all are plain")
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%q: assembly and portable code read %x and %x", texts[i], got[i], want[i])
		}
	}
	return got
}

func TestParseDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	var cells []string
	for range 200_000 {
		value := rng.NormFloat64() * math.Pow10(rng.IntN(9)-4)
		cells = append(cells, strconv.FormatFloat(value, "gf"[rng.IntN(2)], rng.IntN(12)-1, 64))
	}
	read := 0
	for i, got := range parsedDecimals(t, cells) {
		if got == unparsedDecimal {
			continue
		}
		read++
		want, err := strconv.ParseFloat(cells[i], 64)
		if err != nil || got.Value() != want {
			t.Fatalf("%s: got %v, want %v", cells[i], got.Value(), want)
		}
	}
	if read < 50_000 {
		t.Errorf("only %d numbers were plain", read)
	}
	others := []string{
		"", "-", ".", "-.", "--1", "1-1", "1.2.3", "1e5", "+1", " 1", "1 ", "0x1", "1:", "1/2",
		"123456789", "-123456789", "1.12345678", "12345678.", "12345678.5", "1\x001", "\xB11", "1;2",
	}
	for i, got := range parsedDecimals(t, others) {
		if got != unparsedDecimal {
			t.Errorf("%q was read as %v", others[i], got.Value())
		}
	}
	for i, got := range parsedDecimals(t, []string{".5", "5.", "-.12345678", "99999999", "-99999999", "0.0000001", "-0"}) {
		if want := []float64{.5, 5, -.12345678, 99999999, -99999999, 0.0000001, 0}[i]; got.Value() != want {
			t.Errorf("%v was read as %v", want, got.Value())
		}
	}
}

// checkLong compares parseLongNumber with strconv, and reports whether it parses the cell.
func checkLong(t *testing.T, cell string) bool {
	t.Helper()
	text := append([]byte(cell), bytes.Repeat([]byte("7,.\n"), chunkPadding/4)...)
	got, long := parseLongNumber(text, 0, int32(len(cell)))
	want, err := strconv.ParseFloat(cell, 64)
	if long && (err != nil || math.Float64bits(got) != math.Float64bits(want)) {
		t.Errorf("%q: got %v, want %v", cell, got, want)
	}
	return long
}

func TestParseLongNumber(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	rng := rand.New(rand.NewPCG(19, 20))
	read := 0
	for i := range 300_000 {
		value := rng.NormFloat64() * math.Pow10(rng.IntN(9)-4)
		digits := -1
		if i%3 > 0 {
			digits = rng.IntN(20)
		}
		if checkLong(t, strconv.FormatFloat(value, 'f', digits, 64)) {
			read++
		}
		// Numbers halfway between two float64, and their neighbours.
		half := new(big.Float).SetPrec(80).SetFloat64(float64(rng.IntN(1 << 30)))
		half.Add(half, new(big.Float).SetFloat64(math.Ldexp(1, rng.IntN(4)-27)))
		cell := []byte(half.Text('f', 12+rng.IntN(8)))
		cell[len(cell)-1] = byte('0' + rng.IntN(10))
		checkLong(t, string(cell))
	}
	if read < 150_000 {
		t.Errorf("only %d numbers were long", read)
	}
	for _, cell := range []string{"-0.000000000000000", "0.00000000", "1234567.890123456789", "-9.99999999999999999", "0.0012345678901234567", "-0.9999999999999999999"} {
		if !checkLong(t, cell) {
			t.Errorf("%q was not read", cell)
		}
	}
	for _, cell := range []string{"0.1234567", "1.23456789012345678901", "1.2345678901x", "1.23456.8901", ".1234567890", "1234567890.5", "--1.234567890"} {
		if checkLong(t, cell) {
			t.Errorf("%q was read", cell)
		}
	}
}

func FuzzParseLongNumber(f *testing.F) {
	f.Add("0.6394267984578837")
	f.Add("-1.23456789012345678")
	f.Add("12345678.9012345")
	f.Fuzz(func(t *testing.T, cell string) { checkLong(t, cell) })
}

func FuzzParseDecimals(f *testing.F) {
	f.Add("-0.5", "12", "1.2.3", "", "99999999")
	f.Add("x,1", "12\n.5", "1;2", "12345678.", "-.")
	f.Fuzz(func(t *testing.T, a, b, c, d, e string) {
		cells := []string{a, b, c, d, e}
		for i, got := range parsedDecimals(t, cells) {
			want, err := strconv.ParseFloat(cells[i], 64)
			if got != unparsedDecimal && (err != nil || got.Value() != want) {
				t.Errorf("%q was read as %v", cells[i], got.Value())
			}
		}
	})
}

// checkSeparators compares findSeparators with a simple implementation.
func checkSeparators(t *testing.T, text []byte) {
	t.Helper()
	var want []int32
	inside := false
	for i, char := range text {
		switch {
		case char == '"':
			inside = !inside
		case !inside && bytes.IndexByte([]byte(",\r\n"), char) >= 0:
			want = append(want, int32(i+1))
		}
	}
	padded := append(slices.Clone(text), bytes.Repeat([]byte("\n,\r\""), chunkPadding/4)...)
	got := make([]int32, len(padded)+separatorPadding)
	for _, quoted := range []bool{true, bytes.IndexByte(text, '"') >= 0} {
		if got := got[:findSeparators(got, padded, quoted)]; !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func FuzzFindSeparators(f *testing.F) {
	f.Add([]byte("1,2\n3,\"4,\"\"\n\",\r\n"))
	f.Add(bytes.Repeat([]byte(","), 200))
	f.Add(bytes.Repeat([]byte("ab cd-12345 !+,\n"), 20))
	f.Fuzz(checkSeparators)
}

func BenchmarkParsedChunk(b *testing.B) {
	for _, digits := range []int{5, 17} {
		b.Run("digits="+strconv.Itoa(digits), func(b *testing.B) {
			file := numericFile(1, digits)
			t, err := OpenTable(NewReader(bytes.NewReader(file), ','))
			if err != nil {
				b.Fatal(err)
			}
			numeric := make([]bool, len(t.Names))
			for i := range numeric {
				numeric[i] = i > 0 && i+1 < len(numeric)
			}
			c, p := new(Chunk), new(ParsedChunk)
			if !t.Reader.nextChunk(c, ChunkSize) {
				b.Fatal("no chunk")
			}
			b.SetBytes(int64(len(c.Text)))
			for b.Loop() {
				if !p.Parse(c, numeric) {
					b.Fatal("a defect")
				}
			}
		})
	}
}
