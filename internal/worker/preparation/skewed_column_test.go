package preparation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/drift"
	"foretell/internal/table/profile"
)

// scanNumbers profiles a file with a column of numbers.
func scanNumbers(t *testing.T, rows int, blind bool, number func(draw *rand.Rand) float64) *profile.Profile {
	t.Helper()
	draw := rand.New(rand.NewPCG(uint64(rows), 3))
	var b strings.Builder
	b.WriteString("id,reviews,label\n")
	for row := range rows {
		fmt.Fprintf(&b, "r%d,%v,%c\n", row, number(draw), 'a'+rune(row%2))
	}
	p, err := profile.Scan(t.Context(), strings.NewReader(b.String()), profile.ScanOptions{Blind: blind, Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDriftOfSkewedColumn finds a drift within the first bin of a column whose largest number is far from
// the others. It does so whether all numbers of the files are counted or only a sample is known.
func TestDriftOfSkewedColumn(t *testing.T) {
	reviews := func(draw *rand.Rand) float64 { return math.Floor(math.Exp(8 + 3*draw.NormFloat64())) }
	gains := func(draw *rand.Rand) float64 { // 90 % zeros
		return math.Floor(draw.Float64()+0.1) * math.Floor(math.Exp(8+2*draw.NormFloat64()))
	}
	zero := func(*rand.Rand) float64 { return 0 }
	for _, c := range []struct {
		name             string
		training, number func(draw *rand.Rand) float64
		want             api.DriftLevel
	}{
		{"as_in_training", reviews, reviews, api.DriftNone},
		{"zeros", reviews, zero, api.DriftLarge},
		{"half", reviews, func(draw *rand.Rand) float64 { return reviews(draw) / 8 }, api.DriftLarge},
		{"mostly_zeros", gains, gains, api.DriftNone},
		{"only_zeros", gains, zero, api.DriftLarge},
	} {
		for _, trainingRows := range []int{3000, 60_000} {
			train := scanNumbers(t, trainingRows, false, c.training)
			d := &api.Dataset{Rows: int64(train.Rows), Columns: toColumns(train)}
			for _, rows := range []int{2000, 50_000} {
				r := drift.Measure(d, "blind.csv", scanNumbers(t, rows, true, c.number), nil)
				if got := r.Columns[0]; got.Level != c.want {
					t.Errorf("%s, %d rows after %d: %s: %+v", c.name, rows, trainingRows, got.Level, got)
				}
			}
			d.Columns[0].Distribution.Quantiles = nil // as in datasets of earlier versions
			r := drift.Measure(d, "blind.csv", scanNumbers(t, 2000, true, c.number), nil)
			if got := r.Columns[0]; got.Level != api.DriftUnknown || !strings.Contains(strings.Join(r.Verdict, " "), "No column") {
				t.Errorf("%s without quantiles: %s: %s", c.name, got.Level, r.Verdict)
			}
		}
	}
}
