package learn

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
)

// TestBlendIsDeterministic checks that the bytes of a blend are the same for any number
// of workers: if all components are refitted, and if only the first is. The labels are
// noisy, so that a blend is chosen.
func TestBlendIsDeterministic(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("races several times")
	}
	t.Run("all_refits", func(t *testing.T) { sameBlend(t, refitLimit{refitCostShare, minRefitCost}, 2, 8) })
	t.Run("one_refit", func(t *testing.T) { sameBlend(t, refitLimit{}, 1, 8) })
}

// sameBlend fails unless races with the given numbers of workers return the same
// blend.
func sameBlend(t *testing.T, limit refitLimit, workers ...int) {
	t.Helper()
	f := noisyFrame(120)
	var first *Outcome
	for _, workers := range workers {
		r, err := newRace(t.Context(), f, Params{Seed: 1, Workers: workers, Effort: EffortFast, Algorithms: []string{"BSEV01", "BFIF01", "BSIX01", "BSEV02"}}, algorithms)
		if err != nil {
			t.Fatal(err)
		}
		r.refitLimit = limit
		o, err := r.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := limit.minCost == 0; want != (o.Report.Notes != nil) {
			t.Errorf("notes %q", o.Report.Notes)
		}
		if first == nil {
			first = o
		}
		if o.Algorithm != model.Blend || len(o.Report.Shares) < 2 {
			t.Errorf("chose %s with shares %v, want a blend", o.Algorithm, o.Report.Shares)
		}
		if !bytes.Equal(bytesOf(t, first.Model), bytesOf(t, o.Model)) {
			t.Errorf("%d workers: model bytes differ", workers)
		}
		if diff := cmp.Diff(first.Report, o.Report, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%d workers: report differs:\n%s", workers, diff)
		}
	}
}

// noisyFrame returns rows of three numbers. The class is the sign of the sum of these
// numbers and noise of about the same size.
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
