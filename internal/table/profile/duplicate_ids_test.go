package profile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// manyIDs is a number of IDs that does not fit in the memory of the streams.
const manyIDs = 120_000

// TestDuplicateIDs finds duplicates among IDs that are on disk, and among the same number
// of IDs if the disk is full.
func TestDuplicateIDs(t *testing.T) {
	counting := func(n int) string { return strconv.Itoa(n) }
	padded := func(n int) string { return fmt.Sprintf("T-%07d", n) }
	falling := func(n int) string { return strconv.Itoa(manyIDs - n) }
	r := rand.New(rand.NewPCG(1, 2))
	random := make([]string, manyIDs)
	for i := range random {
		random[i] = fmt.Sprintf("%016x-%d", r.Uint64(), i)
	}
	everyRow := make([]int, manyIDs-1)
	for i := range everyRow {
		everyRow[i] = i + 1
	}
	tests := []struct {
		name  string
		id    func(n int) string
		again map[int]int // by row: the row whose ID it repeats
		want  *csvfile.Defect
	}{
		{name: "counting", id: counting},
		{name: "padded", id: padded},
		{name: "falling", id: falling},
		{name: "random", id: func(n int) string { return random[n] }},
		{name: "counting_but_the_last", id: counting, again: map[int]int{manyIDs - 1: 0}, want: duplicateDefect(0, manyIDs-1)},
		{name: "padded_but_one", id: padded, again: map[int]int{60_000: 59_999}, want: duplicateDefect(59_999, 60_000)},
		{
			name: "random_but_two", id: func(n int) string { return random[n] },
			again: map[int]int{9: 7, 110_000: 50_000}, want: duplicateDefect(7, 9, 110_000),
		},
		{name: "constant", id: func(int) string { return "x" }, want: duplicateDefect(0, everyRow...)},
	}
	if testing.Short() { // under the race detector each case takes seconds
		tests = tests[len(tests)-2:]
	}
	for _, disk := range []string{"room", "no_room"} {
		dir := t.TempDir()
		temporary := dir
		if disk == "no_room" {
			temporary = filepath.Join(dir, "gone")
		}
		t.Setenv("TMPDIR", temporary)
		t.Setenv("TMP", temporary)
		for _, test := range tests {
			t.Run(disk+"/"+test.name, func(t *testing.T) {
				var file bytes.Buffer
				file.WriteString("id,a,y\n")
				for n := range manyIDs {
					from, other := test.again[n]
					if !other {
						from = n
					}
					fmt.Fprintf(&file, "%s,%d,%d\n", test.id(from), n%7, n%2)
				}
				p, err := Scan(t.Context(), &file, ScanOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, defectOf(p)); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("left in the folder for temporary files: %v (%v)", left, err)
				}
			})
		}
	}
}

// duplicateDefect returns the defect of rows that each have the ID of an earlier row. first is
// the earlier row with the ID of rows[0]. Rows are counted from 0.
func duplicateDefect(first int, rows ...int) *csvfile.Defect {
	d := &csvfile.Defect{Code: csvfile.CodeDuplicateID, Line: rows[0] + 2, Column: 1, Name: "id", Count: len(rows)}
	for _, row := range rows[:min(len(rows), csvfile.MaxLocations)] {
		d.Lines = append(d.Lines, row+2)
	}
	switch n := len(rows); n {
	case 1:
		d.Message = fmt.Sprintf("line %d has the same ID: IDs must be unique", first+2)
	case 2:
		d.Message = fmt.Sprintf("2 rows repeat the ID of an earlier row, in lines %d and %d: IDs must be unique", rows[0]+2, rows[1]+2)
	default:
		d.Message = fmt.Sprintf("%s repeat the ID of an earlier row, first in lines %d, %d, %d: IDs must be unique",
			humanize.Count(n, "row"), rows[0]+2, rows[1]+2, rows[2]+2)
	}
	return d
}

// defectOf returns the only defect of a profile, or nil if it has none.
func defectOf(p *Profile) *csvfile.Defect {
	if len(p.Defects) == 0 {
		return nil
	}
	return &p.Defects[0]
}
