package scoring

import (
	"errors"
	"strings"
	"testing"
)

// TestScoreWithIndex scores files whose first column is only an index.
func TestScoreWithIndex(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second string // the headers
		answers       string
		accuracy      float64 // 0 if the rows do not belong together
		byOrder       bool
	}{
		"unnamed_and_an_id":      {",id,prediction", ",id,label", "0,c,z\n1,a,x\n2,b,y\n", 1, false},
		"pandas_and_an_id":       {"Unnamed: 0,row_id,prediction", "Unnamed: 0,row_id,label", "0,c,z\n1,a,x\n2,b,y\n", 1, false},
		"rows_in_another_order":  {",town,prediction", ",town,label", "0,c,z\n1,a,x\n2,b,y\n", 0, false},
		"rows_in_the_same_order": {",town,prediction", ",town,label", "0,a,x\n1,b,y\n2,c,z\n", 1, true},
		"a_repeated_store":       {",store_id,prediction", ",store_id,label", "0,a,x\n1,b,y\n2,c,z\n", 1, true},
		"another_spelling":       {",town,prediction", ",town,label", "2,C!,z\n0,a,x\n1,b,y\n", 1, false},
		"an_index_that_was_kept": {",town,prediction", ",town,label", "2,c,z\n0,a,x\n1,b,y\n", 1, false},
	} {
		r, err := Score(t.Context(), strings.NewReader(c.first+"\n0,a,x\n1,b,y\n2,c,z\n"), strings.NewReader(c.second+"\n"+c.answers), Options{})
		var fault *Fault
		switch {
		case c.accuracy == 0:
			if !errors.As(err, &fault) || !strings.Contains(fault.Message, "3 of 3 rows have different values of town") {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.Accuracy.Value != c.accuracy || (r.OrderReason != "") != c.byOrder:
			t.Errorf("%s: accuracy %v, joined by their order because %q", name, r.Accuracy.Value, r.OrderReason)
		}
	}
}

// TestDiffOfGeneratedIDs compares files whose IDs do not identify the rows: the cells of the features
// must be equal.
func TestDiffOfGeneratedIDs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second string
		reason        string // "" if the rows do not belong together
	}{
		"generated":            {"id,x,prediction,probability\nr1,5,a,0.6\nr2,6,b,0.7\n", "id,x,prediction,probability\nr1,5,b,0.8\nr2,6.0,b,0.9\n", "the IDs of both files were generated"},
		"generated_and_sorted": {"id,x,prediction\nr1,5,a\nr2,6,b\n", "id,x,prediction\nr1,6,b\nr2,5,a\n", ""},
		"no_ids":               {"prediction,x\na,5\nb,6\n", "prediction,x\na,5\na,6\n", "the predictions have no column of IDs"},
		"no_ids_and_sorted":    {"prediction,x\na,5\nb,6\n", "prediction,x\na,6\na,5\n", ""},
		"other_scores":         {"prediction,x,score\na,5,0.1\nb,6,0.2\n", "prediction,x,score\na,5,0.3\na,6,0.4\n", "the predictions have no column of IDs"},
		"index_and_sorted":     {",x,prediction\n0,5,a\n1,6,b\n", ",x,prediction\n0,6,a\n1,5,b\n", ""},
	} {
		d, err := Diff(t.Context(), strings.NewReader(c.first), strings.NewReader(c.second), nil, Options{})
		var fault *Fault
		switch {
		case c.reason == "":
			if !errors.As(err, &fault) || !strings.Contains(fault.Message, "2 of 2 rows have different values of x (first in line 2 of the first predictions and line 2 of the second predictions)") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := Diff(t.Context(), strings.NewReader(c.first), strings.NewReader(c.second), nil, Options{InOrder: true}); err != nil {
				t.Errorf("%s, in order: %v", name, err)
			}
		case err != nil || d.OrderReason != c.reason:
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

// TestDiffKeepsGeneratedIDs joins the answers by their order, because they lack the generated IDs. The
// IDs still name the rows, and the probabilities have the digits of the files.
func TestDiffKeepsGeneratedIDs(t *testing.T) {
	t.Parallel()
	const header = "id,x,prediction,probability_a,probability_b\n"
	d, err := Diff(t.Context(), strings.NewReader(header+"r1,0,b,0.1,0.9\nr2,1,a,0.7,0.3\n"), strings.NewReader(header+"r1,0,a,0.8,0.2\nr2,1,a,0.7,0.3\n"),
		strings.NewReader("x,label\n0,b\n1,a\n"), Options{})
	if err != nil || len(d.ChangedRows) != 1 || d.ChangedRows[0].ID != "r1" || d.Truth.OnlyFirst != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	if len(d.ProbabilityChanges) != 1 || d.ProbabilityChanges[0] != (ProbabilityChange{"r1", "a", 0.1, 0.8}) && d.ProbabilityChanges[0] != (ProbabilityChange{"r1", "b", 0.9, 0.2}) {
		t.Errorf("probabilities %+v", d.ProbabilityChanges)
	}
}

// TestOnePredictedClass scores and compares predictions of a model that has predicted only one of its
// classes.
func TestOnePredictedClass(t *testing.T) {
	t.Parallel()
	const yes, no = "id,prediction\n1,yes\n2,yes\n", "id,prediction\n1,no\n2,maybe\n"
	opts := Options{Classes: []string{"no", "yes"}, SecondClasses: []string{"no", "maybe"}}
	r, err := Score(t.Context(), strings.NewReader(yes), strings.NewReader("id,label\n1,no\n2,no\n"), opts)
	if err != nil || r.Accuracy.Value != 0 {
		t.Errorf("score: %+v, %v", r, err)
	}
	d, err := Diff(t.Context(), strings.NewReader(yes), strings.NewReader(no), nil, opts)
	if err != nil || len(d.ChangedRows) != 2 {
		t.Errorf("diff: %+v, %v", d, err)
	}
	if _, err = Score(t.Context(), strings.NewReader(yes), strings.NewReader("id,label\n1,5\n2,6\n"), opts); err == nil {
		t.Error("labels that are no classes of the model were scored")
	}
}

// TestClassOfNoBreakSpace scores a class that consists of U+00A0, which the training takes for a text.
func TestClassOfNoBreakSpace(t *testing.T) {
	t.Parallel()
	r, err := Score(t.Context(), strings.NewReader("id,prediction\n1,\u00a0\n2,x\n"), strings.NewReader("id,label\n1,\u00a0\n2,x\n"), Options{})
	if err != nil || r.Rows != 2 || r.Accuracy.Value != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
