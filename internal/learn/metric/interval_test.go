package metric

import (
	"math"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// TestWilson compares intervals with statsmodels' proportion_confint(method="wilson").
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		right, n  int
		low, high float64
	}{
		{8, 10, 0.4901625, 0.9433178},
		{0, 10, 0, 0.2775328},
		{10, 10, 0.7224672, 1},
	} {
		if got := Wilson(c.right, c.n); !near(got.Low, c.low) || !near(got.High, c.high) {
			t.Errorf("%d of %d: %v, want %v to %v", c.right, c.n, got, c.low, c.high)
		}
	}
	if Wilson(0, 0).Known() {
		t.Error("an interval without rows")
	}
}

// TestIntervalsHoldTheScore checks that about 95 of 100 intervals, each from a new sample, contain
// the score of the population.
func TestIntervalsHoldTheScore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of samples, in one goroutine")
	}
	for _, classes := range []int{2, 4} {
		population := calibratedSample(500000, classes, 12)
		for _, name := range []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC, NameLogLoss} {
			truth := LogLoss(population)
			if name != NameLogLoss {
				truth, _ = Score(t.Context(), name, population)
			}
			const samples, rows = 1200, 400
			held := 0
			for s := range samples {
				part := population
				part.Labels = population.Labels[s*rows:][:rows]
				part.Probabilities = population.Probabilities[s*rows*classes:][:rows*classes]
				i := must(ScoreInterval(t.Context(), name, part))
				if i.Low <= truth && truth <= i.High {
					held++
				}
			}
			if held < samples*93/100 || held > samples*97/100 {
				t.Errorf("%d classes: %d of %d intervals contain the %s, want about 95 of 100", classes, held, samples, name)
			}
		}
	}
}

func TestScoreInterval(t *testing.T) {
	t.Run("a_perfect_score_of_few_rows_is_uncertain", func(t *testing.T) {
		p := Predictions{Probabilities: []float32{1, 0, 0, 1, 1, 0, 0, 1}, Labels: []int32{0, 1, 0, 1}, Classes: 2}
		for _, name := range []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC} {
			if i := must(ScoreInterval(t.Context(), name, p)); !(i.Low < 0.6) || i.High != 1 {
				t.Errorf("%s: %v, want from about 0.5 to 1", name, i)
			}
		}
	})
	t.Run("no_rows_have_no_interval", func(t *testing.T) {
		for _, name := range []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC, NameLogLoss} {
			if i := must(ScoreInterval(t.Context(), name, Predictions{Classes: 2})); i.Known() {
				t.Errorf("%s: %v", name, i)
			}
		}
	})
	t.Run("one_class_alone_has_no_area", func(t *testing.T) {
		p := Predictions{Probabilities: []float32{1, 0, 1, 0}, Labels: []int32{0, 0}, Classes: 2}
		if i := must(ScoreInterval(t.Context(), NameROCAUC, p)); i.Known() {
			t.Errorf("%v", i)
		}
	})
}

// TestMcNemar compares p-values with scipy.stats.binomtest(first, first+second).
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		first, second int
		want          float64
	}{
		{0, 0, 1}, {5, 5, 1}, {1, 9, 0.021484375}, {9, 1, 0.021484375}, {0, 5, 0.0625}, {40, 60, 0.0568879},
	} {
		if got := McNemar(c.first, c.second); !near(got, c.want) {
			t.Errorf("%d and %d: p = %.9f, want %v", c.first, c.second, got, c.want)
		}
	}
	for n := range 500 {
		if got := McNemar(n+1, n); got != 1 {
			t.Errorf("%d and %d: p = %v, want exactly 1", n+1, n, got)
		}
	}
}
