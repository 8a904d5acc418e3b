package boost

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"foretell/internal/learn/split"
	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// golden is a case of testdata/goldens.json, which testdata/goldens.py writes
// with XGBoost.
type golden struct {
	Name, Kind      string
	Classes, Leaves int
	Depth, Rounds   int
	Rate, L2        float64
	X               [][]*float64
	Y               []int32
	Scores          [][]float64 // by round, then by row
	FirstLeaves     [][]int     // by row, then by output
	TestX           [][]*float64
	TestY           []int32
	TestLogLoss     float64
}

func readGoldens(t *testing.T) []golden {
	t.Helper()
	b, err := os.ReadFile("testdata/goldens.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []golden }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

// frame returns the training rows of a case, followed by its validation rows: those of
// TestX or, if there are none, the training rows again.
func (g *golden) frame() *frame.Frame {
	texts, labels := slices.Concat(g.X, g.X), slices.Concat(g.Y, g.Y)
	if g.TestX != nil {
		texts, labels = slices.Concat(g.X, g.TestX), slices.Concat(g.Y, g.TestY)
	}
	f := &frame.Frame{Rows: len(labels), Labels: labels, Schema: &frame.Schema{}}
	for c := range g.Classes {
		f.Schema.Classes = append(f.Schema.Classes, fmt.Sprint(c))
	}
	for i := range g.X[0] {
		column := make([]float64, f.Rows)
		for row := range column {
			column[row] = cells.NaN
			if x := texts[row][i]; x != nil {
				column[row] = *x
			}
		}
		f.Columns = append(f.Columns, frame.Column{Floats: column})
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: fmt.Sprint("x", i)})
	}
	return f
}

// fitter returns a fitter with the parameters of the case.
func (g *golden) fitter(t *testing.T, f *frame.Frame) *Fitter {
	t.Helper()
	rows := allRows(f.Rows).Train
	fold := split.Fold{Train: rows[:len(g.X)], Validation: rows[len(g.X):]}
	opts := Options{
		Classes: g.Classes, Leaves: g.Leaves, depth: g.Depth, learningRate: g.Rate, l2: g.L2,
		minRows: 1, featureFraction: 1, rowFraction: 1, Buckets: 254,
	}
	fitter, err := constructors[g.Kind](t.Context(), f, fold, opts)
	if err != nil {
		t.Fatal(err)
	}
	fitter.roundsPerStep = 1
	return fitter
}

// scoreTolerance is the largest difference between our raw scores and those of XGBoost.
// Ours are sums of float32 values that result from quantised gradients.
const scoreTolerance = 2e-5

// TestAgreesWithXGBoost compares raw scores with those of XGBoost after each round. For
// leaf-wise trees and for symmetric trees of one level, both libraries compute the same
// splits and leaf values. Cases with three classes are left to
// TestLeavesAgreeWithXGBoost, because XGBoost scales their leaf values differently.
func TestAgreesWithXGBoost(t *testing.T) {
	for _, g := range readGoldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			f := g.frame()
			fitter := g.fitter(t, f)
			p := make([]float32, len(g.X)*g.Classes)
			for round, want := range g.Scores {
				if _, err := fitter.Step(t.Context()); err != nil {
					t.Fatal(err)
				}
				if fitter.Rounds() != round+1 {
					t.Fatalf("%d rounds after step %d", fitter.Rounds(), round+1)
				}
				fitter.PredictValidation(p)
				for row := range want {
					got := math.Log(float64(p[2*row+1]) / float64(p[2*row]))
					if d := math.Abs(got - want[row]); !(d < scoreTolerance) {
						t.Fatalf("round %d, row %d: score %v, want %v", round+1, row, got, want[row])
					}
				}
			}
		})
	}
}

// TestLeavesAgreeWithXGBoost compares the leaves that rows fall into with those of
// XGBoost, in the trees of the first round.
func TestLeavesAgreeWithXGBoost(t *testing.T) {
	for _, g := range readGoldens(t) {
		if g.Kind != "leafwise" {
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			f := g.frame()
			fitter := g.fitter(t, f)
			if _, err := fitter.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
			model := fitter.Model().ensemble.(*spilledEnsemble).read().(*leafwiseModel)
			bins := make([]uint8, len(f.Columns))
			for k, m := range model.trees {
				ours, theirs := map[int]int{}, map[int]int{}
				for row := range g.X {
					for i := range bins {
						model.mappers[i].Fill(bins[i:], 1, &f.Columns[i], row, row+1)
					}
					leaf, want := m.tree.Leaf(bins), g.FirstLeaves[row][k]
					if other, known := ours[leaf]; known && other != want {
						t.Fatalf("output %d: row %d is not in the same leaf as in XGBoost", k, row)
					}
					ours[leaf], theirs[want] = want, leaf
				}
				if len(ours) != len(theirs) || len(ours) != m.tree.Leaves {
					t.Errorf("output %d: %d leaves, XGBoost has %d", k, len(ours), len(theirs))
				}
			}
		})
	}
}

// TestSymmetricTreesAreAsGoodAsXGBoost compares the log loss of symmetric trees on test
// rows with that of XGBoost. XGBoost has no symmetric trees, so its trees are depth-wise,
// of equal depth.
func TestSymmetricTreesAreAsGoodAsXGBoost(t *testing.T) {
	const tolerance = 0.05
	for _, g := range readGoldens(t) {
		if g.TestX == nil {
			continue
		}
		f := g.frame()
		fitter := g.fitter(t, f)
		for range g.Rounds {
			if _, err := fitter.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		p := make([]float32, len(g.TestX)*g.Classes)
		fitter.PredictValidation(p)
		loss := 0.0
		for row, label := range g.TestY {
			loss -= math.Log(float64(p[row*g.Classes+int(label)])) / float64(len(g.TestY))
		}
		if loss > g.TestLogLoss*(1+tolerance) {
			t.Errorf("%s: log loss %.4f, XGBoost %.4f", g.Name, loss, g.TestLogLoss)
		}
	}
}
