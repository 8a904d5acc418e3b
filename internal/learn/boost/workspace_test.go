package boost

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
)

// TestWorkspaceIsShared trains three fitters in turns with one workspace. It checks that
// each fitter returns the same result as with its own workspace.
func TestWorkspaceIsShared(t *testing.T) {
	for name, newFitter := range constructors {
		for _, classes := range []int{2, 3, 7} {
			f := testFrame(600, classes)
			bins, err := tree.NewBinnedMatrix(t.Context(), f, 65, 1)
			if err != nil {
				t.Fatal(err)
			}
			workspaces := &WorkspacePool{}
			var single, together []*Fitter
			for i := range 3 {
				var fold split.Fold
				for row := range int32(600) {
					if int(row)%(3+i) == 0 { // the folds differ in size
						fold.Validation = append(fold.Validation, row)
					} else {
						fold.Train = append(fold.Train, row)
					}
				}
				for _, shared := range []*WorkspacePool{nil, workspaces} {
					n, err := newFitter(t.Context(), f, fold, Options{Classes: classes, Seed: uint64(i), Bins: bins, Buckets: 64, Workspaces: shared})
					if err != nil {
						t.Fatal(err)
					}
					if shared == nil {
						single = append(single, n)
					} else {
						together = append(together, n)
					}
				}
			}
			for range 3 {
				for i := range single {
					if a, b := stepProbabilities(t, single[i]), stepProbabilities(t, together[i]); !slices.Equal(a, b) {
						t.Fatalf("%s, %d classes: fitter %d predicts differently with a shared workspace", name, classes, i)
					}
					if a, b := single[i].Cost(), together[i].Cost(); a != b {
						t.Fatalf("%s, %d classes: cost of fitter %d is %v, and %v with its own workspace", name, classes, i, b, a)
					}
				}
			}
			for i := range single {
				a, _ := single[i].Model().AppendBinary(nil)
				b, err := together[i].Model().AppendBinary(nil)
				if err != nil || !bytes.Equal(a, b) {
					t.Errorf("%s, %d classes: fitter %d trained a different model with a shared workspace (%v)", name, classes, i, err)
				}
			}
			used := 0
			for range 2 {
				if !reflect.ValueOf(*workspaces.leafwise.Acquire()).IsZero() {
					used++
				}
				if !reflect.ValueOf(*workspaces.symmetric.Acquire()).IsZero() {
					used++
				}
			}
			if used != 1 {
				t.Errorf("%s: %d workspaces were used, want 1 for one step at a time", name, used)
			}
		}
	}
}

// stepProbabilities does a step of a fitter and returns its probabilities afterwards.
func stepProbabilities(t *testing.T, n *Fitter) []float32 {
	t.Helper()
	if _, err := n.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := make([]float32, len(n.objective.validation)*n.objective.classes)
	n.PredictValidation(p)
	return p
}
