package boost

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
)

// TestRoomIsShared lets the fitters of three folds take turns at one desk: each
// learns what it would have learnt at its own.
func TestRoomIsShared(t *testing.T) {
	type opener func(context.Context, *frame.Frame, split.Part, Options) (*Fitter, error)
	for name, open := range map[string]opener{"leafwise": NewLeafwise, "symmetric": NewSymmetric} {
		for _, classes := range []int{2, 3, 7} {
			f := puzzle(600, classes)
			bins, err := tree.NewBinnedMatrix(t.Context(), f, 65, 1)
			if err != nil {
				t.Fatal(err)
			}
			room := &Room{}
			var alone, together []*Fitter
			for i := range 3 {
				var part split.Part
				for row := range int32(600) {
					if int(row)%(3+i) == 0 { // the folds differ in size
						part.Eval = append(part.Eval, row)
					} else {
						part.Train = append(part.Train, row)
					}
				}
				for _, shared := range []*Room{nil, room} {
					n, err := open(t.Context(), f, part, Options{Classes: classes, Seed: uint64(i), Bins: bins, Buckets: 64, Room: shared})
					if err != nil {
						t.Fatal(err)
					}
					if shared == nil {
						alone = append(alone, n)
					} else {
						together = append(together, n)
					}
				}
			}
			for range 3 {
				for i := range alone {
					if a, b := stepOf(t, alone[i]), stepOf(t, together[i]); !slices.Equal(a, b) {
						t.Fatalf("%s, %d classes: fitter %d says something else than alone", name, classes, i)
					}
					if a, b := alone[i].Work(), together[i].Work(); a != b {
						t.Fatalf("%s, %d classes: fitter %d has worked %v, alone %v", name, classes, i, b, a)
					}
				}
			}
			for i := range alone {
				a, _ := alone[i].Model().AppendBinary(nil)
				b, err := together[i].Model().AppendBinary(nil)
				if err != nil || !bytes.Equal(a, b) {
					t.Errorf("%s, %d classes: fitter %d learnt something else than alone (%v)", name, classes, i, err)
				}
			}
			if n := len(room.leafwise.free) + len(room.symmetric.free); n != 1 {
				t.Errorf("%s: %d desks for one step at a time", name, n)
			}
		}
	}
}

// stepOf returns what a fitter says after another step.
func stepOf(t *testing.T, n *Fitter) []float32 {
	t.Helper()
	if _, err := n.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := make([]float32, len(n.problem.eval)*n.problem.classes)
	n.Probabilities(p)
	return p
}
