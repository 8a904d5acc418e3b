package profile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/spill"
	"foretell/internal/table/frame"
)

// TestSampleOfWideTable samples more rows than fit in memory, up to a thousand, and checks
// that the statistics are computed from all of them.
func TestSampleOfWideTable(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of cells, in one goroutine")
	}
	const fields = groupFields + 10 // a whole group and a part of a group
	disk := spill.New(t.TempDir())
	defer disk.Close()
	s := newRowSample(fields, 0, -1, false, disk)
	s.capacity = 20
	draw := rand.New(rand.NewPCG(1, 2))
	row, columns := make([][]byte, fields), make([][]string, fields)
	add := func(number int) {
		for i := range row {
			cell := fmt.Sprint(draw.IntN(400) - 200)
			switch {
			case draw.IntN(10) == 0:
				cell = ""
			case i%3 == 0:
				cell = "t" + cell
			}
			row[i], columns[i] = []byte(cell), append(columns[i], cell)
		}
		s.add(row, number)
	}
	for number := range maxWideRows {
		add(number)
	}
	if !s.hasAllRows() || len(s.rowNumbers) > s.capacity {
		t.Fatalf("complete: %v, with %d rows in memory", s.hasAllRows(), len(s.rowNumbers))
	}
	figures, err := s.fieldStats(t.Context(), func(field int) bool { return field != 5 })
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < fields; i++ {
		want := naiveProfile(columns[i])
		got, distinct := figures[i], figures[i].numbers+figures[i].texts
		if i == 5 {
			want.Distinct = 0
		}
		if numeric := want.Form == FormNumeric && i != 5; distinct != want.Distinct || numeric && got.median != want.Median {
			t.Fatalf("field %d: %+v, want %+v", i, got, want)
		}
	}
	if add(maxWideRows); s.hasAllRows() {
		t.Error("a row more is kept")
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

// TestSourceLine checks that messages name the files of a table in several files.
func TestSourceLine(t *testing.T) {
	source := func(line int) (string, int) {
		if line < 4 {
			return "a.csv", line
		}
		return "b.csv", line - 2
	}
	p := scanText(t, "id,x,y\n1,2,\n1,2,a\n3,4,\n3,4,b\n", ScanOptions{SourceLine: source})
	const want = "2 rows have no label, in a.csv:2 and b.csv:2; 2 rows repeat the ID of an earlier row, in a.csv:3 and b.csv:3: IDs must be unique"
	if got := p.DefectSummary(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := scanText(t, "id,x,y\n1,2,a\n2,2,a\n1,4,b\n", ScanOptions{SourceLine: source}).DefectSummary(); !strings.Contains(got, "a.csv:2 has the same ID") {
		t.Error(got)
	}
}

// TestDefectSummaryIsShort checks that long names of columns are cut.
func TestDefectSummaryIsShort(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	p := scanText(t, "id,"+long+",y\n1,2,a\n2,\xFF,b\n", ScanOptions{})
	if got := p.DefectSummary(); len(got) > 300 || !strings.Contains(got, "xxx…") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
}
