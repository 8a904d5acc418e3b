package check_test

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// TestSameLookingCategories writes a category in two Unicode normalizations.
func TestSameLookingCategories(t *testing.T) {
	t.Parallel()
	for values, want := range map[[2]string]string{
		{"caf\u00e9", "cafe\u0301"}: `the texts "caf\u00e9" and "cafe\u0301" look the same, but have different Unicode code points`,
		{"cafe", "cafe\u200b"}:      `the texts "cafe" and "cafe\u200b" look the same, but have different Unicode code points`,
		{"caf\u00e9", "cafe"}:       "",
		{"cafe\u0301", "cafe"}:      "",
	} {
		var file strings.Builder
		file.WriteString("id,place,y\n")
		for i := range 120 {
			fmt.Fprintf(&file, "r%d,%s,%d\n", i, append(values[:], "bar")[i%3], i%2)
		}
		got := ""
		for _, w := range scanText(t, file.String(), profile.ScanOptions{}).Warnings {
			if w.Code == csvfile.CodeSameLooking {
				got += w.Message
			}
		}
		if got != want {
			t.Errorf("%+q: %s", values, got)
		}
	}
}
