package profile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
)

// wideTable is a table whose cells are kept to compute the expected profile.
type wideTable struct {
	file  string
	cells [][]string // by column, without ID and label
}

// newWideTable generates columns of decimals, long numbers, integers, codes, texts and
// constants, some with missing values.
func newWideTable(columns, rows int, rng *rand.Rand) wideTable {
	w := wideTable{cells: make([][]string, columns)}
	var file strings.Builder
	file.WriteString("id")
	for i := range columns {
		fmt.Fprintf(&file, ",f%d", i)
	}
	file.WriteString(",label\n")
	for row := range rows {
		fmt.Fprintf(&file, "r%d", row)
		for i := range columns {
			cell := wideCell(i, rng)
			w.cells[i] = append(w.cells[i], cell)
			file.WriteString("," + cell)
		}
		fmt.Fprintf(&file, ",%c\n", 'a'+row%2)
	}
	w.file = file.String()
	return w
}

func wideCell(column int, rng *rand.Rand) string {
	if column%5 == 4 && rng.IntN(4) == 0 {
		return ""
	}
	switch column % 7 {
	case 0, 1:
		return strconv.FormatFloat(float64(rng.IntN(1_000))/1_000, 'f', -1, 64)
	case 2:
		return strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64)
	case 3:
		return strconv.Itoa(rng.IntN(2_000) - 1_000)
	case 4:
		return []string{"AA", "AB", "BB"}[rng.IntN(3)]
	case 5:
		return "t" + strconv.Itoa(rng.IntN(300))
	}
	return "7"
}

// wideProfile is the profile of a column, computed by a simple implementation.
type wideProfile struct {
	Form                   inference.Form
	Missing, Distinct      int
	Min, Max, Mean, Median float64
}

func naiveProfile(cells []string) wideProfile {
	p := wideProfile{Form: inference.FormNumeric}
	texts, numbers := map[string]bool{}, []float64{}
	for _, cell := range cells {
		value, err := strconv.ParseFloat(cell, 64)
		switch {
		case cell == "":
			p.Missing++
			continue
		case err != nil:
			p.Form = inference.FormCategory
		default:
			numbers = append(numbers, value)
		}
		texts[cell] = true
	}
	p.Distinct = len(texts)
	if p.Form == inference.FormNumeric && len(numbers) > 0 {
		slices.Sort(numbers)
		sum := 0.0
		for _, value := range numbers {
			sum += value
		}
		half := len(numbers) / 2
		p.Min, p.Max, p.Mean = numbers[0], numbers[len(numbers)-1], sum/float64(len(numbers))
		p.Median = (numbers[(len(numbers)-1)/2] + numbers[half]) / 2
	}
	return p
}

// TestWideTables compares the profile of tables of many columns with a simple
// implementation, with the usual memory and with very little.
func TestWideTables(t *testing.T) {
	type shape struct{ columns, rows, memory int }
	shapes := []shape{{300, 150, 0}, {5_000, 80, 0}, {5_000, 80, 1 << 10}, {12_000, 40, 1 << 10}}
	if testing.Short() { // under the race detector a million cells take seconds
		shapes = []shape{{300, 150, 0}, {1_000, 80, 1 << 10}}
	}
	for _, shape := range shapes {
		t.Run(fmt.Sprintf("%dx%d_memory_%d", shape.columns, shape.rows, shape.memory), func(t *testing.T) {
			w := newWideTable(shape.columns, shape.rows, rand.New(rand.NewPCG(1, uint64(shape.columns))))
			p := scanText(t, w.file, ScanOptions{TextMemory: shape.memory})
			if p.Err() != nil || len(p.Columns) != shape.columns {
				t.Fatal(p.Err(), len(p.Columns))
			}
			wrong, constant := 0, 0
			for i := range p.Columns {
				c, want := &p.Columns[i], naiveProfile(w.cells[i])
				if want.Distinct == 1 && want.Missing == 0 {
					constant++
				}
				got := wideProfile{Form: c.Form, Missing: c.Missing, Distinct: c.Distinct}
				if c.Numbers != nil {
					got.Min, got.Max, got.Mean, got.Median = c.Numbers.Min, c.Numbers.Max, c.Numbers.Mean, c.Numbers.Median
				}
				if math.Abs(got.Mean-want.Mean) < 1e-9 && math.Abs(got.Median-want.Median) < 1e-12 {
					got.Mean, got.Median = want.Mean, want.Median
				}
				if c.Estimate || got != want {
					if wrong++; wrong < 5 {
						t.Errorf("%s: %+v (estimate %v), want %+v", c.Name, got, c.Estimate, want)
					}
				}
			}
			if at := slices.IndexFunc(p.Warnings, func(w csvfile.Warning) bool { return w.Code == csvfile.CodeConstantColumn }); at < 0 || p.Warnings[at].Count != constant {
				t.Errorf("not %d constant columns: %v", constant, p.Warnings)
			}
		})
	}
}

// TestManyColumns scans files with the largest allowed number of fields and with more.
func TestManyColumns(t *testing.T) {
	if testing.Short() { // under the race detector it takes seconds
		t.Skip("TestWideTables reads wide tables by the same goroutines")
	}
	header := func(columns int) string {
		var text strings.Builder
		for i := range columns {
			fmt.Fprintf(&text, "c%d,", i)
		}
		return strings.TrimSuffix(text.String(), ",") + "\n"
	}
	row := func(columns int, label string) string { return strings.Repeat("1,", columns-1) + label + "\n" }
	t.Run("as_many_as_are_read", func(t *testing.T) {
		p := scanText(t, header(csvfile.MaxFields)+row(csvfile.MaxFields, "a")+"2,2"+row(csvfile.MaxFields, "b")[3:], ScanOptions{})
		if p.Err() != nil || len(p.Columns) != csvfile.MaxFields-2 {
			t.Error(p.Err(), len(p.Columns))
		}
	})
	t.Run("one_more", func(t *testing.T) {
		p := scanText(t, header(csvfile.MaxFields+1)+row(csvfile.MaxFields+1, "a"), ScanOptions{})
		want := []string{"too-many-columns: line 1: the row has 65,537 fields; the maximum is 65,536"}
		if got := errorsOf(p.Defects); !slices.Equal(got, want) {
			t.Error(got)
		}
	})
	t.Run("in_a_row", func(t *testing.T) {
		p := scanText(t, "id,x,y\n1,2,a\n"+row(70_000, "a")+"\"3\n,\","+row(70_000, "\"a\r\nb\"")+"4,5,b\n", ScanOptions{})
		want := []string{"too-many-columns: line 3: 2 rows have more than 65,536 fields, in lines 3 and 4"}
		if got := errorsOf(p.Defects); !slices.Equal(got, want) || p.Rows != 4 || p.Partial {
			t.Error(got, p.Rows, p.Partial)
		}
	})
	t.Run("that_never_end", func(t *testing.T) {
		src := &countingReader{src: commas{}}
		p, err := Scan(t.Context(), src, ScanOptions{})
		if err != nil || len(p.Defects) != 1 || p.Defects[0].Code != csvfile.CodeTooManyColumns || src.read > 2*csvfile.MaxRecordBytes {
			t.Error(err, p.Defects, src.read)
		}
	})
}

// TestWarningsOfManyColumns scans a table in which each column has a warning of the same kind. There
// must be one warning for all columns.
func TestWarningsOfManyColumns(t *testing.T) {
	t.Parallel()
	const columns = 200
	var text strings.Builder
	text.WriteString("id,")
	for i := range columns {
		fmt.Fprintf(&text, "c%d,", i)
	}
	text.WriteString("y\n")
	for row := range 60 {
		fmt.Fprintf(&text, "r%d", row)
		for i := range columns {
			fmt.Fprintf(&text, ",%02d/%02d/2020", 1+(row*(i+1)+i)%12, 1+(row+i*row)%12)
		}
		fmt.Fprintf(&text, ",%c\n", "yn"[row%2])
	}
	p := scanText(t, text.String(), ScanOptions{})
	counts := map[string]int{}
	for _, w := range p.Warnings {
		counts[w.Code]++
	}
	if counts[csvfile.CodeAmbiguousDates] != 1 || len(p.Warnings) > 10 {
		t.Errorf("%d warnings: %v", len(p.Warnings), counts)
	}
}

// commas is an endless file of commas.
type commas struct{}

func (commas) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ','
	}
	return len(p), nil
}

type countingReader struct {
	src  io.Reader
	read int
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	r.read += n
	return n, err
}

// countedContext is cancelled at the nth call of Err.
type countedContext struct {
	context.Context
	left  atomic.Int64
	asked atomic.Int64
}

func (c *countedContext) Err() error {
	c.asked.Add(1)
	if c.left.Add(-1) >= 0 {
		return nil
	}
	return context.Canceled
}

// TestScanOfAWideTableIsCancelled cancels a scan at many points. Scan must return the
// error of the context soon after.
func TestScanOfAWideTableIsCancelled(t *testing.T) {
	const columns = 1_000
	w := newWideTable(columns, 60, rand.New(rand.NewPCG(1, 2)))
	scan := func(after int64) (int64, error) {
		ctx := &countedContext{Context: t.Context()}
		ctx.left.Store(after)
		_, err := Scan(ctx, strings.NewReader(w.file), ScanOptions{})
		return ctx.asked.Load(), err
	}
	all, err := scan(math.MaxInt64)
	if err != nil || all < 3*columns { // three steps of a scan check the context once for every column
		t.Fatalf("asked %d times: %v", all, err)
	}
	steps := int64(20)
	if testing.Short() {
		steps = 4
	}
	for after := int64(0); after < all; after += all / steps {
		asked, err := scan(after)
		if !errors.Is(err, context.Canceled) || asked > after+200 {
			t.Errorf("cancelled at %d of %d: asked %d times, %v", after, all, asked, err)
		}
	}
}

// TestDefectsAreCounted compares the counts of defects with a simple implementation.
func TestDefectsAreCounted(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() { // the goroutines are the same for each seed
		seeds = 4
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 3))
		text, want, ids := new(strings.Builder), map[string][]int{}, map[string]bool{}
		text.WriteString("id,x,y\n")
		for i := range 1_000 + rng.IntN(20_000) {
			line, id := i+2, strconv.Itoa(i)
			switch rng.IntN(50) {
			case 0:
				text.WriteString(id + ",1\n")
				want[csvfile.CodeRaggedRow] = append(want[csvfile.CodeRaggedRow], line)
				continue
			case 1:
				text.WriteString(id + ",1,\n")
				want[csvfile.CodeEmptyLabel] = append(want[csvfile.CodeEmptyLabel], line)
			case 2:
				text.WriteString(" ,1,a\n")
				want[csvfile.CodeEmptyID] = append(want[csvfile.CodeEmptyID], line)
				continue
			case 3:
				id = strconv.Itoa(rng.IntN(i + 1))
				text.WriteString(id + ",1,b\n")
			case 4:
				text.WriteString(id + ",\xff,b\n")
				want[csvfile.CodeInvalidUTF8] = append(want[csvfile.CodeInvalidUTF8], line)
				continue
			default:
				text.WriteString(id + fmt.Sprintf(",%d,%c\n", i, 'a'+i%2))
			}
			if ids[id] {
				want[csvfile.CodeDuplicateID] = append(want[csvfile.CodeDuplicateID], line)
			}
			ids[id] = true
		}
		p := scanText(t, text.String(), ScanOptions{})
		if len(p.Defects) != len(want) {
			t.Errorf("seed %d: %v", seed, errorsOf(p.Defects))
		}
		for _, d := range p.Defects {
			lines := want[d.Code]
			if d.Count != len(lines) || !slices.Equal(d.Lines, lines[:min(len(lines), csvfile.MaxLocations)]) || d.AtLeast {
				t.Errorf("seed %d: %s: %d, %v, want %d", seed, d.Code, d.Count, d.Lines, len(lines))
			}
		}
	}
}

// TestBriefScan checks that a brief scan finds the same schema.
func TestBriefScan(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of cells, which TestReadingDoesNotDependOnTheCores reads by the same goroutines")
	}
	w := newWideTable(12_000, 200, rand.New(rand.NewPCG(1, 3))) // more than a brief sample keeps in memory
	whole, brief := scanText(t, w.file, ScanOptions{}), scanText(t, w.file, ScanOptions{Brief: true})
	for i := range whole.Columns {
		a, b := &whole.Columns[i], &brief.Columns[i]
		if a.Distinct != b.Distinct || a.Estimate || b.Estimate || a.Features != b.Features {
			t.Fatalf("%s: %d and %d different values, %d and %d features", a.Name, a.Distinct, b.Distinct, a.Features, b.Features)
		}
	}
	same := func(a, b frame.ColumnSchema) bool {
		return a.Name == b.Name && a.Kind == b.Kind && slices.Equal(a.Levels, b.Levels)
	}
	if !slices.EqualFunc(whole.Schema.Columns, brief.Schema.Columns, same) {
		t.Error("the schemas differ")
	}
}
