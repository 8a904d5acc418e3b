package scoring

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	const (
		first  = "id,prediction,probability,probability_n,probability_y\na,y,0.9,0.1,0.9\nb,n,0.8,0.8,0.2\nc,n,0.6,0.6,0.4\n"
		second = "id,prediction,probability,probability_n,probability_y\nc,y,0.7,0.3,0.7\nb,n,0.7,0.7,0.3\na,y,0.9,0.1,0.9\n"
	)
	got, err := Diff(context.Background(), strings.NewReader(first), strings.NewReader(second), strings.NewReader("id,k\nb,n\nc,y\na,n\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.ProbabilityChanges { // float32 has fewer digits
		got.ProbabilityChanges[i].From, got.ProbabilityChanges[i].To = float64(float32(got.ProbabilityChanges[i].From)), float64(float32(got.ProbabilityChanges[i].To))
	}
	p := func(x float32) float64 { return float64(x) }
	want := &Difference{
		Rows: 3, ChangedRows: []ChangedRow{{"c", "n", "y", "y"}}, LabelChanges: []LabelChange{{"n", "y", 1}},
		ProbabilityChanges: []ProbabilityChange{{"c", "n", p(0.6), p(0.3)}, {"b", "n", p(0.8), p(0.7)}},
		Truth:              &TruthComparison{BothRight: 1, OnlySecond: 1, NeitherRight: 1, PValue: 1},
	}
	want.ProbabilityChanges[0].Class, want.ProbabilityChanges[1].Class = got.ProbabilityChanges[0].Class, got.ProbabilityChanges[1].Class // both classes move as far
	for i, m := range got.ProbabilityChanges {
		if m.Class == "y" {
			want.ProbabilityChanges[i].From, want.ProbabilityChanges[i].To = []float64{p(0.4), p(0.2)}[i], []float64{p(0.7), p(0.3)}[i]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDiffOfColumnsSharedWithAnswers finds the column of predicted labels of both files by the
// columns of the answers.
func TestDiffOfColumnsSharedWithAnswers(t *testing.T) {
	const first, second = "id,x,class\n1,5,y\n2,6,n\n", "id,x,class\n2,6,n\n1,5,n\n"
	d, err := Diff(t.Context(), strings.NewReader(first), strings.NewReader(second), strings.NewReader("id,class\n1,y\n2,n\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ChangedRow{{"1", "y", "n", "y"}}, d.ChangedRows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDiffLeavesOutUnlabelledRows checks that the rows without a label are those that are not scored:
// empty labels and, if the classes of a model are known, texts such as NA that are not among them.
func TestDiffLeavesOutUnlabelledRows(t *testing.T) {
	const (
		first, second = "id,prediction\na,y\nb,n\nc,n\nd,y\n", "id,prediction\na,y\nb,y\nc,y\nd,y\n"
		answers       = "id,k\na,y\nb,NA\nc,\nd,n\n"
	)
	classes := []string{"y", "n"}
	for name, c := range map[string]struct {
		opts Options
		want TruthComparison
	}{
		"known_classes":            {Options{Classes: classes, SecondClasses: classes}, TruthComparison{BothRight: 1, NeitherRight: 1, UnlabelledRows: 2, PValue: 1}},
		"unknown_classes":          {Options{}, TruthComparison{BothRight: 1, NeitherRight: 2, UnlabelledRows: 1, PValue: 1}},
		"class_of_second":          {Options{Classes: classes, SecondClasses: []string{"y", "NA"}}, TruthComparison{BothRight: 1, NeitherRight: 2, UnlabelledRows: 1, PValue: 1}},
		"unknown_classes_of_first": {Options{SecondClasses: classes}, TruthComparison{BothRight: 1, NeitherRight: 1, UnlabelledRows: 2, PValue: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Diff(t.Context(), strings.NewReader(first), strings.NewReader(second), strings.NewReader(answers), c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&c.want, d.Truth); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(d.ChangedRows) != 2 || d.ChangedRows[1].Truth != "" {
				t.Errorf("changed rows: %+v, want b, and c without a true label", d.ChangedRows)
			}
		})
	}
	_, err := Diff(t.Context(), strings.NewReader(first), strings.NewReader(second), strings.NewReader("id,k\na,\nb,\nc,\nd,\n"), Options{})
	if err == nil || !strings.Contains(err.Error(), `no row has a label in the column "k"`) {
		t.Errorf("without a label: %v", err)
	}
}

// TestDiffWithoutIDs checks that rows are joined by their order if only one of the files has IDs.
func TestDiffWithoutIDs(t *testing.T) {
	const withIDs, without = "id,prediction\na,no\nb,yes\n", "prediction\nno\nno\n"
	for _, files := range [][2]string{{withIDs, without}, {without, withIDs}} {
		d, err := Diff(t.Context(), strings.NewReader(files[0]), strings.NewReader(files[1]), nil, Options{})
		if err != nil || len(d.ChangedRows) != 1 || d.OrderReason == "" {
			t.Errorf("%+v, %v, want one changed row, joined by order", d, err)
		}
	}
}

// TestDiffWithoutSecondIDs checks that the first file is joined with the answers by its IDs even if the
// second file has none.
func TestDiffWithoutSecondIDs(t *testing.T) {
	const first, second, answers = "id,prediction\na,no\nb,yes\nc,yes\n", "prediction\nno\nno\nyes\n", "id,kind\nc,yes\nb,yes\na,no\n"
	d, err := Diff(t.Context(), strings.NewReader(first), strings.NewReader(second), strings.NewReader(answers), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&TruthComparison{BothRight: 2, OnlyFirst: 1, PValue: 1}, d.Truth); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]ChangedRow{{"b", "yes", "no", "yes"}}, d.ChangedRows); diff != "" || d.OrderReason != "the second predictions have no column of IDs" {
		t.Errorf("joined by order because %q; (-want +got):\n%s", d.OrderReason, diff)
	}
}

// TestDiffByNameOfID checks that all files are joined by the column that they have in common, and not by
// the first column of each.
func TestDiffByNameOfID(t *testing.T) {
	const plain, numbered, answers = "id,prediction\n0,u\n1,v\n2,v\n", "row,id,prediction\n0,2,v\n1,1,v\n2,0,u\n", "id,kind\n1,v\n2,v\n0,u\n"
	for _, files := range [][2]string{{plain, numbered}, {numbered, plain}, {numbered, numbered}} {
		for _, truths := range []string{"", answers} {
			var src io.Reader
			if truths != "" {
				src = strings.NewReader(truths)
			}
			d, err := Diff(t.Context(), strings.NewReader(files[0]), strings.NewReader(files[1]), src, Options{})
			if err != nil || len(d.ChangedRows) > 0 || d.Truth != nil && d.Truth.BothRight != 3 {
				t.Errorf("%q, answers %q: %+v, %v; want no changed row, and only right predictions", files, truths, d, err)
			}
		}
	}
}

// TestFractions accepts classes that are fractions if both files have them, or if a true label is one.
func TestFractions(t *testing.T) {
	const file = "id,prediction\na,0.25\nb,0.5\nc,0.75\nd,1\n"
	if d, err := Diff(t.Context(), strings.NewReader(file), strings.NewReader(file), nil, Options{}); err != nil || len(d.ChangedRows) != 0 {
		t.Errorf("%+v, %v, want no changed row", d, err)
	}
	answers := strings.NewReader("id,class\na,1\nb,1\nc,1\nd,.1\n")
	if r, err := Score(t.Context(), strings.NewReader(file), answers, Options{}); err != nil || r.Rows != 4 {
		t.Errorf("%+v, %v, want 4 rows", r, err)
	}
}

func TestDiffFaults(t *testing.T) {
	const (
		columns       = "choose the column of the true labels with --label"
		booleans      = "the files spell the classes differently, such as True and 1: use the same spelling in both"
		spelling      = "the labels differ only in spelling, such as a point at the end or invisible characters: use the same spelling in both files"
		probabilities = "write the predicted class of each row into a column prediction, and its probabilities into a column probability_<class> for each class"
		letterCase    = "the labels differ only in upper and lower case: use the same spelling in both files"
	)
	for name, c := range map[string]struct {
		first, second, answers string
		opts                   Options
		want                   Fault
	}{
		"other_rows": {
			"id,prediction\na,y\nb,n\n", "id,prediction\na,y\nc,n\n", "",
			Options{},
			Fault{File: NoSingleFile, Line: 0, Message: `1 ID of the first predictions is missing from the second predictions: "b"; 1 ID of the second predictions is missing from the first predictions: "c"`},
		},
		"booleans": {
			"id,prediction\na,1\nb,0\n", "id,prediction\na,1\nb,1\n", "id,k\na,True\nb,False\n",
			Options{},
			Fault{Message: `no true label is a predicted class: the true labels (column "k" of the answers) are "True", "False", and the classes are "1", "0"`, Hint: booleans},
		},
		"upper_case": {
			"id,prediction\na,y\n", "id,prediction\na,n\n", "id,k\na,Y\n",
			Options{},
			Fault{Message: `no true label is a predicted class: the true labels (column "k" of the answers) are "Y", and the classes are "y"`, Hint: letterCase},
		},
		"point_at_the_end": {
			"id,prediction\na,<=50K\n", "id,prediction\na,>50K\n", "id,k\na,<=50K.\n",
			Options{},
			Fault{Message: `no true label is a predicted class: the true labels (column "k" of the answers) are "<=50K.", and the classes are "<=50K"`, Hint: spelling},
		},
		"zero_width": {
			"id,prediction\na,y\n", "id,prediction\na,n\n", "id,k\na,y\u200b\n",
			Options{},
			Fault{Message: `no true label is a predicted class: the true labels (column "k" of the answers) are "y\u200b", and the classes are "y"`, Hint: spelling},
		},
		"other_label_of_second": {
			"id,prediction\na,y\nb,n\n", "id,prediction\na,0\nb,1\n", "id,k\na,y\nb,n\n",
			Options{},
			Fault{Message: `no true label is a predicted class: the true labels (column "k" of the answers) are "y", "n", and the classes are "0", "1"`, Hint: booleans},
		},
		"wrong_column": {
			"id,prediction\na,y\n", "id,prediction\na,n\n", "id,k,x\na,y,7\n",
			Options{Label: "x"},
			Fault{Message: `no true label is a predicted class: the true labels (column "x" of the answers) are "7", and the classes are "y"`, Hint: columns},
		},
		"probabilities": {
			"ID,class\na,0\nb,1\nc,1\nd,0\n", "ID,class\na,0.17\nb,1\nc,.83\nd,0.02\n", "",
			Options{},
			Fault{File: SecondPredictions, Message: `the column "class" seems to have probabilities instead of predicted classes: "0.17", ".83", "0.02"`, Hint: probabilities},
		},
		"probabilities_and_true_labels": {
			"ID,class\na,0.17\nb,1\nc,.83\nd,0.02\n", "ID,class\na,0\nb,1\nc,1\nd,0\n", "ID,class\na,0\nb,1\nc,1\nd,0\n",
			Options{},
			Fault{File: Predictions, Message: `the column "class" seems to have probabilities instead of predicted classes: "0.17", ".83", "0.02"`, Hint: probabilities},
		},
		"no_common_class": {
			"id,prediction\na,yes\nb,no\n", "id,prediction\na,1\nb,0\n", "",
			Options{},
			Fault{Message: `they have no predicted class in common: the classes of the first predictions are "yes", "no"; the classes of the second are "1", "0"`, Hint: booleans},
		},
		"twice_in_first":  {"id,prediction\na,y\na,n\n", "id,prediction\na,y\n", "", Options{}, Fault{File: Predictions, Line: 3, Message: `the ID "a" is also in line 2: IDs must be unique`}},
		"twice_in_second": {"id,prediction\na,y\n", "id,prediction\na,y\na,n\n", "", Options{}, Fault{File: SecondPredictions, Line: 3, Message: `the ID "a" is also in line 2: IDs must be unique`}},
	} {
		t.Run(name, func(t *testing.T) {
			var answers io.Reader
			if c.answers != "" {
				answers = strings.NewReader(c.answers)
			}
			_, err := Diff(context.Background(), strings.NewReader(c.first), strings.NewReader(c.second), answers, c.opts)
			var fault *Fault
			if !errors.As(err, &fault) {
				t.Fatalf("%v, want a fault", err)
			}
			if diff := cmp.Diff(c.want, *fault); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
