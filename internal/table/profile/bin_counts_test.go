package profile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCountBins compares the counts with counts of the values themselves. They must be
// equal if there are few different values, and close if there are many.
func TestCountBins(t *testing.T) {
	const rows = 20_000
	draw := rand.New(rand.NewPCG(1, 1))
	var file strings.Builder
	file.WriteString("id,few,many,day\n")
	values := map[string][]float64{}
	for i := range rows {
		few, many, day := float64(draw.IntN(40)), 100*draw.NormFloat64(), draw.IntN(28)
		fmt.Fprintf(&file, "r%d,%g,%.9f,2024-03-%02d\n", i, few, many, day+1)
		values["few"], values["many"] = append(values["few"], few), append(values["many"], many)
		values["day"] = append(values["day"], 19783+float64(day)) // 2024-03-01 is day 19,783
	}
	p := scanText(t, file.String(), ScanOptions{Blind: true})
	for _, c := range []struct {
		column    string
		low, high float64
		tolerance float64
	}{{"few", 5, 33, 0}, {"many", -150, 170, 120}, {"day", 19785, 19800, 0}} {
		const bins = 7
		want := make([]float64, bins+2)
		for _, v := range values[c.column] {
			want[1+int(math.Floor(min(max((v-c.low)/(c.high-c.low)*bins, -1), bins)))]++
		}
		got := p.Columns[p.ColumnIndex(c.column)].CountBins(c.low, c.high, bins)
		sum := 0.0
		for i := range want {
			sum += got[i]
			if math.Abs(got[i]-want[i]) > c.tolerance {
				t.Errorf("%s: %.0f, want %.0f", c.column, got, want)
				break
			}
		}
		if math.Abs(sum-rows) > 1e-6 {
			t.Errorf("%s: the counts add up to %v", c.column, sum)
		}
	}
}
