package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestAreasOfClassesEqualThoseOfSortedRows compares ROCAUC and PRAUC, bit for bit, with the areas
// that are computed by sorting all rows for each class.
func TestAreasOfClassesEqualThoseOfSortedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 400 {
		p := randomPredictions(rng, 1+rng.IntN(300), 2+rng.IntN(12))
		if rng.IntN(2) == 0 {
			p.ClassRows = make([]int, p.Classes)
			for c := range p.ClassRows {
				p.ClassRows[c] = rng.IntN(100)
			}
		}
		compareAreas(t, fmt.Sprintf("trial %d", trial), p)
	}
	compareAreas(t, "rows of one class", Predictions{Classes: 3, Labels: []int32{1, 1}, Probabilities: []float32{0.2, 0.7, 0.1, 0.6, 0.3, 0.1}})
	compareAreas(t, "no row", Predictions{Classes: 3})
	compareAreas(t, "no row, two classes", Predictions{Classes: 2})
}

// compareAreas compares ROCAUC and PRAUC with the mean areas of single classes.
func compareAreas(t *testing.T, name string, p Predictions) {
	t.Helper()
	keys := make([]uint64, len(p.Labels))
	roc, rocClasses := 0.0, 0
	for c := p.firstROCClass(); c < p.Classes; c++ {
		if area := rocAreaOfClass(c, p, keys); !math.IsNaN(area) {
			roc += area
			rocClasses++
		}
	}
	pr, prClasses := 0.0, 0
	for _, c := range p.prAUCClasses() {
		if area := AveragePrecision(c, p); !math.IsNaN(area) {
			pr += area
			prClasses++
		}
	}
	if got, want := must(ROCAUC(t.Context(), p)), meanOrNaN(roc, rocClasses); math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("%s: ROCAUC %v, want %v", name, got, want)
	}
	if got, want := must(PRAUC(t.Context(), p)), meanOrNaN(pr, prClasses); math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("%s: PRAUC %v, want %v", name, got, want)
	}
}

// randomPredictions returns predictions with many equal probabilities, zeros, and classes without
// rows. The labels depend on the probabilities, in some of the predictions strongly.
func randomPredictions(rng *rand.Rand, rows, classes int) Predictions {
	p := Predictions{Classes: classes}
	levels, skill, used := 1+rng.IntN(30), rng.Float64(), 1+rng.IntN(classes)
	if rng.IntN(3) == 0 {
		levels = 1 << 20
	}
	for range rows {
		sum, row, label := float32(0), make([]float32, classes), 0
		for c := range row {
			row[c] = float32(rng.IntN(levels + 1))
			if rng.IntN(3) == 0 {
				row[c] = 0
			}
			if sum += row[c]; c < used && row[c] > row[label] {
				label = c
			}
		}
		if rng.Float64() > skill {
			label = rng.IntN(used)
		}
		p.Labels = append(p.Labels, int32(label))
		for _, q := range row {
			p.Probabilities = append(p.Probabilities, q/max(sum, 1))
		}
	}
	return p
}

// BenchmarkAreas compares the areas under the curves with those that are computed by sorting all rows for
// each class.
func BenchmarkAreas(b *testing.B) {
	for _, size := range []struct{ rows, classes int }{{7500, 300}, {7200, 90}, {20000, 26}, {20000, 3}, {50000, 2}} {
		p := drawCalibrated(size.rows, size.classes, 1, 0)
		name := fmt.Sprintf("%d_rows_%d_classes", size.rows, size.classes)
		b.Run(name+"/ROC", func(b *testing.B) {
			for b.Loop() {
				must(ROCAUC(b.Context(), p))
			}
		})
		b.Run(name+"/PR", func(b *testing.B) {
			for b.Loop() {
				must(PRAUC(b.Context(), p))
			}
		})
		b.Run(name+"/sorted", func(b *testing.B) {
			keys := make([]uint64, len(p.Labels))
			for b.Loop() {
				for c := p.firstROCClass(); c < p.Classes; c++ {
					rocAreaOfClass(c, p, keys)
				}
			}
		})
	}
}
