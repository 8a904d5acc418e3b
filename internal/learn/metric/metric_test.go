package metric

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type golden struct {
	Name                                        string
	Classes                                     int
	Labels                                      []int32
	Probabilities                               []float32
	Accuracy, BalancedAccuracy, MacroF1, ROCAUC float64
	LogLoss                                     float64
	Confusion, Support                          []int
	Precision, Recall, F1                       []float64
}

func goldens(t *testing.T) []golden {
	t.Helper()
	text, err := os.ReadFile("testdata/goldens.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []golden }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

func TestScoresEqualThoseOfScikitLearn(t *testing.T) {
	close := cmpopts.EquateApprox(0, 1e-6) // the golden log loss divides each row by its float32 sum
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			p := Predictions{Probabilities: g.Probabilities, Labels: g.Labels, Classes: g.Classes}
			for name, want := range map[string]float64{
				NameAccuracy:         g.Accuracy,
				NameBalancedAccuracy: g.BalancedAccuracy,
				NameMacroF1:          g.MacroF1,
				NameROCAUC:           g.ROCAUC,
			} {
				got, err := Score(t.Context(), name, p)
				if err != nil || !cmp.Equal(got, want, cmpopts.EquateApprox(0, 1e-12)) {
					t.Errorf("%s = %v, %v, want %v", name, got, err, want)
				}
			}
			if got := LogLoss(p); !cmp.Equal(got, g.LogLoss, close) {
				t.Errorf("log loss = %v, want %v", got, g.LogLoss)
			}
			if diff := cmp.Diff(g.Confusion, Confusion(p)); diff != "" {
				t.Errorf("confusion (-want +got):\n%s", diff)
			}
			want := make([]ClassScore, g.Classes)
			for c := range want {
				want[c] = ClassScore{Precision: g.Precision[c], Recall: g.Recall[c], F1: g.F1[c], Support: g.Support[c]}
				if g.Support[c] == 0 { // scikit-learn returns 0 with a warning
					want[c].Recall = math.NaN()
				}
			}
			scores := cmpopts.IgnoreFields(ClassScore{}, "PrecisionInterval", "RecallInterval", "F1Interval")
			if diff := cmp.Diff(want, PerClass(p), scores, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("classes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScore(t *testing.T) {
	t.Run("unknown_name_is_an_error", func(t *testing.T) {
		if _, err := Score(t.Context(), "accurate", Predictions{}); err == nil {
			t.Error("no error")
		}
	})
	t.Run("no_rows_score_nothing", func(t *testing.T) {
		for _, name := range []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC} {
			if got, err := Score(t.Context(), name, Predictions{Classes: 3}); err != nil || !math.IsNaN(got) {
				t.Errorf("%s = %v, %v, want NaN", name, got, err)
			}
		}
		if got := LogLoss(Predictions{Classes: 2}); !math.IsNaN(got) {
			t.Errorf("log loss = %v, want NaN", got)
		}
	})
	t.Run("area_with_one_class_only_is_not_a_number", func(t *testing.T) {
		p := Predictions{Probabilities: []float32{0.2, 0.8, 0.6, 0.4}, Labels: []int32{1, 1}, Classes: 2}
		three := Predictions{Probabilities: []float32{0.2, 0.7, 0.1, 0.6, 0.3, 0.1}, Labels: []int32{1, 1}, Classes: 3, Names: []string{"a", "b", "c"}}
		for _, name := range []string{NameROCAUC, NamePRAUC} {
			for _, p := range []Predictions{p, three} {
				if got := must(Score(t.Context(), name, p)); !math.IsNaN(got) {
					t.Errorf("%s of %d classes = %v, want NaN", name, p.Classes, got)
				}
				if i := must(ScoreInterval(t.Context(), name, p)); i.Known() {
					t.Errorf("%s of %d classes has the interval %v", name, p.Classes, i)
				}
			}
			if got, i := must(Score(t.Context(), name+"[b]", three)), must(ScoreInterval(t.Context(), name+"[b]", three)); !math.IsNaN(got) || i.Known() {
				t.Errorf("%s[b] = %v (%v), want NaN", name, got, i)
			}
		}
	})
	t.Run("ties_are_decided_for_the_lowest_class", func(t *testing.T) {
		if got := Decide([]float32{0.2, 0.4, 0.4}, nil); got != 1 {
			t.Errorf("decided for %d, want 1", got)
		}
	})
	t.Run("weights_move_decisions", func(t *testing.T) {
		p := Predictions{Probabilities: []float32{0.7, 0.3, 0.9, 0.1}, Labels: []int32{1, 0}, Classes: 2}
		if got := Accuracy(p); got != 0.5 {
			t.Errorf("accuracy = %v without weights, want 0.5", got)
		}
		p.Weights = []float64{1, 3}
		if got := Accuracy(p); got != 1 {
			t.Errorf("accuracy = %v with weights, want 1", got)
		}
	})
}
