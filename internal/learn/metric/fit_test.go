package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// calibratedSample returns predictions whose labels are drawn from their
// probabilities. The probabilities favour the first classes.
func calibratedSample(rows, classes int, seed uint64) Predictions {
	return drawCalibrated(rows, classes, seed, 1)
}

// drawCalibrated is calibratedSample for any decay, the difference of the logits of successive classes. If it
// is 0, all classes have about the same number of rows.
func drawCalibrated(rows, classes int, seed uint64, decay float64) Predictions {
	rng := rand.New(rand.NewPCG(seed, 0))
	p := Predictions{Classes: classes}
	for range rows {
		row, sum := make([]float64, classes), 0.0
		for c := range row {
			row[c] = math.Exp(2*rng.NormFloat64() - decay*float64(c))
			sum += row[c]
		}
		u, label := rng.Float64()*sum, 0
		for u -= row[0]; u > 0 && label < classes-1; u -= row[label] {
			label++
		}
		p.Labels = append(p.Labels, int32(label))
		for _, v := range row {
			p.Probabilities = append(p.Probabilities, float32(v/sum))
		}
	}
	return p
}

func TestTemperature(t *testing.T) {
	for _, classes := range []int{2, 5} {
		honest := calibratedSample(20000, classes, 1)
		for _, want := range []Temperature{0.5, 1, 3} {
			spoilt := honest
			spoilt.Probabilities = slices.Clone(honest.Probabilities)
			(1 / want).Apply(spoilt.Probabilities, classes)
			got := must(FitTemperature(t.Context(), spoilt))
			if math.Abs(float64(got/want)-1) > 0.05 {
				t.Errorf("%d classes: T = %.3f, want %.3f", classes, got, want)
			}
			before := LogLoss(spoilt)
			got.Apply(spoilt.Probabilities, classes)
			if after := LogLoss(spoilt); after > before+1e-3 || math.Abs(after-LogLoss(honest)) > 0.01 {
				t.Errorf("%d classes, T = %v: log loss %.4f → %.4f, want %.4f", classes, want, before, after, LogLoss(honest))
			}
		}
	}
	t.Run("few_rows_that_are_all_right_stay_near_1", func(t *testing.T) {
		p := Predictions{Probabilities: []float32{0.8, 0.2, 0.3, 0.7, 0.9, 0.1}, Labels: []int32{0, 1, 0}, Classes: 2}
		if got := must(FitTemperature(t.Context(), p)); got < 0.7 || got > 1 {
			t.Errorf("T = %v, want between 0.7 and 1", got)
		}
	})
	t.Run("no_rows_change_nothing", func(t *testing.T) {
		if got := must(FitTemperature(t.Context(), Predictions{Classes: 2})); got != 1 {
			t.Errorf("T = %v, want 1", got)
		}
	})
	t.Run("certainty_survives", func(t *testing.T) {
		row := []float32{0, 1, 0}
		Temperature(2).Apply(row, 3)
		if !slices.Equal(row, []float32{0, 1, 0}) {
			t.Errorf("became %v", row)
		}
	})
}

func TestFitWeights(t *testing.T) {
	for _, classes := range []int{2, 4} {
		seen, fresh := calibratedSample(4000, classes, 2), calibratedSample(20000, classes, 3)
		for name, gain := range map[string]float64{NameBalancedAccuracy: 0.005, NameMacroF1: 0.001} {
			before, _ := Score(t.Context(), name, fresh)
			weighted := fresh
			weighted.Weights = must(FitClassWeights(t.Context(), name, seen))
			if after, _ := Score(t.Context(), name, weighted); after < before+gain {
				t.Errorf("%d classes: %s %.4f → %.4f on fresh rows, want a gain of %v", classes, name, before, after, gain)
			}
		}
	}
	t.Run("F1_of_a_rare_class_with_low_probabilities", func(t *testing.T) {
		draw := rand.New(rand.NewPCG(5, 6))
		p := Predictions{Classes: 2, Names: []string{"0", "1"}}
		for range 20000 {
			probability, label := 0.05*math.Pow(draw.Float64(), 25), int32(0) // 0.2 % on average
			if draw.Float64() < probability {
				label = 1
			}
			p.Labels = append(p.Labels, label)
			p.Probabilities = append(p.Probabilities, float32(1-probability), float32(probability))
		}
		p.Weights = must(FitClassWeights(t.Context(), "f1[1]", p))
		if f1, _ := Score(t.Context(), "f1[1]", p); p.Weights == nil || f1 < 0.03 {
			t.Errorf("weights %v, F1 %.4f", p.Weights, f1)
		}
	})
	t.Run("accuracy_and_area_need_no_weights", func(t *testing.T) {
		for _, name := range []string{NameAccuracy, NameROCAUC} {
			if w := must(FitClassWeights(t.Context(), name, calibratedSample(500, 3, 4))); w != nil {
				t.Errorf("%s: weights %v", name, w)
			}
		}
	})
	t.Run("perfect_probabilities_need_no_weights", func(t *testing.T) {
		p := Predictions{Classes: 2}
		for i := range 100 {
			label := int32(i % 2)
			p.Labels = append(p.Labels, label)
			p.Probabilities = append(p.Probabilities, float32(1-label), float32(label))
		}
		if w := must(FitClassWeights(t.Context(), NameMacroF1, p)); w != nil {
			t.Errorf("weights %v", w)
		}
	})
	t.Run("absent_class_gets_a_finite_weight", func(t *testing.T) {
		p := calibratedSample(300, 3, 5)
		for i := range p.Labels {
			p.Labels[i] = min(p.Labels[i], 1)
		}
		for _, w := range must(FitClassWeights(t.Context(), NameBalancedAccuracy, p)) {
			if math.IsInf(w, 0) || math.IsNaN(w) || w <= 0 {
				t.Errorf("weight %v", w)
			}
		}
	})
}
