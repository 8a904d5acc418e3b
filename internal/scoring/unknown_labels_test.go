package scoring

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const blindWithLabels = "ID,class,prediction,probability_no,probability_yes\n" +
	"a,yes,yes,0.3,0.7\nb,no,no,0.8,0.2\nc,\"died, home\",no,0.9,0.1\nd,,yes,0.1,0.9\ne,no,yes,0.4,0.6\n"

// TestUnknownAndMissingLabels checks that a row without a label and a row with a label that is not a
// class of the model do not prevent the score of the other rows.
func TestUnknownAndMissingLabels(t *testing.T) {
	r := scored(t, blindWithLabels, blindWithLabels, Options{Label: "class", Classes: []string{"no", "yes"}, InOrder: true})
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

// TestUnknownLabelInOtherCase checks the note on a label that differs from a class only in case.
func TestUnknownLabelInOtherCase(t *testing.T) {
	r := scored(t, "id,prediction\n1,yes\n2,no\n", "id,y\n1,Yes\n2,no\n", Options{Classes: []string{"no", "yes"}})
	const want = `the label "Yes" differs from the class "yes" only in upper and lower case`
	if note := r.UnknownLabels.Note(); !strings.Contains(note, want) {
		t.Errorf("the note is %s", note)
	}
}

// TestUnknownLabelInOtherSpelling checks the note on a label that differs from a class only in a point.
func TestUnknownLabelInOtherSpelling(t *testing.T) {
	r := scored(t, "id,prediction\n1,>50K\n2,<=50K\n", "id,y\n1,>50K.\n2,<=50K\n", Options{Classes: []string{"<=50K", ">50K"}})
	const want = `the label ">50K." differs from the class ">50K" only in spelling`
	if note := r.UnknownLabels.Note(); !strings.Contains(note, want) {
		t.Errorf("the note is %s", note)
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

// TestMissingLabels checks that a text such as NA is no label, unless it is a class of the model.
func TestMissingLabels(t *testing.T) {
	const file = "id,y,prediction\n1,a,a\n2,NA,a\n3,?,b\n4,null,b\n5,none,b\n6,b,b\n"
	for _, c := range []struct {
		classes          []string
		rows, unlabelled int
		unknown          []string
	}{
		{[]string{"a", "b"}, 3, 3, []string{"none"}},
		{[]string{"a", "b", "NA", "none"}, 4, 2, nil},
		{nil, 6, 0, nil}, // NA may be a class
	} {
		r := scored(t, file, file, Options{Label: "y", Classes: c.classes, InOrder: true})
		var unknown []string
		if r.UnknownLabels != nil {
			unknown = r.UnknownLabels.Labels
		}
		if r.Rows != c.rows || r.UnlabelledRows != c.unlabelled || !slices.Equal(unknown, c.unknown) {
			t.Errorf("%q: %d rows, %d unlabelled, unknown %q, want %+v", c.classes, r.Rows, r.UnlabelledRows, unknown, c)
		}
	}
	_, err := Score(t.Context(), strings.NewReader("id,y,prediction\n1,,a\n"), strings.NewReader("id,y,prediction\n1,,a\n"), Options{Label: "y"})
	if err == nil || !strings.Contains(err.Error(), "no row has a label") {
		t.Errorf("error of a file without labels: %v", err)
	}
}

// TestSpacedClasses checks that spaces around the classes of a receipt do not make labels unknown.
func TestSpacedClasses(t *testing.T) {
	const file = "id,y,prediction,probability_<=50K,probability_>50K\n1, <=50K, >50K,0.4,0.6\n2, >50K, >50K,0.2,0.8\n3, >50K, <=50K,0.7,0.3\n"
	classes := []string{" <=50K", " >50K"}
	r := scored(t, file, file, Options{Label: "y", Classes: classes, PRAUCClass: " >50K", InOrder: true})
	if r.UnknownLabels != nil || r.PRAUCClass != ">50K" || !r.IsPRAUCClassGiven {
		t.Errorf("unknown %+v, class of prAuc %q, given %t", r.UnknownLabels, r.PRAUCClass, r.IsPRAUCClassGiven)
	}
	if classes[1] != " >50K" {
		t.Error("the classes of the caller were changed")
	}
}

// TestUnknownLabelIsNoClass checks that an unknown label is not a class in the means over classes and
// not the baseline, and that its rows count as wrong.
func TestUnknownLabelIsNoClass(t *testing.T) {
	const file = "id,y,prediction,probability_a,probability_b\n1,a,a,0.9,0.1\n2,a,b,0.4,0.6\n3,b,b,0.2,0.8\n4,x,a,0.7,0.3\n5,x,a,0.8,0.2\n6,x,b,0.1,0.9\n"
	r := scored(t, file, file, Options{Label: "y", Classes: []string{"a", "b"}, InOrder: true})
	for name, c := range map[string]struct {
		got  *MetricValue
		want float64
		rows int
	}{
		"accuracy":         {r.Accuracy, 2.0 / 6, 0},
		"balancedAccuracy": {r.BalancedAccuracy, (0.5 + 1) / 2, 3},
		"macroF1":          {r.MacroF1, (2.0/5 + 2.0/4) / 2, 0},
		"rocAuc":           {r.ROCAUC, 1, 3},
	} {
		if c.got == nil || math.Abs(c.got.Value-c.want) > 1e-9 || c.got.Rows != c.rows || c.got.Low == nil {
			t.Errorf("%s %+v, want %v of %d rows with an interval", name, c.got, c.want, c.rows)
		}
	}
	if want := (Baseline{"a", 2.0 / 6}); r.Baseline != want {
		t.Errorf("baseline %+v, want %+v", r.Baseline, want)
	}
	if len(r.Classes) != 3 || len(r.Confusion) != 3 {
		t.Errorf("%d classes, want also the unknown one", len(r.Classes))
	}
}
