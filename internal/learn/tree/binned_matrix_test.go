package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

func TestNewBinnedMatrix(t *testing.T) {
	nan := cells.NaN
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
	bins, err := NewBinnedMatrix(t.Context(), f, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]uint8{{2, 0, 3, 1, 0}, {0, 3, 4, 0, 1}, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}}
	for i, feature := range bins.Features {
		if diff := cmp.Diff(want[i], feature.Data); diff != "" {
			t.Errorf("feature %d (-want +got):\n%s", i, diff)
		}
		if int(feature.MissingBin) != feature.NumBins-1 {
			t.Errorf("feature %d: missing bin %d of %d is not the last", i, feature.MissingBin, feature.NumBins)
		}
	}
	t.Run("unseen_code_is_other", func(t *testing.T) {
		c := &bins.Features[1].BinMapper
		if got, want := c.BinOfCode(77), c.MissingBin-1; got != want {
			t.Errorf("got bin %d, want %d", got, want)
		}
	})
}

func TestEqualMappersShareBins(t *testing.T) {
	const rows = 900
	f := &frame.Frame{Rows: rows, Columns: []frame.Column{{Floats: make([]float64, rows)}, {Floats: make([]float64, rows)}, {Codes: make([]int32, rows)}}}
	for row := range rows {
		f.Columns[0].Floats[row] = float64(row)
		f.Columns[1].Floats[row] = float64(row % 5)
		f.Columns[2].Codes[row] = int32(row % 7)
	}
	fine := mustBins(t, f)
	coarse, err := NewBinnedMatrix(t.Context(), f, 65, 2, fine)
	if err != nil {
		t.Fatal(err)
	}
	built, err := NewBinnedMatrix(t.Context(), f, 65, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, shared := range []bool{false, true, true} {
		if got := &coarse.Features[i].Data[0] == &fine.Features[i].Data[0]; got != shared {
			t.Errorf("feature %d: bins are shared: %v, want %v", i, got, shared)
		}
		if diff := cmp.Diff(built.Features[i].Data, coarse.Features[i].Data); diff != "" {
			t.Errorf("feature %d has different bins (-built +reused):\n%s", i, diff)
		}
	}
}

// TestRanksServeAsBins tests three columns: one with few distinct values, one with too
// many for 65 bins, and one with too many for 255 bins.
func TestRanksServeAsBins(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,few,several,many,y\n")
	for row := range 5000 {
		missing := strconv.Itoa(row % 7)
		if row%5 == 0 {
			missing = ""
		}
		fmt.Fprintf(&text, "%d,%s,%d,%d,a\n", row, missing, row%100, row%300)
	}
	schema := &frame.Schema{ID: "id", Label: "y", Classes: []string{"a", "b"}, Columns: []frame.ColumnSchema{{Name: "few"}, {Name: "several"}, {Name: "many"}}}
	f, err := frame.Load(t.Context(), strings.NewReader(text.String()), schema, frame.LoadOptions{Labelled: true})
	if err != nil {
		t.Fatal(err)
	}
	for maxBins, want := range map[int][]bool{65: {true, false, false}, MaxBins: {true, true, false}} {
		bins, err := NewBinnedMatrix(t.Context(), f, maxBins, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i, feature := range bins.Features {
			ranks, _ := f.Columns[i].Dictionary()
			if got := ranks != nil && &ranks[0] == &feature.Data[0]; got != want[i] {
				t.Errorf("maxBins=%d: feature %d shares its ranks: %v, want %v", maxBins, i, got, want[i])
			}
			filled := make([]uint8, f.Rows)
			feature.Fill(filled, 1, &f.Columns[i], 0, f.Rows)
			if diff := cmp.Diff(filled, feature.Data); diff != "" {
				t.Errorf("maxBins=%d: feature %d (-filled +got):\n%s", maxBins, i, diff)
			}
		}
	}
}

func TestAppend(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for _, columns := range []int{7, 8, 11} {
		const rows = 50
		f := &frame.Frame{Rows: rows, Columns: make([]frame.Column, columns)}
		for i := range f.Columns {
			f.Columns[i].Floats = make([]float64, rows)
			for row := range rows {
				f.Columns[i].Floats[row] = draw.NormFloat64()
			}
		}
		bins, err := NewBinnedMatrix(t.Context(), f, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first call must not change data that the second one shares
			var more []Feature
			for range 6 {
				feature := Feature{Data: make([]uint8, rows)}
				for row := range feature.Data {
					feature.Data[row] = uint8(draw.IntN(256))
				}
				more = append(more, feature)
			}
			all, first := bins.Append(more)
			if first%8 != 0 || len(all.Features) != first+len(more) {
				t.Errorf("%d features, %d of them new, which begin at %d", len(all.Features), len(more), first)
			}
			for _, b := range []*BinnedMatrix{all, bins} {
				checkGroupWords(t, b)
			}
		}
	}
}

// checkGroupWords compares the packed words of b with its features.
func checkGroupWords(t *testing.T, b *BinnedMatrix) {
	t.Helper()
	if len(b.constant) != len(b.Features) || len(b.groups) != (len(b.Features)+7)/8 {
		t.Fatalf("%d features, %d groups, %d constant flags", len(b.Features), len(b.groups), len(b.constant))
	}
	for i, feature := range b.Features {
		for row, bin := range feature.Data {
			if got := uint8(b.groupWords(i / 8)[row] >> (i % 8 * 8)); got != bin {
				t.Fatalf("feature %d, row %d: bin %d in the packed word, want %d", i, row, got, bin)
			}
		}
	}
}

func TestBinMapper(t *testing.T) {
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
			copy(values, []float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)})
			for _, most := range []int{2, 5, 100, 254} {
				c := NewNumericMapper(append([]float64(nil), values...), most)
				if c.NumBins > most+1 {
					t.Fatalf("%d bins of values, want at most %d", c.NumBins-1, most)
				}
				counts := make([]int, c.NumBins)
				filled := make([]uint8, len(values))
				c.Fill(filled, 1, &frame.Column{Floats: values}, 0, len(values))
				for i, x := range values {
					bin := int(c.BinOf(x))
					if int(filled[i]) != bin {
						t.Fatalf("%v: bin %d by Fill, %d by BinOf, thresholds %v", x, filled[i], bin, c.Thresholds)
					}
					counts[bin]++
					below := bin == 0 || c.Thresholds[bin-1] < x
					if !below || bin < len(c.Thresholds) && x > c.Thresholds[bin] {
						t.Fatalf("%v is outside of bin %d, thresholds %v", x, bin, c.Thresholds)
					}
				}
				for bin, n := range counts[:c.NumBins-1] {
					if n == 0 {
						t.Errorf("bin %d of %d is empty", bin, c.NumBins)
					}
				}
			}
		})
	}
}

func TestSortNumbers(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 2*minRadixValues)
	for i := range values {
		values[i] = math.Ldexp(draw.Float64()-0.5, draw.IntN(2000)-1000)
	}
	copy(values, []float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64, 5e-324})
	want := slices.Clone(values)
	slices.Sort(want)
	sortFloats(values)
	for i := range want {
		if values[i] != want[i] {
			t.Fatalf("element %d: %v, want %v", i, values[i], want[i])
		}
	}
}
