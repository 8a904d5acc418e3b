package boost

import (
	"math"
	"math/rand/v2"
	"testing"

	"foretell/internal/table/frame"
)

// TestInteractionsOfFewFeatures learns from tables whose class depends on the signs of all features
// together. No feature alone says anything about the class, and trees that each use only some of the
// features cannot represent it.
func TestInteractionsOfFewFeatures(t *testing.T) {
	t.Parallel()
	for _, features := range []int{2, 3} {
		f := signProductFrame(1500, features)
		fold := everyThirdRow(f.Rows)
		for name, newFitter := range constructors {
			fitter, err := newFitter(t.Context(), f, fold, Options{Classes: 2, Seed: 1, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			for range 40 {
				if _, err := fitter.Step(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			probabilities := make([]float32, 2*len(fold.Validation))
			fitter.PredictValidation(probabilities)
			right := 0
			for i, row := range fold.Validation {
				if probabilities[2*i+int(f.Labels[row])] > 0.5 {
					right++
				}
			}
			if accuracy := float64(right) / float64(len(fold.Validation)); accuracy < 0.9 {
				t.Errorf("%s, %d features: the accuracy is %.3f", name, features, accuracy)
			}
		}
	}
}

// signProductFrame returns a frame of two classes. The class of a row is whether the product of its
// features is positive. The features are uniform in [-1, 1).
func signProductFrame(rows, features int) *frame.Frame {
	draw := rand.New(rand.NewPCG(uint64(rows), uint64(features)))
	f := &frame.Frame{Rows: rows, Columns: make([]frame.Column, features), Labels: make([]int32, rows)}
	f.Schema = &frame.Schema{Columns: make([]frame.ColumnSchema, features), Classes: []string{"no", "yes"}}
	for row := range rows {
		product := 1.0
		for i := range f.Columns {
			x := 2*draw.Float64() - 1
			f.Columns[i].Floats = append(f.Columns[i].Floats, x)
			product *= x
		}
		if math.Signbit(product) {
			f.Labels[row] = 1
		}
	}
	return f
}
