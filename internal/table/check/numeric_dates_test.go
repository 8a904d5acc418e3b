package check_test

import (
	"fmt"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

// TestNumericDates scans columns of numbers that are probably months or days, and others.
func TestNumericDates(t *testing.T) {
	t.Parallel()
	const message = "the numbers are probably months or days, such as %q (line 2), which is read as the number %s; their order is not the order of time"
	for name, c := range map[string]struct {
		cell func(i int) string
		want string
	}{
		"months":          {func(i int) string { return fmt.Sprintf("%02d.%d", i%12+1, 2010+i%7) }, fmt.Sprintf(message, "01.2010", "1.201")},
		"days":            {func(i int) string { return fmt.Sprintf("%02d.%02d.", i%28+1, i%12+1) }, fmt.Sprintf(message, "01.01.", "1.01")},
		"decimals":        {func(i int) string { return fmt.Sprintf("%d.%d", i%12+1, 2010+i%100) }, ""},
		"a_larger_number": {func(i int) string { return fmt.Sprintf("%d.%d", i%13+1, 2010+i%7) }, ""},
		"prices":          {func(i int) string { return fmt.Sprintf("%02d.%02d", i%28+1, i%12+1) }, ""},
	} {
		p, got := scanText(t, tabletest.Column(tabletest.Cells(100, c.cell)...), profile.ScanOptions{}), ""
		for _, w := range p.Warnings {
			if w.Code == csvfile.CodeNumericDates {
				got += w.Message
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
