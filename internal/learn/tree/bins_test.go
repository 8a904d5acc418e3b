package tree

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/frame"
)

func TestNewBins(t *testing.T) {
	nan := frame.NaN
	f := &frame.Frame{
		Schema: &frame.Schema{Columns: []frame.ColumnSchema{{}, {Kind: frame.Category, Levels: []string{"a", "b", "c"}}, {}, {}}},
		Rows:   5,
		Columns: []frame.Column{
			{Floats: []float64{3, 1, nan, 2, 1}},
			{Codes: []int32{2, 3, frame.Missing, 2, 0}},
			{Floats: []float64{nan, nan, nan, nan, nan}},
			{Floats: []float64{7, 7, 7, 7, 7}},
		},
	}
	bins, err := NewBins(t.Context(), f, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]uint8{{2, 0, 3, 1, 0}, {0, 3, 4, 0, 1}, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}}
	for i, feature := range bins.Features {
		if diff := cmp.Diff(want[i], feature.Data); diff != "" {
			t.Errorf("feature %d (-want +got):\n%s", i, diff)
		}
		if int(feature.Missing) != feature.Bins-1 {
			t.Errorf("feature %d: missing bin %d of %d is not the last", i, feature.Missing, feature.Bins)
		}
	}
	t.Run("unseen_code_is_other", func(t *testing.T) {
		c := &bins.Features[1].Cuts
		if got, want := c.Code(77), c.Missing-1; got != want {
			t.Errorf("got bin %d, want %d", got, want)
		}
	})
}

func TestCutsNumber(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for name, value := range map[string]func() float64{
		"continuous": draw.NormFloat64,
		"few_values": func() float64 { return float64(draw.IntN(9)) },
		"heavy_zero": func() float64 { return math.Max(0, draw.NormFloat64()) },
		"skewed":     func() float64 { return math.Exp(20 * draw.NormFloat64()) },
		"huge":       func() float64 { return math.MaxFloat64 * (2*draw.Float64() - 1) },
	} {
		t.Run(name, func(t *testing.T) {
			values := make([]float64, 5000)
			for i := range values {
				values[i] = value()
			}
			for _, most := range []int{2, 5, 100, 254} {
				c := NumericCuts(append([]float64(nil), values...), most)
				if c.Bins > most+1 {
					t.Fatalf("%d value bins, asked for %d", c.Bins-1, most)
				}
				counts := make([]int, c.Bins)
				for _, x := range values {
					bin := int(c.Number(x))
					counts[bin]++
					below := bin == 0 || c.Edges[bin-1] < x
					if !below || bin < len(c.Edges) && x > c.Edges[bin] {
						t.Fatalf("%v is not within bin %d of %v", x, bin, c.Edges)
					}
				}
				for bin, n := range counts[:c.Bins-1] {
					if n == 0 {
						t.Errorf("bin %d of %d is empty", bin, c.Bins)
					}
				}
			}
		})
	}
}
