package evaluation

import (
	"fmt"
	"math"
	"testing"

	"foretell/internal/learn/metric"
)

// TestScoresOfEachMetric checks that Scores has each metric of races, with an interval of each
// metric of reports, and that NaNScores has none.
func TestScoresOfEachMetric(t *testing.T) {
	t.Parallel()
	p := metric.Predictions{Labels: []int32{0, 1, 0, 1, 1, 0}, Classes: 2, Probabilities: []float32{0.8, 0.2, 0.3, 0.7, 0.4, 0.6, 0.1, 0.9, 0.55, 0.45, 0.7, 0.3}}
	s, err := NewScoresWithIntervals(t.Context(), metric.NameAccuracy, func(string) metric.Predictions { return p })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range metric.RaceNames() {
		if value := s.Performance(name); !(value > 0 && value < 1) {
			t.Errorf("the performance by %s is %v", name, value)
		}
		if value := NaNScores.Performance(name); !math.IsNaN(value) {
			t.Errorf("without rows, the performance by %s is %v, want NaN", name, value)
		}
	}
	for _, name := range metric.ReportNames() {
		if !s.Intervals[name].Known() || s.Intervals[name] == (Interval{}) {
			t.Errorf("%s has no interval", name)
		}
	}
}

// TestClassesWithoutRows checks that scores of classes are NaN if no row defines them, and that a class has
// no curve if no row, or every row, is of the class.
func TestClassesWithoutRows(t *testing.T) {
	t.Parallel()
	labels, classes := []string{"a", "b", "c"}, []int{0, 1, 2}
	p := metric.Predictions{Labels: []int32{0, 0, 2}, Classes: 3, Probabilities: []float32{0.1, 0.8, 0.1, 0.9, 0.1, 0, 0.5, 0.4, 0.1}} // never predicts c
	scores, err := NewClassScores(t.Context(), p, labels, classes)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for i, want := range [][3]float64{{0.5, 0.5, 0.5}, {0, nan, nan}, {nan, 0, 0}} {
		s := scores[i]
		if got := [3]float64{s.Precision, s.Recall, s.F1}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("precision, recall and F1 of %s are %v, want %v", s.Label, got, want)
		}
		for name, score := range map[string]float64{namePrecision: s.Precision, nameRecall: s.Recall, nameF1: s.F1} {
			if _, known := s.Intervals[name]; known == math.IsNaN(score) {
				t.Errorf("%s: the %s %v has an interval: %t", s.Label, name, score, known)
			}
		}
	}
	of := func(p metric.Predictions) (names string) {
		curves, err := NewClassCurves(t.Context(), p, labels, classes)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range curves {
			names += c.Label
		}
		return names
	}
	if got := of(p); got != "ac" {
		t.Errorf("the classes %q have curves", got)
	}
	if p.Labels = []int32{0, 0, 0}; of(p) != "" {
		t.Error("a single class has a curve")
	}
	if scores, err = NewClassScores(t.Context(), p, labels, classes); err != nil {
		t.Fatal(err)
	}
	if _, known := scores[0].Intervals[nameAveragePrecision]; known || !math.IsNaN(scores[0].AveragePrecision) || !math.IsNaN(scores[0].ROCAUC) {
		t.Errorf("the scores of a single class are %+v", scores[0])
	}
}
