package drift

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// TestMeasureUnixTimes compares files with missing times and times in milliseconds. The large file has more
// numbers than are counted.
func TestMeasureUnixTimes(t *testing.T) {
	train := &api.Dataset{Rows: 300, Columns: []api.Column{
		{Name: "time", Kind: "date", Epoch: "s", Missing: 100, Distribution: &api.Distribution{Low: 18_518, High: 19_100, Bins: []int64{50, 50, 50, 50}}},
	}}
	schema := &frame.Schema{ID: "id", Columns: []frame.ColumnSchema{{Name: "time.time", Source: "time", Feature: frame.ExtractTime, Epoch: frame.EpochSeconds}}}
	const reason = "a large column of Unix times is not compared if some of its numbers are not times, such as 0"
	for _, c := range []struct {
		rows  int
		every string // the value of every third row
		want  string
	}{
		{300, "0", "none "},
		{9_000, "", "none "},
		{9_000, "0", "unknown " + reason},
		{9_000, "1600000000000", "unknown " + reason},
	} {
		draw := rand.New(rand.NewPCG(1, 2))
		var file strings.Builder
		file.WriteString("id,time\n")
		for i := range c.rows {
			cell := fmt.Sprint(18_518*86_400 + draw.IntN(582*86_400))
			if i%3 == 0 {
				cell = c.every
			}
			fmt.Fprintf(&file, "r%d,%s\n", i, cell)
		}
		p, err := profile.Scan(t.Context(), strings.NewReader(file.String()), profile.ScanOptions{Blind: true, ID: "id", Training: schema})
		if err != nil {
			t.Fatal(err)
		}
		column := Measure(train, "b.csv", p, nil).Columns[0]
		if got := string(column.Level) + " " + column.Reason; got != c.want {
			t.Errorf("%d rows with %q: %s, want %s", c.rows, c.every, got, c.want)
		}
	}
}
