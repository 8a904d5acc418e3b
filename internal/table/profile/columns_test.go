package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/tabletest"
)

func TestOnlyIntegersNumberTheRows(t *testing.T) {
	for _, c := range []struct {
		format   string
		features int
		warnings int
	}{{"$%d", 0, 1}, {"$%d.5", 1, 0}, {"%d", 0, 1}, {"%d.5", 1, 0}} {
		var file strings.Builder
		file.WriteString("id,x,y\n")
		for i := range 100 {
			fmt.Fprintf(&file, "r%d,"+c.format+",%c\n", i, i*37%100, 'a'+i%2)
		}
		p := scanText(t, file.String(), ScanOptions{})
		if n := p.Columns[0].Features; n != c.features || len(p.Warnings) != c.warnings {
			t.Errorf("%s: %d features, %v", c.format, n, p.Warnings)
		}
	}
}

// TestRowNumbersWithGapsAreNotUsed expects the integers of a column to be row numbers only if they are
// counted from about 0, increase from row to row, and leave out few numbers.
func TestRowNumbersWithGapsAreNotUsed(t *testing.T) {
	for _, c := range []struct {
		name     string
		rows     int
		number   func(i int) int
		features int
	}{
		{"every tenth row removed", 100, func(i int) int { return i + i/9 }, 0},
		{"many rows", 30_000, func(i int) int { return i + i/9 }, 0},
		{"the first rows removed", 100, func(i int) int { return i + i/20 + 12 }, 0},
		{"years", 100, func(i int) int { return 1900 + i + i/9 }, 1},
		{"working days", 100, func(i int) int { return i + i/5*2 }, 1},
		{"another order", 100, func(i int) int { i = i * 37 % 100; return i + i/9 }, 1},
		{"many rows in another order", 30_000, func(i int) int { i = i * 7919 % 30_000; return i + i/9 }, 1},
		{"below 0", 100, func(i int) int { return i + i/9 - 50 }, 1},
	} {
		var file strings.Builder
		file.WriteString("id,x,y\n")
		for i := range c.rows {
			fmt.Fprintf(&file, "r%d,%d,%c\n", i, c.number(i), 'a'+i%2)
		}
		for _, brief := range []bool{false, true} {
			p := scanText(t, file.String(), ScanOptions{Brief: brief})
			if n := p.Columns[0].Features; n != c.features {
				t.Errorf("%s: %d features, %v", c.name, n, p.Warnings)
			}
		}
	}
}

// TestRowNumbersBeginAtTheStart expects that the integers of a range are row numbers only if the range
// begins at 0 or 1, or the name is the name of an ID, and the name does not mean that they count time.
func TestRowNumbersBeginAtTheStart(t *testing.T) {
	for _, c := range []struct {
		name  string
		first int
		used  bool
	}{{"x", 0, false}, {"x", 1, false}, {"x", 1900, true}, {"member_no", 1900, false}, {"Year", 1900, true}, {"week", 1, true}, {"average", 1, false}} {
		var file strings.Builder
		file.WriteString("id," + c.name + ",y\n")
		for i := range 100 {
			fmt.Fprintf(&file, "r%d,%d,%c\n", i, c.first+i, 'a'+i%2)
		}
		if p := scanText(t, file.String(), ScanOptions{}); (p.Columns[0].Features > 0) != c.used {
			t.Errorf("%s from %d: %d features, %v", c.name, c.first, p.Columns[0].Features, p.Warnings)
		}
	}
}

func TestDuplicateColumns(t *testing.T) {
	file := "id,name,copy,code,number,other,y\n"
	for i := range 120 {
		k := i * i % 7
		file += fmt.Sprintf("%d,n%d,n%d,%c,%d,%d,%c\n", i, k, k, 'z'-k, k, (i+1)*i%5, 'a'+i%2)
	}
	p := scanText(t, file, ScanOptions{})
	if d := cmp.Diff([]string{"name", "number", "other"}, featuresOf(p)); d != "" {
		t.Error(d)
	}
	var same []string
	for _, w := range p.Warnings {
		if w.Code == csvfile.CodeEqualColumn {
			same = append(same, w.String())
		}
	}
	want := []string{"line 1, column 3 (copy): 2 columns have the same content as an earlier column, or exactly one text for each of its values, so they are not used (copy, code)"}
	if d := cmp.Diff(want, same); d != "" {
		t.Error(d)
	}
}

// TestDuplicateColumnNamesTheOther expects a name and no number, because columns of the file may be
// at other positions than those of the table.
func TestDuplicateColumnNamesTheOther(t *testing.T) {
	for place, want := range map[string]string{
		"n%d":    `the column is not used, because it has the same content as the column "town"`,
		"<%d km": `the column is not used, because it has exactly one text for each value of the column "town"`,
	} {
		file := "id,town,place,y\n"
		for i := range 120 {
			file += fmt.Sprintf("%d,n%d,"+place+",%c\n", i, i*i%7, i*i%7, 'a'+i%2)
		}
		if p := scanText(t, file, ScanOptions{}); !slices.ContainsFunc(p.Warnings, func(w csvfile.Warning) bool { return w.Message == want }) {
			t.Errorf("%s: %+v", place, p.Warnings)
		}
	}
}

func TestEqualNumbersInAnotherOrderAreNotDuplicates(t *testing.T) {
	file, last := "id,up,down,same,y\n", 4_000 // more than are counted as texts
	for i := range last {
		file += fmt.Sprintf("%d,%d,%d,%d.0,%c\n", i, 2*i, 2*(last-1-i), 2*i, 'a'+i%2)
	}
	p := scanText(t, file, ScanOptions{})
	if d := cmp.Diff([]string{"up", "down"}, featuresOf(p)); d != "" {
		t.Error(d)
	}
}

// If there are more distinct values than columnstats counts exactly, their number is an
// estimate, which must not exceed the number of rows.
func TestDistinctDatesAreNotMoreThanRows(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,x,kind\n")
	const rows = 30_000
	for i := range rows {
		fmt.Fprintf(&text, "r%d,2020-01-%02d %02d:%02d:%02d,%s\n", i, i/86_400+1, i/3600%24, i/60%60, i%60, []string{"cat", "dog"}[i%2])
	}
	c := scanText(t, text.String(), ScanOptions{}).Columns[0]
	if c.Form != inference.FormDate || c.Distinct > rows || c.Distinct < rows*9/10 || !c.Estimate {
		t.Errorf("%s: %d different values, estimate %v", c.Form, c.Distinct, c.Estimate)
	}
}

// featuresOf returns the names of the features of a profile.
func featuresOf(p *Profile) []string {
	names := []string{}
	for i := range p.Schema.Columns {
		names = append(names, p.Schema.Columns[i].Name)
	}
	return names
}

func TestCommasInABlindFileAreRead(t *testing.T) {
	schema := &frame.Schema{ID: "id", Columns: []frame.ColumnSchema{{Name: "x"}}}
	f, err := frame.Load(t.Context(), strings.NewReader("id,x\n1,\"1,234.5\"\n2,$5\n3,7\n"), schema, frame.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if x := valuesOf(f, 0); x[0] != 1234.5 || x[1] == x[1] || x[2] != 7 {
		t.Error(x)
	}
}

func TestSpacesAroundCategoriesDoNotCount(t *testing.T) {
	file := tabletest.Column("red", " red", "red\t", "blue", " ", "")
	p := scanText(t, file, ScanOptions{})
	f := loadText(t, file, p.Schema)
	if d := cmp.Diff([]int32{1, 1, 1, 0, frame.Missing, frame.Missing}, f.Columns[0].Codes); d != "" {
		t.Error(d, p.Schema.Columns[0].Levels)
	}
}

// TestCodesBesideAnotherID checks that a column of codes is used although another column also has its own
// text in every row: the beginnings of the codes are features.
func TestCodesBesideAnotherID(t *testing.T) {
	random := func(i int) uint64 { return uint64(i+1) * 0x9e3779b97f4a7c15 }
	var b strings.Builder
	b.WriteString("id,ticket,code,y\n")
	for i := range 200 {
		fmt.Fprintf(&b, "%d,%016x,%c%05X,%c\n", i, random(i), 'K'+i%3, random(i)>>44, 'x'+i%2)
	}
	p := scanText(t, b.String(), ScanOptions{})
	if at := p.ColumnIndex("code"); p.Columns[at].Features == 0 {
		t.Errorf("the codes have no feature: %+v", p.Warnings)
	}
}

// TestIDWithBlanks warns about a column that is the ID except for a few rows without a value.
func TestIDWithBlanks(t *testing.T) {
	for _, c := range []struct {
		name   string
		blanks int
		want   string
	}{
		{"EmployeeNumber", 2, "line 1, column 2 (EmployeeNumber): the column has the name of an ID, and its integers are all different, but it is used as a feature, because 2 rows have no value"},
		{"EmployeeNumber", 30, ""},
		{"EmployeeNumber", 0, ""}, // unique: package roles makes it the ID
		{"income", 2, ""},
	} {
		var file strings.Builder
		fmt.Fprintf(&file, "id,%s,size,y\n", c.name)
		for i := range 400 {
			number := fmt.Sprint(i*i + 7)
			if i%13 == 5 && i/13 < c.blanks {
				number = ""
			}
			fmt.Fprintf(&file, "r%d,%s,%d,%c\n", i, number, i*37%11, 'a'+i*i%7%2)
		}
		got := ""
		for _, w := range scanText(t, file.String(), ScanOptions{}).Warnings {
			got += w.String()
		}
		if got != c.want {
			t.Errorf("%s with %d blanks: %s", c.name, c.blanks, got)
		}
	}
}
