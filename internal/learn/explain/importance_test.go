package explain

import (
	"context"
	"errors"
	"testing"

	"foretell/internal/learn/metric"
	"foretell/internal/table/frame"
)

// TestShuffledScoreOfMissingClass measures the F1 of a class that no sampled row has. The model
// predicts the class for one row, wrongly, as long as no column is shuffled: then the F1 is 0.
// Otherwise it is undefined.
func TestShuffledScoreOfMissingClass(t *testing.T) {
	const rows = 400
	f := &frame.Frame{
		Rows: rows, Labels: make([]int32, rows), Columns: []frame.Column{{Floats: make([]float64, rows)}, {Floats: make([]float64, rows)}},
		Schema: &frame.Schema{Classes: []string{"no", "yes"}, Columns: []frame.ColumnSchema{{Name: "a"}, {Name: "b"}}},
	}
	f.Columns[0].Floats[0], f.Columns[1].Floats[0] = 1, 1
	v := Validation{
		Schema: f.Schema, Used: []bool{true, true}, Workers: 1,
		Sample: func(int) Sample { return Sample{Frame: f, Ends: []int{rows}} },
		FoldModel: func(int) (FoldModel, error) {
			return FoldModel{Predict: func(dst []float32, f *frame.Frame, lo, hi int) {
				for row := lo; row < hi; row++ {
					yes := float32(f.Columns[0].Floats[row] * f.Columns[1].Floats[row])
					dst[2*(row-lo)], dst[2*(row-lo)+1] = 1-yes, yes
				}
			}}, nil
		},
		Score: func(ctx context.Context, probabilities []float32, labels []int32) (float64, error) {
			return metric.Score(ctx, "f1[yes]", metric.Predictions{Probabilities: probabilities, Labels: labels, Classes: 2, Names: f.Schema.Classes})
		},
	}
	if list, err := v.Importances(t.Context()); !errors.Is(err, errUnmeasurable) {
		t.Errorf("importances %v, error %v", list, err)
	}
}
