package profile

import (
	"strings"
	"testing"
)

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
