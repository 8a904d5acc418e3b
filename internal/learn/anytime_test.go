package learn

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"foretell/internal/learn/model"
	"foretell/internal/learn/rng"
	"foretell/internal/learn/smooth"
)

// independentFitter is a fakeFitter whose errors are independent of those of fitters with
// a different noise.
type independentFitter struct {
	fakeFitter
	noise uint64
}

func (t *independentFitter) PredictValidation(dst []float32) {
	for i, row := range t.fold.Validation {
		q := float32(rng.Derive(t.noise, int(row))%1000)/1000*0.8 + 0.2 // 0.2 to 1
		label := t.data.Labels[row]
		dst[2*i+int(label)], dst[2*i+1-int(label)] = q, 1-q
	}
}

// TestRaceCutShortTakesBlend checks that the model of a race that is cut short is the
// blend of all algorithms that have scores, even if some have not ended. An algorithm
// that has not begun is ignored.
func TestRaceCutShortTakesBlend(t *testing.T) {
	newAlgorithms := func() []algorithm {
		list := fakeAlgorithms(fakeFitter{}, fakeFitter{}, fakeFitter{})
		for i := range list {
			list[i].costRank = i
			list[i].newFitter = func(_ context.Context, task fitTask) (fitter, error) {
				f := &independentFitter{fakeFitter{fitTask: task, skills: []float64{0.7}, work: 1e9, pause: func(int) time.Duration { return time.Second }}, uint64(i)}
				if i > 0 {
					f.work = 10e9
					f.pause = func(int) time.Duration { return 10 * time.Second }
				}
				return f, nil
			}
		}
		return list
	}
	f := fakeFrame(600, 2)
	for name, p := range map[string]Params{
		"stopped":    {Workers: 1},
		"time_limit": {Workers: 1, TimeLimit: 400 * time.Second, Now: time.Now},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				scored := 0
				stop := make(chan struct{})
				if p.TimeLimit == 0 {
					p.Stop = stop
				}
				p.Progress = func(e Event) {
					if e.Algorithm == "BFIF01" && e.Status == Running {
						if scored++; scored == 3 {
							close(stop)
						}
					}
				}
				r, err := newRace(t.Context(), f, p, newAlgorithms())
				if err != nil {
					t.Fatal(err)
				}
				o, err := r.run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := []Status{Completed, Cancelled, Cancelled}
				if p.TimeLimit > 0 {
					want = []Status{Completed, TimedOut, TimedOut}
				}
				for i, run := range o.Runs {
					if run.Status != want[i] {
						t.Errorf("%s: %s, want %s", run.Algorithm, run.Status, want[i])
					}
				}
				if o.Algorithm != model.Blend || o.Status != want[1] || len(o.Report.Shares) != 2 || len(o.Runs[2].Curve) != 0 {
					t.Fatalf("%s with %s of %v", o.Status, o.Algorithm, o.Report.Shares)
				}
				// The score is cross-fitted: each part of the rows is scored with weights
				// fitted to the other parts.
				candidates := []*candidate{newSingleCandidate(r.runs[0]), newSingleCandidate(r.runs[1])}
				blend := must(newBlend(t.Context(), r.evaluator, candidates))
				if o.Achieved != blend.performance || o.Achieved != must(newScore(t.Context(), r.evaluator, blend.crossFitted)).performance {
					t.Errorf("achieved %v, want %v", o.Achieved, blend.performance)
				}
				if best := min(r.runs[0].best.logLoss, r.runs[1].best.logLoss); o.Report.Validation.LogLoss >= best {
					t.Errorf("log loss %v, the best algorithm has %v", o.Report.Validation.LogLoss, best)
				}
				if members := len(o.Model.Members()); !wasRefitted(o) && members != 20 || wasRefitted(o) && members != 2 || wasRefitted(o) != (p.TimeLimit > 0) {
					t.Errorf("refit %v, %d members", wasRefitted(o), members)
				}
			})
		})
	}
}

// hesitantFitter predicts the true class of each row with high probability, except for
// the row wrong, in which another class is slightly more probable.
type hesitantFitter struct {
	fakeFitter
	wrong int32
}

func (t *hesitantFitter) PredictValidation(dst []float32) {
	for i, row := range t.fold.Validation {
		q := float32(0.99999)
		if row == t.wrong {
			q = 0.4999
		}
		label := t.data.Labels[row]
		dst[2*i+int(label)], dst[2*i+1-int(label)] = q, 1-q
	}
}

// TestRejectedMixtureDoesNotReachThreshold trains networks whose smooth part is rejected,
// because the networks without it have a lower log loss. With the smooth part they reach
// the threshold. This must not end the race.
func TestRejectedMixtureDoesNotReachThreshold(t *testing.T) {
	f := fakeFrame(120, 2)
	for i, label := range f.Labels {
		f.Columns[0].Floats[i] = float64(label)*2 - 1 + f.Columns[0].Floats[i]/2 // separates most rows by class
	}
	fakes := fakeAlgorithms(fakeFitter{}, fakeFitter{skills: risingSkills(0.5, 0.8, 9), work: 1e9})
	fakes[0].smooth = true
	wrong := int32(0)
	fakes[0].newFitter = func(_ context.Context, task fitTask) (fitter, error) {
		return &hesitantFitter{fakeFitter{fitTask: task, skills: []float64{0.9}, work: 1e6}, wrong}, nil
	}
	r, err := newRace(t.Context(), f, Params{Threshold: new(1.0)}, fakes)
	if err != nil {
		t.Fatal(err)
	}
	wrong = r.plan.Folds[0].Validation[0]
	// Check the condition of this test: the networks with their smooth part reach the
	// threshold.
	task, err := r.smoothTask(t.Context(), r.runs[0])
	if err != nil {
		t.Fatal(err)
	}
	fits, err := smooth.Search(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	networks := make([]float32, 2*len(r.evaluator.Labels))
	at := 0
	for _, fold := range r.plan.Folds {
		n := 2 * len(fold.Validation)
		(&hesitantFitter{fakeFitter{fitTask: fitTask{data: r.data, fold: fold}}, wrong}).PredictValidation(networks[at : at+n])
		at += n
	}
	r.runs[0].best = savedStep{score: must(newScore(t.Context(), r.evaluator, networks)), step: 1, probabilities: networks}
	mixed, better, err := r.mixSmoothPart(t.Context(), r.runs[0], fits)
	if err != nil {
		t.Fatal(err)
	}
	if better || !r.reachesThreshold(mixed.performance) || r.reachesThreshold(r.runs[0].best.performance) {
		t.Fatalf("networks %+v, mixed %+v, better %v", r.runs[0].best.score, mixed.score, better)
	}
	o, err := raceAlgorithms(t.Context(), f, Params{Threshold: new(1.0)}, fakes)
	if err != nil {
		t.Fatal(err)
	}
	if o.Status != NotCompleted || slices.ContainsFunc(o.Runs, func(run Run) bool { return run.Status != NotCompleted || run.Performance >= 1 }) {
		t.Errorf("%s: %+v", o.Status, o.Runs)
	}
	if n := len(o.Runs[0].Curve); n < 2 || math.IsNaN(o.Runs[0].Curve[n-1]) || o.Runs[0].Curve[n-1] >= 1 {
		t.Errorf("the curve %v has the score of the rejected mixture", o.Runs[0].Curve)
	}
}
