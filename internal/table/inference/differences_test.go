package inference_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
	"foretell/internal/table/profile"
)

// TestDifferencesOfDates scans tables with a number of columns of dates. In the last tables,
// every seventh cell of the second date is missing.
func TestDifferencesOfDates(t *testing.T) {
	for _, tt := range []struct {
		dates int
		gaps  bool
		want  []string
	}{
		{1, false, nil},
		{2, false, []string{"d1.since.d0"}},
		{2, true, []string{"d1.since.d0"}},
		{5, false, []string{"d1.since.d0", "d2.since.d0", "d2.since.d1", "d3.since.d0", "d3.since.d1", "d3.since.d2"}},
		{5, true, []string{"d2.since.d0", "d3.since.d0", "d3.since.d2", "d4.since.d0", "d4.since.d2", "d4.since.d3"}},
	} {
		t.Run(fmt.Sprint(tt.dates, tt.gaps), func(t *testing.T) {
			var file strings.Builder
			file.WriteString("id")
			for i := range tt.dates {
				fmt.Fprintf(&file, ",d%d", i)
			}
			file.WriteString(",hour,label\n")
			for row := range 200 {
				fmt.Fprint(&file, row)
				for i := range tt.dates {
					year, month, day := cells.CivilFromDays(18_000 + (row*(37+10*i))%1500)
					if i == 1 && tt.gaps && row%7 == 0 {
						file.WriteByte(',')
						continue
					}
					fmt.Fprintf(&file, ",%04d-%02d-%02d", year, month, day)
				}
				fmt.Fprintf(&file, ",%02d:30,%d\n", row%24, row%2)
			}
			p := scanText(t, file.String(), profile.ScanOptions{})
			var got []string
			for _, d := range p.Schema.Differences() {
				got = append(got, p.Schema.Columns[d.Feature].Name)
			}
			if d := cmp.Diff(tt.want, got); d != "" || !p.Schema.Valid() {
				t.Error(d)
			}
		})
	}
}
