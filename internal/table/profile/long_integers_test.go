package profile

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/inference"
)

// fileOfIntegers returns a training file with the column name, whose value in each row is value(i).
func fileOfIntegers(name string, rows int, value func(i int) int64) string {
	var file strings.Builder
	fmt.Fprintf(&file, "id,%s,label\n", name)
	for i := range rows {
		fmt.Fprintf(&file, "r%d,%d,%c\n", i, value(i), 'a'+i%2)
	}
	return file.String()
}

// TestIntegersThatAreEqualAsFloatsAreTexts expects that integers are counted as texts if a float64 cannot
// distinguish some of them, also if not all texts of the column are kept. Unix times stay times.
func TestIntegersThatAreEqualAsFloatsAreTexts(t *testing.T) {
	const limit = 1 << 53
	for _, c := range []struct {
		name, column   string
		rows, distinct int
		value          func(i int) int64
		want           inference.Form
	}{
		{"two products", "x", 200, 2, func(i int) int64 { return 10*limit + int64(i%2) }, inference.FormCategory},
		{"negative", "x", 200, 2, func(i int) int64 { return -10*limit - int64(i%2) }, inference.FormCategory},
		{"many IDs", "x", 9_000, 4_500, func(i int) int64 { return limit + int64(i/2) }, inference.FormCategory},
		{"exact", "x", 200, 200, func(i int) int64 { return limit - 1 - int64(i) }, inference.FormNumeric},
		{"far apart", "x", 200, 200, func(i int) int64 { return limit + 1000*int64(i) }, inference.FormNumeric},
		{"nanoseconds", "time_ns", 200, 200, func(i int) int64 { return 1_600_000_000_000_000_000 + int64(i) }, inference.FormDate},
	} {
		p := scanText(t, fileOfIntegers(c.column, c.rows, c.value), ScanOptions{})
		column := &p.Columns[0]
		if column.Form != c.want || c.want == inference.FormCategory && column.Distinct != c.distinct {
			t.Errorf("%s: %s with %d distinct values, want %s with %d", c.name, column.Form, column.Distinct, c.want, c.distinct)
		}
	}
}

// TestLongIntegersStayNumbersOfTheTrainingFile expects that a column is read as numbers in a blind file if
// it is one of numbers in the training file.
func TestLongIntegersStayNumbersOfTheTrainingFile(t *testing.T) {
	train := scanText(t, fileOfIntegers("x", 200, func(i int) int64 { return 1<<53 + 1000*int64(i) }), ScanOptions{})
	blind := scanText(t, "id,x\nr1,9007199254740992\nr2,9007199254740993\n", ScanOptions{Blind: true, Training: train.Schema})
	if form := blind.Columns[0].Form; form != inference.FormNumeric {
		t.Errorf("the blind column is %s, want numeric", form)
	}
}
