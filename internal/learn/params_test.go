package learn

import (
	"slices"
	"strings"
	"testing"
)

// TestFastEffort checks that a fast race trains only the two kinds of boosting, on three
// folds.
func TestFastEffort(t *testing.T) {
	f := noisyFrame(200)
	r, err := newRace(t.Context(), f, Params{Effort: EffortFast}, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, run := range r.runs {
		names = append(names, run.Name)
		if len(run.folds) != fastFolds {
			t.Errorf("%s has %d folds", run.Name, len(run.folds))
		}
	}
	if want := []string{"BSIX01", "BSEV02"}; !slices.Equal(names, want) {
		t.Errorf("%v race, not %v", names, want)
	}
	if _, err := newRace(t.Context(), f, Params{Effort: "most"}, algorithms); err == nil {
		t.Error("an unknown effort is no error")
	}
}

// TestBestEffort checks that a race of the effort best trains the network four times as long, and
// that a race without a network says that this effort changes nothing.
func TestBestEffort(t *testing.T) {
	f := noisyFrame(300)
	cost := func(e Effort) float64 {
		r, err := newRace(t.Context(), f, Params{Effort: e, Algorithms: []string{"BSEV01"}}, algorithms)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.notes) > 0 {
			t.Errorf("notes: %q", r.notes)
		}
		run := r.runs[0]
		if err := run.newFitters(t.Context(), r.data, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := run.stepAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		return run.cost()
	}
	if ratio := cost(EffortBest) / cost(EffortDefault); ratio < 3.5 || ratio > 4.5 {
		t.Errorf("the first step costs %.2f times the default", ratio)
	}
	r, err := newRace(t.Context(), f, Params{Effort: EffortBest, Algorithms: []string{"BSIX01"}}, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.notes) != 1 || !strings.Contains(r.notes[0], "the effort best had no effect") {
		t.Errorf("notes: %q", r.notes)
	}
}

// TestCheapRunsBeginFirst checks that the runs begin in the order of their costRank. With
// one worker, a run begins when the run before has ended.
func TestCheapRunsBeginFirst(t *testing.T) {
	if testing.Short() { // one worker, so there is little for the race detector to find
		t.Skip("takes long under the race detector")
	}
	var began []string
	stop := make(chan struct{})
	_, err := Race(t.Context(), noisyFrame(120), Params{Workers: 1, Stop: stop, Progress: func(e Event) {
		if !slices.Contains(began, e.Algorithm) && e.Step > 0 {
			if began = append(began, e.Algorithm); len(began) == 4 {
				close(stop)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"BSEV02", "BSIX01", "BFIF01", "BSEV01"}; !slices.Equal(began, want) {
		t.Errorf("the runs begin in the order %v, not %v", began, want)
	}
}
