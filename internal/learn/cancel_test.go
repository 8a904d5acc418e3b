package learn

import (
	"context"
	"errors"
	"testing"
	"time"

	"foretell/internal/learn/metric"
	"foretell/internal/testenv"
)

// TestCancelledEvaluation checks that each computation of the evaluator returns the error of its
// context, whenever the context is cancelled.
func TestCancelledEvaluation(t *testing.T) {
	if testing.Short() { // an evaluator starts no goroutines
		t.Skip("takes long under the race detector")
	}
	f := fakeFrame(1500, 3)
	for _, name := range []string{metric.NameAccuracy, metric.NameMacroF1, metric.NameLogLoss, metric.NameROCAUC, "f1[b]"} {
		r, err := newRace(t.Context(), f, Params{Metric: name}, fakeAlgorithms(fakeFitter{}, fakeFitter{}))
		if err != nil {
			t.Fatal(err)
		}
		var candidates []*candidate
		for i, run := range r.runs {
			probabilities := make([]float32, len(r.evaluator.Labels)*3)
			for row, label := range r.evaluator.Labels {
				copy(probabilities[3*row:], []float32{0.2, 0.2, 0.2})
				if row%3 != i {
					probabilities[3*row+int(label)] += 0.4
				}
			}
			run.best = savedStep{step: 1, probabilities: probabilities}
			candidates = append(candidates, newSingleCandidate(run))
		}
		probabilities := candidates[0].probabilities
		for what, compute := range map[string]func(context.Context) error{
			"score":     func(ctx context.Context) error { _, err := newScore(ctx, r.evaluator, probabilities); return err },
			"calibrate": func(ctx context.Context) error { _, err := r.evaluator.Calibrate(ctx, probabilities); return err },
			"interval": func(ctx context.Context) error {
				_, err := r.evaluator.PerformanceInterval(ctx, probabilities)
				return err
			},
			"noise": func(ctx context.Context) error {
				_, err := r.evaluator.PerformanceStdErr(ctx, probabilities)
				return err
			},
			"validationScores": func(ctx context.Context) error {
				_, err := r.evaluator.ValidationScores(ctx, probabilities)
				return err
			},
			"fitClassWeights": func(ctx context.Context) error {
				_, err := r.evaluator.FitClassWeights(ctx, probabilities, 1)
				return err
			},
			"newBlend":     func(ctx context.Context) error { _, err := newBlend(ctx, r.evaluator, candidates); return err },
			"newBaseline":  func(ctx context.Context) error { _, err := r.evaluator.NewBaseline(ctx); return err },
			"setRunScores": func(ctx context.Context) error { return r.setRunScores(ctx, make([]Run, 2)) },
			"chooseCandidate": func(ctx context.Context) error {
				_, err := r.chooseCandidate(ctx, r.newLossFunc(Completed))
				return err
			},
		} {
			const many = 1e9
			ctx := &testenv.CountedContext{Context: t.Context(), Left: many}
			if err := compute(ctx); err != nil || ctx.Left == many {
				t.Fatalf("%s, %s: %d checks, error %v", name, what, many-ctx.Left, err)
			}
			checks := many - ctx.Left
			for _, left := range []int{0, checks / 4, checks / 2, checks - 1} {
				if err := compute(&testenv.CountedContext{Context: t.Context(), Left: left}); !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %s: cancelled after %d of %d checks: error %v", name, what, left, checks, err)
				}
			}
		}
	}
}

// cancellingFitter is a fakeFitter that cancels the race when it has predicted the validation
// rows.
type cancellingFitter struct {
	fakeFitter
	cancel context.CancelFunc
}

func (t *cancellingFitter) PredictValidation(dst []float32) {
	t.fakeFitter.PredictValidation(dst)
	t.cancel()
}

// TestCancelledRace cancels races before a score, and when all runs have ended.
func TestCancelledRace(t *testing.T) {
	f := fakeFrame(300, 2)
	cause := errors.New("enough")
	expect := func(t *testing.T, o *Outcome, err error) {
		t.Helper()
		if o != nil || !errors.Is(err, cause) {
			t.Errorf("outcome %v, error %v", o, err)
		}
	}
	t.Run("before_a_score", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		fakes := fakeAlgorithms(fakeFitter{})
		fakes[0].newFitter = func(_ context.Context, task fitTask) (fitter, error) {
			return &cancellingFitter{fakeFitter{fitTask: task, skills: []float64{0.9}, work: 1e6}, func() { cancel(cause) }}, nil
		}
		scores := 0
		o, err := raceAlgorithms(ctx, f, Params{Progress: func(e Event) { scores = max(scores, e.Step) }}, fakes)
		expect(t, o, err)
		if scores != 0 {
			t.Errorf("%d scores", scores)
		}
	})
	t.Run("when_all_runs_have_ended", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		o, err := raceAlgorithms(ctx, f, Params{Progress: func(e Event) {
			if e.Status == Completed {
				cancel(cause)
			}
		}}, fakeAlgorithms(fakeFitter{skills: []float64{0.9}, work: 1e6}))
		expect(t, o, err)
	})
}

// TestTimeLimitIncludesPreparation checks that a race whose preparation has taken longer than
// the time limit trains nothing.
func TestTimeLimitIncludesPreparation(t *testing.T) {
	clock := time.Now()
	r, err := newRace(t.Context(), fakeFrame(300, 2), Params{TimeLimit: time.Minute, Now: func() time.Time { return clock }}, fakeAlgorithms(fakeFitter{skills: []float64{0.9}, work: 1e6}))
	if err != nil {
		t.Fatal(err)
	}
	clock = clock.Add(2 * time.Minute)
	o, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if o.Status != TimedOut || o.Model != nil {
		t.Errorf("%s, model %v", o.Status, o.Model)
	}
}

// must returns value. It panics if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
