package learn

import (
	"slices"
	"testing"
	"testing/synctest"

	"foretell/internal/learn/split"
)

// TestDoublingAlgorithms checks that the fitter of each algorithm with doubles has the method
// DoubleSchedule. Without it, a race would panic in the middle of a schedule.
func TestDoublingAlgorithms(t *testing.T) {
	t.Parallel()
	f := wideFrame(40, 900)
	f.Columns, f.Schema.Columns = f.Columns[:5], f.Schema.Columns[:5]
	data := &trainingData{Frame: f, params: Params{Workers: 1}}
	fold := split.Fold{Train: []int32{0, 1, 2, 3, 4, 5, 6, 7}, Validation: []int32{8, 9}}
	for _, a := range algorithms {
		if !a.doubles {
			continue
		}
		fitter, err := a.newFitter(t.Context(), fitTask{data: data, fold: fold, workers: 1, workspaces: &workspaces{}})
		if err != nil {
			t.Fatal(err)
		}
		before := fitter.Progress()
		for range 2 {
			if _, err := fitter.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		after := fitter.Progress()
		fitter.DoubleSchedule()
		if got := fitter.Progress(); before != 0 || after <= 0 || got < after {
			t.Errorf("%s: progress %v at the beginning, %v after two steps, %v when the schedule is doubled", a.Name, before, after, got)
		}
	}
}

// TestDoubledSchedule checks when the schedule of a run is doubled, and that the refit and a run on
// another machine do the same.
func TestDoubledSchedule(t *testing.T) {
	steep := slices.Concat(risingSkills(0.5, 0.8, 15), slices.Repeat([]float64{0.8}, 15))
	flat := slices.Concat(risingSkills(0.5, 0.8, 8), slices.Repeat([]float64{0.8}, 22))
	perfect := slices.Concat(risingSkills(0.5, 0.9, 14), slices.Repeat([]float64{1}, 16))
	// The best step is step 20 of a schedule that is doubled once, and step 33 of one that is doubled
	// twice.
	worse := slices.Repeat([]float64{0.7}, 40)
	once := slices.Concat(steep[:15], []float64{0.8, 0.81, 0.82, 0.83, 0.9}, worse)
	rising := slices.Concat(steep[:15], risingSkills(0.8, 0.93, 15), worse)
	twice := slices.Concat(rising[:30], []float64{0.8, 0.81, 0.95}, worse)
	for _, tt := range []struct {
		name       string
		short      []float64
		long       [][]float64
		effort     Effort
		steps      int
		refittedTo float64 // the skill of the model after the refit
		rows       int
		work       float64 // cost of a step of a fold
	}{
		{"steep", steep, [][]float64{once}, EffortDefault, 20 + 3, 0.9, minDoublingRows, 1e6},
		{"steep twice", steep, [][]float64{rising, twice}, "", 33 + 3, 0.95, minDoublingRows, 1e6},
		{"at most once", steep, [][]float64{rising, twice}, EffortBest, 30 + 3, 0.93, minDoublingRows, 1e6},
		{"flat", flat, [][]float64{once}, EffortDefault, 8 + 6, 0.8, minDoublingRows, 1e6},
		{"no errors", perfect, [][]float64{once}, EffortDefault, 15 + 6, 1, minDoublingRows, 1e6},
		{"few rows", steep, [][]float64{once}, EffortDefault, 15 + 6, 0.8, minDoublingRows - 1, 1e6},
		{"expensive", steep, [][]float64{once}, EffortDefault, 15 + 6, 0.8, minDoublingRows, maxDoubledCost / 4 / 15},
		{"expensive with effort best", steep, [][]float64{once}, EffortBest, 20 + 3, 0.9, minDoublingRows, maxDoubledCost / 4 / 15},
		{"fast", steep, [][]float64{once}, EffortFast, 15 + 6, 0.8, minDoublingRows, 1e6},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &machines{frame: fakeFrame(tt.rows, 2), params: Params{Effort: tt.effort, Algorithms: []string{"BSEV01"}}, algorithms: fakeAlgorithms(fakeFitter{
				skills: tt.short, longSkills: tt.long, work: tt.work, patience: 6, schedule: func(int) int { return 30 },
			})}
			one := m.race(t)
			if got := len(one.Runs[0].Curve); got != tt.steps {
				t.Errorf("%s: %d steps, want %d", tt.name, got, tt.steps)
			}
			if got := one.Model.Members()[0].Predictor.(fakeModel).skill; got != tt.refittedTo {
				t.Errorf("%s: the model has the skill %v, want %v", tt.name, got, tt.refittedTo)
			}
			m.remote = []string{"BSEV01"}
			wantSameOutcome(t, one, m.race(t))
		})
	}
}
