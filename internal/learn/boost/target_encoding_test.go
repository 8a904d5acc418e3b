package boost

import (
	"math"
	"math/rand/v2"
	"testing"

	"foretell/internal/table/frame"
)

// TestOrderedStatistics compares statistics, which are computed from sliding sums, with
// means computed separately for each row. It also checks that no row's statistic depends
// on the row's own label.
func TestOrderedStatistics(t *testing.T) {
	f := testFrame(101, 2)
	groups := make([]int32, f.Rows)
	for row := range groups {
		groups[row] = int32(row/7) - 2 // the first rows have no group
	}
	for name, opts := range map[string]Options{
		"without_groups": {Classes: 2, Buckets: 128},
		"with_groups":    {Classes: 2, Buckets: 128, Groups: groups},
	} {
		t.Run(name, func(t *testing.T) { testOrderedStatistics(t, f, opts) })
	}
}

func testOrderedStatistics(t *testing.T, f *frame.Frame, opts Options) {
	t.Helper()
	fold := everyThirdRow(f.Rows)
	e := newTargetEncoder(f, fold.Train, &opts)
	categories := e.categoriesOfRows(newCategoryColumns(f, 2))
	statistics := func() []float64 {
		got := make([]float64, f.Rows)
		e.orderedMeans(e.permutations[1], categories, e.targets[0], func(row int32, mean float32) { got[row] = float64(mean) })
		return got
	}
	got := statistics()
	order := e.permutations[1]
	n := len(order)
	p := 0.0
	for _, row := range order {
		p += float64(f.Labels[row]) / float64(n)
	}
	for i, row := range order {
		sum, count := priorWeight*p, float64(priorWeight)
		for back := 1; back <= n/2; back++ {
			before := order[(i-back+n)%n]
			if opts.Groups != nil && opts.Groups[row] >= 0 && opts.Groups[before] == opts.Groups[row] {
				continue
			}
			if categories.of[before] == categories.of[row] {
				sum += float64(f.Labels[before])
				count++
			}
		}
		if math.Abs(got[row]-sum/count) > 1e-6 {
			t.Fatalf("row %d: statistic %v, want %v", row, got[row], sum/count)
		}
	}
	for _, row := range fold.Train {
		f.Labels[row] = 1 - f.Labels[row]
		// Every statistic includes the mean of all rows, which the label may change.
		if after := statistics()[row]; math.Abs(after-got[row]) > 1.01/float64(n) {
			t.Fatalf("row %d: another label changes its statistic from %v to %v", row, got[row], after)
		}
		f.Labels[row] = 1 - f.Labels[row]
	}
}

func TestStatisticsOfPairs(t *testing.T) {
	// The class depends on two columns together and on neither alone.
	const rows = 4000
	draw := rand.New(rand.NewPCG(3, 3))
	f := &frame.Frame{Schema: &frame.Schema{}, Rows: rows, Columns: make([]frame.Column, 3)}
	for range f.Columns {
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Kind: frame.Category, Levels: make([]string, 30)})
	}
	for range rows {
		a, b := int32(draw.IntN(30)), int32(draw.IntN(30))
		f.Columns[0].Codes = append(f.Columns[0].Codes, a)
		f.Columns[1].Codes = append(f.Columns[1].Codes, int32(draw.IntN(30)))
		f.Columns[2].Codes = append(f.Columns[2].Codes, b)
		f.Labels = append(f.Labels, (a+b)%2)
	}
	fold := everyThirdRow(rows)
	opts := Options{Classes: 2, Buckets: 128}
	e := newTargetEncoder(f, fold.Train, &opts)
	singles := []categoryColumns{newCategoryColumns(f, 0), newCategoryColumns(f, 1), newCategoryColumns(f, 2)}
	pairs, err := e.findPairs(t.Context(), singles, 5, 2)
	if err != nil || len(pairs) == 0 || pairs[0].columns != [2]int32{0, 2} {
		t.Errorf("got %v, %v", pairs, err)
	}
}

// TestHashedPairs numbers the combinations of two columns with many categories. The kind in the
// binary form says that combinations share numbers.
func TestHashedPairs(t *testing.T) {
	const levels = 300
	f := &frame.Frame{Rows: levels + 2, Columns: make([]frame.Column, 2)}
	for i := range int32(f.Rows) {
		f.Columns[0].Codes = append(f.Columns[0].Codes, i-1)
		f.Columns[1].Codes = append(f.Columns[1].Codes, levels-i)
	}
	key := categoryColumns{columns: [2]int32{0, 1}, levels: [2]int32{levels + 2, levels + 2}}
	got := make([]int32, f.Rows)
	key.fillCategories(got, f, 0, f.Rows)
	seen := map[int32]bool{}
	for i, category := range got {
		if want := int32((i*(levels+2) + levels + 1 - i) % maxCombinations); category != want || int(category) >= key.numCategories() || seen[category] {
			t.Fatalf("row %d has the category %d, want %d, below %d and only once", i, category, want, key.numCategories())
		}
		seen[category] = true
	}
	for kind, key := range map[byte]categoryColumns{
		kindSymmetric:       {columns: [2]int32{0, 1}, levels: [2]int32{levels + 2, 200}},
		kindSymmetricHashed: key,
	} {
		m := Model{classes: 2, base: []float32{0}, ensemble: &symmetricModel{outputs: 1, sources: []featureSource{{column: -1, key: key, categoryBins: make([]uint8, key.numCategories())}}}}
		b, err := m.AppendBinary(nil)
		if err != nil || b[1] != kind {
			t.Fatalf("kind %d, error %v, want kind %d", b[1], err, kind)
		}
		var read Model
		if err := read.UnmarshalBinary(b); err != nil {
			t.Errorf("kind %d: %v", kind, err)
		}
		b[1] = kindSymmetric + kindSymmetricHashed - kind
		if err := read.UnmarshalBinary(b); err == nil {
			t.Errorf("a model of kind %d is read as kind %d, want an error", kind, b[1])
		}
	}
}
