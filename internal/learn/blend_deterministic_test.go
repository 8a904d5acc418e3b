package learn

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/frame"
)

// TestBlendIsDeterministic races with the default parameters on noisy labels, so
// that a blend is chosen. Its bytes are the same for any number of workers.
func TestBlendIsDeterministic(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("races several times")
	}
	f := noisyFrame(120)
	var first *Outcome
	for _, workers := range []int{1, 2, 8} {
		o, err := Race(t.Context(), f, Params{Seed: 1, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = o
		}
		if o.Algorithm != Blend || len(o.Report.Shares) < 2 {
			t.Errorf("chose %s with shares %v, want a blend", o.Algorithm, o.Report.Shares)
		}
		if !bytes.Equal(bytesOf(t, first.Model), bytesOf(t, o.Model)) {
			t.Errorf("%d workers: model bytes differ", workers)
		}
		if diff := cmp.Diff(first.Report, o.Report); diff != "" {
			t.Errorf("%d workers: report differs:\n%s", workers, diff)
		}
	}
}

// noisyFrame returns rows whose class is the sign of the sum of three numbers
// and of noise of the same size.
func noisyFrame(rows int) *frame.Frame {
	f := &frame.Frame{Schema: &frame.Schema{ID: "id", Label: "label", Classes: []string{"a", "b"}}, Rows: rows}
	draw := rand.New(rand.NewPCG(3, 4))
	f.Labels = make([]int32, rows)
	sums := make([]float64, rows)
	for _, name := range []string{"x", "y", "z"} {
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: name})
		cells := make([]float64, rows)
		for i := range cells {
			cells[i] = draw.NormFloat64()
			sums[i] += cells[i]
		}
		f.Columns = append(f.Columns, frame.Column{Floats: cells})
	}
	for i, sum := range sums {
		if sum+1.7*draw.NormFloat64() > 0 {
			f.Labels[i] = 1
		}
	}
	return f
}
