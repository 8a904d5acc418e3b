package neural

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// TestWorkspaceIsShared trains fitters of different networks in turns with one workspace.
// It checks that each fitter returns the same result as with its own workspace.
func TestWorkspaceIsShared(t *testing.T) {
	workspaces := &WorkspacePool{}
	frames := []*frame.Frame{mixedFrame(300, 4), mixedFrame(120, 2), mixedFrame(500, 9)}
	open := func(i int, workspaces *WorkspacePool) *Fitter {
		f := frames[i]
		half := f.Rows / 2
		n, err := New(t.Context(), f, split.Fold{Train: rowRange(0, half), Validation: rowRange(half, f.Rows)}, Options{
			Classes: len(f.Schema.Classes), Seed: uint64(i), samples: 3 * f.Rows, steps: 3, width: 24, layers: 1 + i, Workspaces: workspaces,
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	step := func(n *Fitter) []float32 {
		if _, err := n.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		p := make([]float32, len(n.fold.Validation)*n.opts.Classes)
		n.PredictValidation(p)
		return p
	}
	var single, together []*Fitter
	for i := range frames {
		single, together = append(single, open(i, nil)), append(together, open(i, workspaces))
	}
	for range 3 {
		for i := range frames {
			if a, b := step(single[i]), step(together[i]); !slices.Equal(a, b) {
				t.Fatalf("fitter %d predicts differently with a shared workspace", i)
			}
		}
	}
	for i := range frames {
		a, _ := single[i].Model().AppendBinary(nil)
		b, err := together[i].Model().AppendBinary(nil)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("fitter %d trained a different model with a shared workspace (%v)", i, err)
		}
	}
	if used := workspaces.pool.Acquire(); reflect.ValueOf(*used).IsZero() {
		t.Error("no workspace was used")
	}
	if second := workspaces.pool.Acquire(); !reflect.ValueOf(*second).IsZero() {
		t.Error("two workspaces were used for one step at a time")
	}
}
