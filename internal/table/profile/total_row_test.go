package profile

import (
	"fmt"
	"testing"

	"foretell/internal/table/csvfile"
)

// TestTotalRow checks the warning about a last row of totals.
func TestTotalRow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		id, last string
		opts     ScanOptions
		wantLine int
	}{
		"total":        {"C-%03d", "Total,9,", ScanOptions{Blind: true}, 62},
		"german":       {"%d", "SUMME:,9,", ScanOptions{Blind: true}, 62},
		"quoted":       {"%d", "\"Total général\",9,", ScanOptions{Blind: true}, 62},
		"an_id":        {"%d", "61,9,4", ScanOptions{Blind: true}, 0},
		"another_name": {"%d", "Totality,9,4", ScanOptions{Blind: true}, 0},
		"generated_id": {"r%[1]d,%[1]d", "r61,Total,9,4", ScanOptions{Blind: true, GeneratedID: true}, 62},
		"no_digits":    {"r%d,north", "r61,Total,9,4", ScanOptions{Blind: true, GeneratedID: true}, 0},
		"training":     {"%d", "Total,9,4", ScanOptions{}, 62},
		"no_label":     {"%d", "Total,9,", ScanOptions{}, 62},
	} {
		file := "id,size,width\n"
		if c.opts.GeneratedID {
			file = "id,place,size,width\n"
		}
		for i := range 60 {
			file += fmt.Sprintf(c.id+",%d,%d\n", i, i*7%31, i%5)
		}
		line := 0
		for _, w := range scanText(t, file+c.last+"\n", c.opts).Warnings {
			if w.Code == csvfile.CodeTotalRow {
				line = w.Line
			}
		}
		if line != c.wantLine {
			t.Errorf("%s: line %d", name, line)
		}
	}
}
