package learn

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/learn/shapley"
	"foretell/internal/learn/smooth"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// ringFrame returns points in the plane. The class of a point is the number of the ring
// around the origin that contains it.
func ringFrame(rows int) *frame.Frame {
	f := &frame.Frame{Schema: &frame.Schema{ID: "id", Label: "label", Classes: []string{"a", "b", "c"}}, Rows: rows, Columns: make([]frame.Column, 2)}
	f.Schema.Columns = []frame.ColumnSchema{{Name: "x"}, {Name: "y"}}
	draw := rand.New(rand.NewPCG(5, 6))
	for range rows {
		x, y := draw.NormFloat64(), draw.NormFloat64()
		f.Columns[0].Floats = append(f.Columns[0].Floats, x)
		f.Columns[1].Floats = append(f.Columns[1].Floats, y)
		f.Labels = append(f.Labels, int32(min(2, math.Hypot(x, y)+0.1*draw.NormFloat64())))
	}
	return f
}

// raceNetworks races the neural networks alone.
func raceNetworks(t *testing.T, f *frame.Frame, workers int) *Outcome {
	t.Helper()
	o, err := Race(t.Context(), f, Params{Algorithms: []string{"MSEV01"}, Seed: 1, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSmoothPart trains on a table with smooth borders between the classes, so that the
// networks get a smooth part.
func TestSmoothPart(t *testing.T) {
	if testing.Short() {
		t.Skip("races several times")
	}
	f := ringFrame(150)
	o := raceNetworks(t, f, 2)
	m := o.Model
	file := bytesOf(t, m)
	if _, ok := m.Members()[0].Predictor.(*smooth.Model); !ok || fileVersion(file) != 4 {
		t.Fatalf("no smooth part, version %d", fileVersion(file))
	}
	t.Run("read_back_is_equal", func(t *testing.T) {
		again, err := readModel(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, again), file) {
			t.Error("bytes differ after reading and writing")
		}
	})
	t.Run("any_number_of_workers", func(t *testing.T) {
		if !bytes.Equal(bytesOf(t, raceNetworks(t, f, 5).Model), file) {
			t.Error("bytes differ")
		}
	})
	t.Run("paths_end_at_their_rows", func(t *testing.T) {
		var got, from, to [9]float32
		p := m.Members()[0].Predictor
		p.Encode(f).PredictPath(got[:], &shapley.Path{From: 3, To: 7, Steps: 2, Step: []int32{1, 2}})
		p.Predict(from[:3], f, 3, 4)
		p.Predict(to[:3], f, 7, 8)
		for c := range 3 {
			if got[c] != from[c] || got[6+c] != to[c] {
				t.Errorf("class %d: %v and %v, want %v and %v", c, got[c], got[6+c], from[c], to[c])
			}
		}
	})
	t.Run("the_last_score_is_that_of_both", func(t *testing.T) {
		if n := len(o.Runs[0].Curve); n < 2 || o.Runs[0].LogLoss > 0.3 {
			t.Errorf("%d scores, log loss %v", n, o.Runs[0].LogLoss)
		}
	})
}

// TestRejectedSmoothPart adds a smooth part to networks that are better without it. The
// score with the smooth part must neither end the race nor become the score of the run.
func TestRejectedSmoothPart(t *testing.T) {
	f := ringFrame(300)
	threshold := 0.5
	r, err := newRace(t.Context(), f, Params{Algorithms: []string{"MSEV01"}, Threshold: &threshold}, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	run := r.runs[0]
	run.best.step, run.best.performance, run.best.logLoss = 1, 0.4, 1e-6
	run.best.probabilities = make([]float32, 3*len(r.evaluator.Labels))
	for i, label := range r.evaluator.Labels {
		run.best.probabilities[3*i+int(label)] = 1
	}
	if err := r.addSmoothPart(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if run.best.smooth.Weight != 0 || run.reached || run.curve[len(run.curve)-1].performance != 0.4 {
		t.Errorf("weight %v, reached %v, curve %+v", run.best.smooth.Weight, run.reached, run.curve)
	}
}

// TestRefitOfSmoothPartIsReserved checks that the cost of a refit includes the smooth part.
func TestRefitOfSmoothPartIsReserved(t *testing.T) {
	r, err := newRace(t.Context(), ringFrame(300), Params{Algorithms: []string{"MSEV01"}}, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	run := r.runs[0]
	run.best.step, run.best.cost, run.best.logLoss = 1, 1e9, math.Log(3)
	run.best.probabilities = slices.Repeat([]float32{1.0 / 3}, 3*len(r.evaluator.Labels))
	without := r.refitCost(run)
	if err := r.addSmoothPart(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	part, err := smooth.Search(t.Context(), smooth.Task{
		Frames: []*frame.Frame{r.data.Frame}, Classes: 3, Workers: 1, Folds: []split.Fold{{Train: r.data.allRows(), Validation: r.plan.Test}}, Labels: split.Gather(r.data.Labels, r.plan.Test),
	})
	if err != nil {
		t.Fatal(err)
	}
	one := part.ChosenCost()
	if added := r.refitCost(run) - without; run.best.smooth.Weight == 0 || added < 0.7*one || added > 1.5*one {
		t.Errorf("weight %v: the refit costs %v more with the smooth part, and a fit on all rows costs %v", run.best.smooth.Weight, added, one)
	}
}

// TestLargeTablesHaveNoSmoothPart checks the largest number of rows with a smooth part.
func TestLargeTablesHaveNoSmoothPart(t *testing.T) {
	for rows, want := range map[int]bool{smooth.MaxRows: true, smooth.MaxRows + 1: false} {
		r, err := newRace(t.Context(), ringFrame(rows), Params{}, algorithms)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range r.runs {
			run.best.step = 1
			if got := r.hasSmoothPart(run); got != (want && run.Name == "MSEV01") {
				t.Errorf("%d rows, %s: %v", rows, run.Name, got)
			}
		}
	}
}
