package check_test

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

// TestThousandsAmongDecimals scans columns in which every tenth number has three decimals.
func TestThousandsAmongDecimals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plain, other string // formats of the cells
		want         string
	}{
		"german_thousands":  {"2%03d.25", "3.%03d", `in 20 rows, the number has three decimals, such as "3.000" in line 2, and is less than 1000, unlike other numbers of the column: perhaps the "." in these numbers separates thousands`},
		"english_thousands": {"2%03d,25", "3,%03d", `in 20 rows, the number has three decimals, such as "3,000" in line 2, and`},
		"with_a_unit":       {"2%03d.25 EUR", "3.%03d EUR", `in 20 rows, the number has three decimals, such as "3.000 EUR" in line 2, and`},
		"grouped":           {"2.%03d,25", "3.%03d", ""},
		"small_numbers":     {"2%02d.25", "3.%03d", ""},
		"three_decimals":    {"2%03d.125", "3.%03d", ""},
		"fractions":         {"2%03d.25", "0.%03d", ""},
		"six_significant":   {"2%03d.25", "333.%03d", ""},
		"large_numbers":     {"2%03d.25", "3333.%03d", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := scanText(t, tabletest.Column(quoted(tabletest.Cells(200, func(i int) string {
				if i%10 == 0 {
					return fmt.Sprintf(c.other, i/2)
				}
				return fmt.Sprintf(c.plain, i/2)
			}))...), profile.ScanOptions{})
			got := ""
			for _, w := range p.Warnings {
				if w.Code == csvfile.CodeUnclearNumbers {
					got += w.Message
				}
			}
			if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
