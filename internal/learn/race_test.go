package learn

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/learn/model"
	"foretell/internal/learn/parallel"
	"foretell/internal/table/frame"
)

func TestRaceIsDecidedByVirtualTime(t *testing.T) {
	f := fakeFrame(2000, 2)
	var first *Outcome
	seeds := uint64(20)
	if testing.Short() { // enough for each number of workers; the other seeds change only the pauses
		seeds = 4
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			// The third algorithm needs more steps than the others, but its steps cost the
			// least.
			o, err := raceAlgorithms(t.Context(), f, Params{Threshold: new(0.9), Seed: 5, Workers: 1 + int(seed%4)}, fakeAlgorithms(
				fakeFitter{skills: risingSkills(0.5, 0.95, 4), work: 400e6, pause: jitter(seed)},
				fakeFitter{skills: risingSkills(0.5, 0.95, 10), work: 300e6, pause: jitter(seed + 100)},
				fakeFitter{skills: risingSkills(0.5, 0.95, 20), work: 50e6, pause: jitter(seed + 200)},
				fakeFitter{skills: risingSkills(0.5, 0.8, 20), work: 1e6, pause: jitter(seed + 300)},
			))
			if err != nil {
				t.Fatal(err)
			}
			if o.Status != Completed || o.Algorithm != "BSIX01" || o.Achieved < 0.9 || !wasRefitted(o) {
				t.Fatalf("%s by %q at %v, refit %v", o.Status, o.Algorithm, o.Achieved, wasRefitted(o))
			}
			if first == nil {
				first = o
			}
			if diff := cmp.Diff(first, o, cmpopts.IgnoreFields(Outcome{}, "Model"), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("seed %d ended differently:\n%s", seed, diff)
			}
			if !slices.Equal(bytesOf(t, o.Model), bytesOf(t, first.Model)) {
				t.Error("the model bytes differ")
			}
		})
	}
	want := []Status{NotCompleted, NotCompleted, Completed, NotCompleted}
	for i, run := range first.Runs {
		if run.Status != want[i] {
			t.Errorf("%s ended as %s, want %s", run.Algorithm, run.Status, want[i])
		}
	}
}

func TestRaceThreshold(t *testing.T) {
	f := fakeFrame(300, 3)
	t.Run("threshold_0_is_won_by_the_first_score", func(t *testing.T) {
		o := mustRace(t, f, Params{Threshold: new(0.0)}, fakeFitter{skills: []float64{0.1}, work: 2e6}, fakeFitter{skills: []float64{0.05}, work: 1e6})
		if o.Status != Completed || o.Algorithm != "MFIF01" || len(o.Runs[1].Curve) != 1 {
			t.Errorf("%s by %s: %v", o.Status, o.Algorithm, o.Runs)
		}
	})
	t.Run("in_a_tie_the_first_in_order_wins", func(t *testing.T) {
		o := mustRace(t, f, Params{Threshold: new(0.0)}, fakeFitter{skills: []float64{0.1}, work: 1e6}, fakeFitter{skills: []float64{0.9}, work: 1e6})
		if o.Algorithm != "MSEV01" {
			t.Errorf("%s won", o.Algorithm)
		}
	})
	t.Run("threshold_1_is_won_by_a_perfect_score", func(t *testing.T) {
		o := mustRace(t, f, Params{Threshold: new(1.0)}, fakeFitter{skills: risingSkills(0.5, 1, 8), work: 1e6})
		if o.Status != Completed || o.Achieved != 1 {
			t.Errorf("%s at %v", o.Status, o.Achieved)
		}
	})
	t.Run("without_threshold_a_perfect_score_does_not_win", func(t *testing.T) {
		lucky := append(risingSkills(0.5, 1, 4), 0.9)
		o := mustRace(t, f, Params{}, fakeFitter{skills: lucky, work: 1e3}, fakeFitter{skills: risingSkills(0.5, 0.9, 30), work: 1e6})
		if o.Status != Completed {
			t.Errorf("the race ended as %s", o.Status)
		}
		for _, run := range o.Runs {
			if run.Status != Completed {
				t.Errorf("%s ended as %s", run.Algorithm, run.Status)
			}
		}
		if n := len(o.Runs[1].Curve); n < 30 {
			t.Errorf("the second run was cut short after %d steps", n)
		}
	})
	t.Run("if_all_miss_it_the_best_is_kept", func(t *testing.T) {
		o := mustRace(t, f, Params{Threshold: new(1.0)},
			fakeFitter{skills: risingSkills(0.5, 0.8, 8), work: 1e6}, fakeFitter{skills: risingSkills(0.5, 0.9, 8), work: 9e9}, fakeFitter{skills: risingSkills(0.5, 0.7, 3), work: 1e3})
		if o.Status != NotCompleted || o.Algorithm != o.Runs[1].Algorithm || !wasRefitted(o) {
			t.Errorf("%s with %s", o.Status, o.Algorithm)
		}
		// Each of 8 steps is better than the one before. Then the run stalls.
		if n := len(o.Runs[1].Curve); n != 8+5 {
			t.Errorf("%d steps", n)
		}
		if p := o.Model.Members()[0].Predictor.(fakeModel); p.rows != f.Rows || p.skill != 0.9 {
			t.Errorf("the model was trained on %d rows to skill %v", p.rows, p.skill)
		}
	})
}

// TestRefitStopsWhereValidationDid checks that a refit ends at the same fraction of its
// schedule as the best step of the folds. The schedule of the refit has more steps,
// because it has more rows.
func TestRefitStopsWhereValidationDid(t *testing.T) {
	skills := append(risingSkills(0.5, 0.8, 26), 0.95) // best at step 27, of 54 steps in a fold
	for i := range 40 {
		skills = append(skills, 0.8-float64(i)/100)
	}
	o := mustRace(t, fakeFrame(300, 2), Params{}, fakeFitter{skills: skills, work: 1e6, patience: 30, schedule: func(rows int) int { return rows / 4 }})
	// A fold trains on 216 of the 300 rows. The refit trains on all 300 rows, so its
	// schedule has 75 steps, and half of it is 38 steps.
	if got := o.Model.Members()[0].Predictor.(fakeModel); got.skill != skills[38-1] || got.rows != 300 {
		t.Errorf("the refit on %d rows ended at skill %v, want %v", got.rows, got.skill, skills[38-1])
	}
}

func TestRaceSurvivesBrokenAlgorithms(t *testing.T) {
	f := fakeFrame(300, 2)
	good := fakeFitter{skills: risingSkills(0.5, 0.9, 4), work: 1e6}
	broken := fakeFitter{skills: good.skills, work: 1e6, fault: func(step int) error {
		if step == 3 {
			return errors.New("out of luck")
		}
		return nil
	}}
	panics := fakeFitter{skills: good.skills, work: 1e6, fault: func(int) error { panic("boo") }}
	t.Run("some", func(t *testing.T) {
		o := mustRace(t, f, Params{Threshold: new(1.0)}, broken, good, panics)
		if o.Status != NotCompleted || o.Algorithm != "BFIF01" {
			t.Errorf("%s with %q", o.Status, o.Algorithm)
		}
		if o.Runs[0].Status != Failed || !strings.Contains(o.Runs[0].Err.Error(), "BSEV01: out of luck") {
			t.Errorf("%+v", o.Runs[0])
		}
		if o.Runs[2].Status != Failed || !errors.Is(o.Runs[2].Err, parallel.ErrPanic) {
			t.Errorf("%+v", o.Runs[2])
		}
	})
	t.Run("all", func(t *testing.T) {
		o := mustRace(t, f, Params{Threshold: new(1.0)}, broken, panics)
		if o.Status != Failed || o.Model != nil {
			t.Errorf("%s, model %v", o.Status, o.Model)
		}
	})
}

func TestRaceEnds(t *testing.T) {
	f := fakeFrame(300, 2)
	second := func(int) time.Duration { return time.Second }
	slow := func() []algorithm {
		return fakeAlgorithms(fakeFitter{skills: risingSkills(0.5, 0.9, 1000), work: 1e9, pause: second, patience: 1000}, fakeFitter{skills: risingSkills(0.48, 0.88, 1000), work: 1e9, pause: second, patience: 1000})
	}
	t.Run("stop_keeps_the_best_at_once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			stop := make(chan struct{})
			time.AfterFunc(100*time.Second+time.Millisecond, func() { close(stop) })
			began := time.Now()
			o, err := raceAlgorithms(t.Context(), f, Params{Threshold: new(1.0), Stop: stop}, slow())
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 101*time.Second {
				t.Errorf("took %v", took)
			}
			if o.Status != Cancelled || o.Algorithm != model.Blend || wasRefitted(o) || len(o.Model.Members()) != 20 { // two runs of ten folds
				t.Errorf("%s with %s, refit %v, %d members", o.Status, o.Algorithm, wasRefitted(o), len(o.Model.Members()))
			}
			if o.Runs[0].Status != Cancelled || o.Report.Importances != nil {
				t.Errorf("%+v", o.Runs[0])
			}
		})
	})
	t.Run("stop_before_any_score", func(t *testing.T) {
		stop := make(chan struct{})
		close(stop)
		o, err := raceAlgorithms(t.Context(), f, Params{Threshold: new(1.0), Stop: stop}, slow())
		if err != nil || o.Status != Cancelled || o.Model != nil || o.Runs != nil { // with runs it would have divided the rows
			t.Errorf("%+v, %v", o, err)
		}
	})
	t.Run("time_limit_leaves_time_for_the_refit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			o, err := raceAlgorithms(t.Context(), f, Params{Threshold: new(1.0), TimeLimit: 10 * time.Minute, Now: time.Now, Workers: 1}, slow()[:1])
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took < 8*time.Minute || took > 10*time.Minute {
				t.Errorf("took %v", took)
			}
			if o.Status != TimedOut || o.Runs[0].Status != TimedOut || !wasRefitted(o) {
				t.Errorf("%s, refit %v", o.Status, wasRefitted(o))
			}
		})
	})
	t.Run("cancelled_context_is_an_error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			o, err := raceAlgorithms(ctx, f, Params{Threshold: new(1.0)}, slow())
			if !errors.Is(err, context.DeadlineExceeded) || o != nil {
				t.Errorf("%+v, %v", o, err)
			}
		})
	})
}

func TestRaceReportsProgress(t *testing.T) {
	seen := map[string][]Event{}
	o, err := raceAlgorithms(t.Context(), fakeFrame(300, 2), Params{Threshold: new(0.85), Progress: func(e Event) {
		seen[e.Algorithm] = append(seen[e.Algorithm], e) // the race detector watches that calls do not overlap
	}}, fakeAlgorithms(fakeFitter{skills: risingSkills(0.5, 0.9, 9), work: 1e6}, fakeFitter{skills: []float64{0.5}, work: 1e5}))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"BSEV01", "BFIF01"} {
		events := seen[name]
		first := events[0]
		if first.Status != Running || first.Step != 0 || !math.IsNaN(first.BestPerformance) || !math.IsNaN(first.BestLogLoss) {
			t.Errorf("%s: the first event is %+v, want status RUNNING and no score", name, first)
		}
		if last := events[len(events)-1]; last.Status != o.Runs[i].Status || last.Performance != o.Runs[i].Curve[last.Step-1] {
			t.Errorf("%s: last is %+v, run %+v", name, last, o.Runs[i])
		}
	}
}

func TestRaceOnTinyData(t *testing.T) {
	for name, labels := range map[string][]int32{
		"one_row_a_class":      {0, 1},
		"two_rows_a_class":     {0, 1, 0, 1},
		"a_class_of_one":       {0, 0, 0, 0, 0, 0, 1, 1, 1, 2},
		"an_empty_class":       {0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
		"one_against_the_rest": {0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	} {
		for _, metric := range []string{"accuracy", "balancedAccuracy", "macroF1", "rocAuc"} {
			t.Run(name+"/"+metric, func(t *testing.T) {
				f := fakeFrame(len(labels), 3)
				f.Labels = labels
				o := mustRace(t, f, Params{Threshold: new(1.0), Metric: metric}, fakeFitter{skills: risingSkills(0.2, 0.8, 3), work: 1e6})
				if o.Model == nil || !wasRefitted(o) {
					t.Fatalf("%+v", o)
				}
				r := o.Report
				if math.IsNaN(o.Achieved) || math.IsNaN(r.Training.LogLoss) {
					t.Errorf("achieved %v, training %+v", o.Achieved, r.Training)
				}
				if math.IsNaN(r.Test.Accuracy) != (r.TestRows == 0) || math.IsNaN(r.Validation.LogLoss) != (r.ValidationRows == 0) {
					t.Errorf("%d test rows: %+v; %d validation rows: %+v", r.TestRows, r.Test, r.ValidationRows, r.Validation)
				}
				if r.TestRows == 1 && !math.IsNaN(r.Test.ROCAUC) {
					t.Errorf("the area of one test row is %v", r.Test.ROCAUC)
				}
			})
		}
	}
}

func TestRaceRejects(t *testing.T) {
	f := fakeFrame(30, 2)
	one := fakeFrame(30, 1)
	for name, p := range map[string]Params{
		`algorithm="MSIX01": a label of 2 classes needs BSIX01`: {Algorithms: []string{"MSIX01"}},
		`algorithm="": must be one of BSEV01, BFIF01, BSIX01`:   {Algorithms: []string{""}},
		`threshold=1.5: must be between 0 and 1`:                {Threshold: new(1.5)},
		`threshold=NaN: must be between 0 and 1`:                {Threshold: new(math.NaN())},
		`metric="speed": must be one of`:                        {Metric: "speed"},
	} {
		_, err := raceAlgorithms(t.Context(), f, p, fakeAlgorithms(fakeFitter{}, fakeFitter{}, fakeFitter{}))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
	if _, err := raceAlgorithms(t.Context(), one, Params{}, fakeAlgorithms(fakeFitter{})); err == nil {
		t.Error("no error for a single class")
	}
}

func mustRace(t *testing.T, f *frame.Frame, p Params, fitters ...fakeFitter) *Outcome {
	t.Helper()
	o, err := raceAlgorithms(t.Context(), f, p, fakeAlgorithms(fitters...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func bytesOf(tb testing.TB, m *model.Model) []byte {
	tb.Helper()
	var b bytes.Buffer
	n, err := m.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		tb.Fatalf("%d bytes are reported as %d: %v", b.Len(), n, err)
	}
	return b.Bytes()
}

// readModel reads a model from its bytes.
func readModel(file []byte) (*model.Model, error) {
	return model.Read(bytes.NewReader(file), int64(len(file)))
}

// fileVersion returns the version of a model file.
func fileVersion(file []byte) uint16 {
	return binary.LittleEndian.Uint16(file[len("FORETELL"):])
}

// probabilitiesOf returns the class probabilities that m predicts for the rows of f.
func probabilitiesOf(tb testing.TB, m *model.Model, f *frame.Frame) []float32 {
	tb.Helper()
	p, err := m.PredictMembers(tb.Context(), f, cloneMembers(m.Members()), 2)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// TestEarlyStopping checks that a run without errors on the validation rows stalls
// although its log loss still falls a little.
func TestEarlyStopping(t *testing.T) {
	const rows, patience = 100, 10
	steps := func(performance, shrink float64) int {
		var l earlyStopping
		logLoss := 0.1
		for step := 1; ; step++ {
			if l.hasStalled(score{performance, logLoss}, performance >= 1, rows, step, patience) || step == 500 {
				return step
			}
			logLoss *= shrink
		}
	}
	if n := steps(0.99, 0.95); n != 500 {
		t.Errorf("a run that still improves has stalled after %d steps", n)
	}
	if n := steps(1, 0.95); n < 20 || n > 100 {
		t.Errorf("a perfect run has stalled after %d steps", n)
	}
	var l earlyStopping
	for step := range 2 * patience {
		stalled := l.hasStalled(score{0.9 + 1e-6*float64(step), 0.1}, false, rows, step+1, patience)
		if want := step >= patience; stalled != want {
			t.Errorf("step %d: stalled = %v of a run whose performance rises by a millionth a step", step+1, stalled)
		}
	}
	if n := steps(1, 1); n != patience+1 {
		t.Errorf("a run that does not improve has stalled after %d steps", n)
	}
}

func TestPerfectRunEndsARaceWithoutAThreshold(t *testing.T) {
	f := fakeFrame(300, 2)
	for _, c := range []struct {
		name      string
		threshold *float64
		score     score
		want      bool
	}{
		{"right and sure of every row", nil, score{1, 0.9 / 300}, true},
		{"right by luck", nil, score{1, 0.02}, false},
		{"sure but for a row", nil, score{0.997, 0.9 / 300}, false},
		{"a threshold of 1 decides alone", new(1.0), score{1, 0.9 / 300}, false},
	} {
		r, err := newRace(t.Context(), f, Params{Threshold: c.threshold}, fakeAlgorithms(fakeFitter{}))
		if err != nil {
			t.Fatal(err)
		}
		r.evaluator.Labels = f.Labels
		if got := r.winsWithoutThreshold(c.score); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		r.evaluator.Labels = make([]int32, f.Rows)
		if r.winsWithoutThreshold(c.score) {
			t.Errorf("%s: a run wins on validation rows of one class", c.name)
		}
	}
}
