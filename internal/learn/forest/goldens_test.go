package forest

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// golden is a case of testdata/goldens.json, which testdata/goldens.py writes
// with scikit-learn.
type golden struct {
	Name                                    string
	Classes, MinLeaf, MaxLeaves, TreeLeaves int
	X                                       [][]float64
	Y                                       []int32
	Probabilities                           [][]float64
}

// TestTreeAgreesWithScikitLearn compares a tree with scikit-learn's
// DecisionTreeClassifier. Both are grown from all rows, with all features tried at each
// leaf. The predicted probabilities are equal, except for the rounding to 16 bits.
func TestTreeAgreesWithScikitLearn(t *testing.T) {
	b, err := os.ReadFile("testdata/goldens.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []golden }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Cases {
		t.Run(g.Name, func(t *testing.T) {
			f := &frame.Frame{Rows: len(g.X), Columns: make([]frame.Column, len(g.X[0]))}
			sample := make([]sampleRow, f.Rows)
			for row, cells := range g.X {
				for i, x := range cells {
					f.Columns[i].Floats = append(f.Columns[i].Floats, x)
				}
				sample[row] = newSampleRow(int32(row), g.Y[row])
			}
			bins, err := tree.NewBinnedMatrix(t.Context(), f, tree.MaxBins, 1)
			if err != nil {
				t.Fatal(err)
			}
			params := growthParams{maxLeaves: math.MaxInt, minLeaf: g.MinLeaf, maxFeatures: len(f.Columns)}
			if g.MaxLeaves > 0 {
				params.maxLeaves = g.MaxLeaves
			}
			grown, _ := newGrower(bins, g.Classes, f.Rows).grow(t.Context(), sample, params, rand.New(rand.NewPCG(1, 2)))
			if grown.Leaves != g.TreeLeaves {
				t.Errorf("%d leaves, want %d", grown.Leaves, g.TreeLeaves)
			}
			cells := make([]uint8, len(f.Columns))
			for row, want := range g.Probabilities {
				for i := range cells {
					cells[i] = bins.Features[i].Data[row]
				}
				got := make([]float64, g.Classes)
				for _, w := range grown.leafDistribution(cells) {
					got[w.class] = float64(w.weight) / unitWeight
				}
				for c := range want {
					if !(math.Abs(got[c]-want[c]) < float64(g.Classes)/unitWeight) {
						t.Fatalf("row %d: distribution %v, want %v", row, got, want)
					}
				}
			}
		})
	}
}
