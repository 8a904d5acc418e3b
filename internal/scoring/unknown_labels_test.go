package scoring

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const blindWithLabels = "ID,class,prediction,probability_no,probability_yes\n" +
	"a,yes,yes,0.3,0.7\nb,no,no,0.8,0.2\nc,\"died, home\",no,0.9,0.1\nd,,yes,0.1,0.9\ne,no,yes,0.4,0.6\n"

// TestUnknownAndMissingLabels checks that a row without a label and a row with a label that is not a
// class of the model do not prevent the score of the other rows.
func TestUnknownAndMissingLabels(t *testing.T) {
	r := scored(t, blindWithLabels, blindWithLabels, Options{Label: "class", Classes: []string{"no", "yes"}, InOrder: true, SkipUnlabelled: true})
	if r.Rows != 4 || r.UnlabelledRows != 1 {
		t.Errorf("%d rows scored, %d without a label, want 4 and 1", r.Rows, r.UnlabelledRows)
	}
	if diff := cmp.Diff(&UnknownLabels{Rows: 1, Labels: []string{"died, home"}}, r.UnknownLabels); diff != "" {
		t.Errorf("unknown labels (-want +got):\n%s", diff)
	}
	if r.Accuracy.Value != 0.5 { // a and b are right; c and e are wrong
		t.Errorf("accuracy %v, want 0.5", r.Accuracy.Value)
	}
	// The rows a, b and e.
	if want := -(math.Log(0.7) + math.Log(0.8) + math.Log(0.4)) / 3; r.LogLoss == nil || math.Abs(r.LogLoss.Value-want) > 1e-6 {
		t.Errorf("log loss %+v, want %v", r.LogLoss, want)
	}
	if r.ROCAUC == nil || r.ROCAUC.Value != 1 {
		t.Errorf("rocAuc %+v, want 1", r.ROCAUC)
	}
	for _, class := range r.Classes {
		if unknown := class.Label == "died, home"; unknown != (class.ROCAUC == nil) {
			t.Errorf("rocAuc of %q: %+v", class.Label, class.ROCAUC)
		}
	}
}

// TestPRAUCIsOfTheClassOfTheRace checks that prAuc is that of the class that is rarer in the training
// file, although the other class is rarer in the answers.
func TestPRAUCIsOfTheClassOfTheRace(t *testing.T) {
	predictions := "id,prediction,probability_no,probability_yes\n1,yes,0.1,0.9\n2,yes,0.2,0.8\n3,yes,0.4,0.6\n4,no,0.7,0.3\n"
	answers := "id,y\n1,yes\n2,no\n3,yes\n4,yes\n"
	for class, want := range map[string]float64{"yes": 1.0/3 + 2.0/9 + 0.25, "no": 1.0 / 3, "": 1.0 / 3} {
		r := scored(t, predictions, answers, Options{PRAUCClass: class})
		if math.Abs(r.PRAUC.Value-want) > 1e-6 {
			t.Errorf("%q: prAuc %v, want %v", class, r.PRAUC.Value, want)
		}
		if class == "" {
			class = "no" // it has fewer rows in the answers
		}
		if r.PRAUCClass != class || r.Metric("prAuc["+class+"]").Value != r.PRAUC.Value {
			t.Errorf("prAuc is that of %q, want %q", r.PRAUCClass, class)
		}
	}
}
