package profile

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
)

func TestRepeatedHeaderIsReported(t *testing.T) {
	file := "id,size,class\n1,20,yes\n2,30,no\nid,size,class\n3,40,yes\n4,40,no\n5,50,no\n"
	p := scanText(t, file, ScanOptions{})
	isRepeated := func(w csvfile.Warning) bool { return w.Code == csvfile.CodeRepeatedHeader && w.Line == 4 }
	if !slices.ContainsFunc(p.Warnings, isRepeated) || p.Err() != nil {
		t.Error(p.Warnings, p.Err())
	}

	// The added IDs do not repeat, although the rest of the file is repeated.
	once := "size,class\nr2,no\nr2,yes\nr3,no\nr3,yes\n"
	file, line := "", 0
	for _, row := range strings.SplitAfter(strings.TrimSuffix(once+once, "\n"), "\n") {
		id := "r" + strconv.Itoa(line)
		if line == 0 {
			id = "id"
		}
		file += id + "," + row
		line++
	}
	isRepeated = func(w csvfile.Warning) bool { return w.Code == csvfile.CodeRepeatedHeader && w.Line == 6 }
	if p := scanText(t, file, ScanOptions{GeneratedID: true}); !slices.ContainsFunc(p.Warnings, isRepeated) || p.Err() != nil {
		t.Error(p.Warnings, p.Err())
	}
}

// TestTooManyRows checks a file against a small limit of the number of rows.
func TestTooManyRows(t *testing.T) {
	for limit, want := range map[int]int{2: 0, 1: 1} {
		table, err := csvfile.OpenTable(csvfile.NewReader(strings.NewReader("id,n,y\n"), ','))
		if err != nil {
			t.Fatal(err)
		}
		s := &scanner{table: table, profile: &Profile{Rows: 2}}
		s.checkMaxRows(limit)
		s.profile.updateDefects(new(csvfile.DefectLog))
		if d := s.profile.Defects; len(d) != want || want > 0 && d[0].Code != csvfile.CodeTooManyRows {
			t.Errorf("at most %d rows: defects %v", limit, d)
		}
	}
}

// TestSingleQuotes scans files with single quotes. An ID column that was generated has none.
func TestSingleQuotes(t *testing.T) {
	const rows = "1,'2.5','a'\n2,'3.5','b'\n"
	for _, c := range []struct {
		header      string
		generatedID bool
		want        bool
	}{
		{"'id','size','class'\n", false, true},
		{"id,'size','class'\n", true, true},
		{"id,'size','class'\n", false, false},
	} {
		isWanted := func(w csvfile.Warning) bool { return w.Code == csvfile.CodeSingleQuotes && w.Line == 1 }
		warnings := scanText(t, c.header+rows, ScanOptions{GeneratedID: c.generatedID}).Warnings
		if slices.ContainsFunc(warnings, isWanted) != c.want {
			t.Errorf("%+v: %v", c, warnings)
		}
	}
}
