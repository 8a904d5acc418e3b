package neural

import (
	"bytes"
	"slices"
	"testing"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
)

// TestRoomIsShared lets fitters of different shapes take turns at one desk:
// each learns what it would have learnt at its own.
func TestRoomIsShared(t *testing.T) {
	room := &Room{}
	frames := []*frame.Frame{mixed(300, 4), mixed(120, 2), mixed(500, 9)}
	open := func(i int, room *Room) *Fitter {
		f := frames[i]
		half := f.Rows / 2
		n, err := New(t.Context(), f, split.Part{Train: count(0, half), Eval: count(half, f.Rows)}, Options{
			Classes: len(f.Schema.Classes), Seed: uint64(i), Samples: 3 * f.Rows, Steps: 3, Width: 24, Layers: 1 + i, Room: room,
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
		p := make([]float32, len(n.part.Eval)*n.opts.Classes)
		n.EvalProbabilities(p)
		return p
	}
	var alone, together []*Fitter
	for i := range frames {
		alone, together = append(alone, open(i, nil)), append(together, open(i, room))
	}
	for range 3 {
		for i := range frames {
			if a, b := step(alone[i]), step(together[i]); !slices.Equal(a, b) {
				t.Fatalf("fitter %d says something else than alone", i)
			}
		}
	}
	for i := range frames {
		a, _ := alone[i].Model().AppendBinary(nil)
		b, err := together[i].Model().AppendBinary(nil)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("fitter %d learnt something else than alone (%v)", i, err)
		}
	}
	if len(room.desks) != 1 {
		t.Errorf("%d desks for one step at a time", len(room.desks))
	}
}
