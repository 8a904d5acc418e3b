package scoring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/learn/metric"
)

func scored(t *testing.T, predictions, answers string, opts Options) *Result {
	t.Helper()
	r, err := Score(context.Background(), strings.NewReader(predictions), strings.NewReader(answers), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const answersText = "ID,class\na,yes\nb,no\nc,no\nd,no\n"

func TestScore(t *testing.T) {
	full := "ID,x,prediction,probability,probability_no,probability_yes\n" +
		"d,4,no,0.9,0.9,0.1\nc,3,yes,0.6,0.4,0.6\nb,2,no,0.8,0.8,0.2\na,1,yes,0.7,0.3,0.7\n"
	r := scored(t, full, answersText, Options{})
	// Computed by hand: 3 of 4 rows are right, the recalls are 2/3 and 1, and all 3 pairs
	// of rows are ranked correctly.
	want := map[string]float64{
		"accuracy": 0.75, "balancedAccuracy": 5.0 / 6, "macroF1": (0.8 + 2.0/3) / 2, "rocAuc": 1,
		"logLoss": -(math.Log(0.9) + math.Log(0.4) + math.Log(0.8) + math.Log(0.7)) / 4,
	}
	for name, value := range want {
		if got := r.Metric(name); got == nil || math.Abs(got.Value-value) > 1e-6 || got.Low == nil || *got.Low > value || *got.High < value {
			t.Errorf("%s = %+v, want %v inside of an interval", name, got, value)
		}
	}
	for _, name := range metric.RaceNames() {
		if r.Metric(name) == nil {
			t.Errorf("%s was not computed", name)
		}
	}
	if diff := cmp.Diff([][]int{{2, 1}, {0, 1}}, r.Confusion); diff != "" {
		t.Errorf("confusion (-want +got):\n%s", diff)
	}
	if r.Baseline != (Baseline{"no", 0.75}) || r.Label != "class" || r.Rows != 4 {
		t.Errorf("baseline %+v, label %q, rows %d", r.Baseline, r.Label, r.Rows)
	}
}

// TestAreasOfAnswersOfOneClass checks that no area under a curve is computed if all answers are of one
// class. Any probabilities would then have an average precision of 1.
func TestAreasOfAnswersOfOneClass(t *testing.T) {
	predictions := "id,prediction,probability_a,probability_b,probability_c\n1,a,0.5,0.3,0.2\n2,b,0.2,0.5,0.3\n3,c,0.1,0.2,0.7\n4,a,0.6,0.2,0.2\n"
	r := scored(t, predictions, "id,y\n1,a\n2,a\n3,a\n4,a\n", Options{})
	for _, name := range []string{"rocAuc", "prAuc", "rocAuc[a]", "prAuc[a]"} {
		if got := r.Metric(name); got != nil {
			t.Errorf("%s is %v", name, got.Value)
		}
	}
	if r.Accuracy.Value != 0.5 || r.LogLoss == nil {
		t.Errorf("accuracy %v, log loss %v", r.Accuracy.Value, r.LogLoss)
	}
}

// Files of other programs have only an ID and a prediction, other column names, numbers
// such as 1.0, no ID, or a whole table as answers.
func TestScoreOfOtherPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		predictions, answers string
		opts                 Options
	}{
		"id_and_prediction":   {"ID,prediction\nb,no\na,yes\nd,no\nc,no\n", answersText, Options{}},
		"renamed_for_kaggle":  {"PassengerId,Survived\n1,1\n2,0\n", "PassengerId,Survived,Age\n2,0,30\n1,1,20\n", Options{}},
		"label_among_others":  {"id,kind,p\n1,u,0.5\n2,v,0.6\n", "id,kind\n2,v\n1,u\n", Options{}},
		"numbers_with_points": {"id,prediction\n1,1.0\n2,0.0\n", "id,label\n1,1\n2,0\n", Options{}},
		"whole_table":         {"id,x,prediction\n1,5,u\n2,6,v\n", "id,kind,x\n1,u,5\n2,v,6\n", Options{}},
		"no_ids":              {"prediction\nu\nv\n", "kind\nu\nv\n", Options{}},
		"the_models_label":    {"id,x,prediction\n1,5,u\n2,6,v\n", "id,kind,note\n1,u,z\n2,v,z\n", Options{ModelLabel: "kind"}},
		"trailing_commas":     {"id,x,prediction\n1,5,u\n2,6,v\n", "id,kind,,\n1,u,,\n2,v,,\n", Options{}},
		"unnamed_label":       {"id,prediction\n1,u\n2,v\n", "id,\n1,u\n2,v\n", Options{}},
		"in_order":            {"i,prediction\n7,u\n8,v\n", "j,kind\n1,u\n2,v\n", Options{InOrder: true}},
		"a_pandas_index":      {",id,prediction\n0,1,v\n1,0,u\n", "id,kind\n0,u\n1,v\n", Options{}},
		"row_numbers_first":   {"row,id,prediction\n0,1,v\n1,0,u\n", "id,kind\n0,u\n1,v\n", Options{}},
		"unnamed_ids":         {",prediction\n1,v\n0,u\n", ",kind\n0,u\n1,v\n", Options{}},
		"empty_columns":       {",prediction\n1,v\n0,u\n", "id,kind,\n0,u,\n1,v,\n", Options{}},
		"renamed_id":          {"row,x,prediction\n1,5,u\n0,6,v\n2,7,w\n", "id,x,kind\n2,7,w\n0,6.0,v\n1,5,u\n", Options{}},
		"renamed_partial":     {"row,x,prediction\n3,8,u\n1,5,u\n0,6,v\n", "id,x,kind\n2,7,w\n0,6,v\n1,5,u\n", Options{Partial: true}},
		"made_ids":            {"id,x,prediction\nr1,5,u\nr2,6,v\n", "x,kind\n5,u\n6,v\n", Options{}},
		"named_columns":       {"k,guess,note\n1,u,a\n2,v,b\n", "k,kind,note\n2,v,a\n1,u,b\n", Options{Prediction: "guess", Label: "kind", ID: "k"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := scored(t, c.predictions, c.answers, c.opts)
			if r.Accuracy.Value != 1 || r.ROCAUC != nil || r.LogLoss != nil {
				t.Errorf("accuracy %v, rocAuc %v, logLoss %v; want 1 and no probabilities", r.Accuracy.Value, r.ROCAUC, r.LogLoss)
			}
		})
	}
}

// TestRowsOfDifferentIDColumns checks that rows that are joined by two columns of different names must
// have the same values in the other columns that are in both files.
func TestRowsOfDifferentIDColumns(t *testing.T) {
	const predictions, answers = "row,x,prediction\n9,8,u\n1,5,u\n0,6,v\n", "id,x,kind\n9,8,u\n0,5,u\n1,6,v\n"
	_, err := Score(t.Context(), strings.NewReader(predictions), strings.NewReader(answers), Options{})
	const want = `the rows of the files do not seem to belong together: 2 of 3 rows have different values of x (first in line 3 of the predictions and line 4 of the answers); ` +
		`they were joined by the column "row" of the predictions and the column "id" of the answers`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestCodesAreDifferentLabels compares labels that are equal as float64, but are different
// classes.
func TestCodesAreDifferentLabels(t *testing.T) {
	r := scored(t, "id,prediction\n1,999000011000000103\n2,01\n3,0x10\n4,2.50\n", "id,kind\n1,999000011000000104\n2,1\n3,16\n4,2.5\n", Options{})
	if r.Accuracy.Value != 0.25 {
		t.Errorf("accuracy %v, want 0.25: only 2.50 and 2.5 are equal", r.Accuracy.Value)
	}
}

// TestNamesOfClasses scores files that write the classes in different ways. The classes have the names
// that they have in the predictions.
func TestNamesOfClasses(t *testing.T) {
	for name, c := range map[string]struct {
		predictions string
		want        []string
	}{
		"predicted":            {"id,prediction\n1,1\n2,0\n3,1\n", []string{"0", "1"}},
		"one probability":      {"id,prediction,probability_1\n1,1,0.9\n2,0,0.2\n3,1,0.8\n", []string{"1", "0"}},
		"only in the answers":  {"id,prediction,probability_1\n1,1,0.9\n2,1,0.7\n3,1,0.8\n", []string{"1", "0.0"}},
		"written in two forms": {"id,prediction\n1,1\n2,1.0\n3,1.0\n", []string{"0.0", "1", "1.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := scored(t, c.predictions, "id,kind\n1,1.0\n2,0.0\n3,1.0\n", Options{})
			var got []string
			for _, class := range r.Classes {
				got = append(got, class.Label)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("classes %q, want %q", got, c.want)
			}
			if got := r.MetricName("f1[0.00]"); r.Metric(got) == nil {
				t.Errorf("no metric %s", got)
			}
		})
	}
	r := scored(t, "id,prediction\n1,1\n2,1.0\n3,1.0\n", "id,kind\n1,1.0\n2,0.0\n3,1.0\n", Options{})
	for name, want := range map[string]string{"recall[1]": "recall[1]", "recall[1.0]": "recall[1.0]", "recall[1e0]": "recall[1e0]", "recall[2]": "recall[2]", "accuracy": "accuracy"} {
		if got := r.MetricName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestMissingProbabilities scores files in which only some classes have a probability column.
func TestMissingProbabilities(t *testing.T) {
	const three = "id,kind\n1,a\n2,b\n3,c\n4,a\n"
	full := scored(t, "id,prediction,probability_a,probability_b\n1,a,0.9,0.1\n2,b,0.2,0.8\n3,a,0.4,0.6\n", "id,kind\n1,a\n2,b\n3,b\n", Options{})
	for name, columns := range map[string]string{
		"first_of_two":  "id,prediction,probability_a\n1,a,0.9\n2,b,0.2\n3,a,0.4\n",
		"second_of_two": "id,prediction,probability_b\n1,a,0.1\n2,b,0.8\n3,a,0.6\n",
	} {
		r := scored(t, columns, "id,kind\n1,a\n2,b\n3,b\n", Options{})
		for _, metric := range []string{"rocAuc", "prAuc", "logLoss"} {
			got, want := r.Metric(metric), full.Metric(metric)
			if got == nil || math.Abs(got.Value-want.Value) > 1e-6 {
				t.Errorf("%s: %s = %v, want %v as with both columns", name, metric, got, want.Value)
			}
		}
	}
	for name, columns := range map[string]string{
		"two_of_three":        "id,prediction,probability_a,probability_b\n1,a,0.9,0.1\n2,b,0.2,0.8\n3,c,0.1,0.1\n4,a,0.7,0.2\n",
		"unpredicted_and_new": "id,prediction,probability_a,probability_b\n1,a,0.9,0.1\n2,b,0.2,0.8\n3,a,0.6,0.4\n4,a,0.7,0.3\n",
	} {
		r := scored(t, columns, three, Options{})
		if r.ROCAUC != nil || r.PRAUC != nil || r.LogLoss != nil || r.Classes[0].ROCAUC != nil {
			t.Errorf("%s: rocAuc %v, prAuc %v, logLoss %v; want none", name, r.ROCAUC, r.PRAUC, r.LogLoss)
		}
		if diff := cmp.Diff([]string{"c"}, r.WithoutProbability); diff != "" {
			t.Errorf("%s: classes without a column (-want +got):\n%s", name, diff)
		}
	}
}

// TestProbabilitiesBeforePredictions checks that the probability columns may be to the left of the column
// of predictions, as other programs write them, and that sums other than 1 are counted.
func TestProbabilitiesBeforePredictions(t *testing.T) {
	const predictions, answers = "id,probability_no,probability_yes,prediction\n1,0.9,0.1,no\n2,0.9,0.8,yes\n", "id,y\n1,no\n2,yes\n"
	for _, classes := range [][]string{nil, {"no", "yes"}} {
		r := scored(t, predictions, answers, Options{Classes: classes})
		if r.LogLoss == nil || r.UnequalSums != 1 || !strings.Contains(r.UnequalSumsNote(), "1 row do") {
			t.Errorf("classes %q: log loss %+v, %d sums are not 1: %s", classes, r.LogLoss, r.UnequalSums, r.UnequalSumsNote())
		}
	}
	r := scored(t, "id,probability_old,prediction\n1,high,no\n2,low,yes\n", answers, Options{Classes: []string{"no", "yes"}})
	if r.LogLoss != nil || r.UnequalSums != 0 {
		t.Errorf("a column of the blind file has probabilities: %+v", r.LogLoss)
	}
}

// TestRenamedProbabilityColumns scores results whose columns have suffixes, because the blind file
// has columns of the same names.
func TestRenamedProbabilityColumns(t *testing.T) {
	const answers = "id,kind\n1,yes\n2,no\n"
	for name, c := range map[string]struct {
		predictions, answers string
		classes, want        []string
	}{
		"renamed":          {"id,probability,probability_yes,prediction,probability_2,probability_no,probability_yes_2\n1,x,OLD,yes,0.9,0.1,0.9\n2,x,OLD,no,0.8,0.8,0.2\n", answers, nil, []string{"no", "yes"}},
		"known_classes":    {"id,probability_yes,prediction,probability,probability_no,probability_yes_2\n1,OLD,yes,0.9,0.1,0.9\n2,OLD,no,0.8,0.8,0.2\n", answers, []string{"no", "yes"}, []string{"no", "yes"}},
		"predicted_yes_2":  {"id,probability_yes,prediction,probability,probability_no,probability_yes_2\n1,OLD,yes_2,0.9,0.1,0.9\n2,OLD,no,0.8,0.8,0.2\n", "id,kind\n1,yes_2\n2,no\n", nil, []string{"no", "yes_2"}},
		"selected_columns": {"id,prediction,probability_yes,probability_no\n1,yes,0.9,0.1\n2,no,0.2,0.8\n", answers, []string{"no", "yes"}, []string{"yes", "no"}},
		"other_program":    {"id,prediction,probability_1,probability_2\n1,1,0.9,0.1\n2,2,0.2,0.8\n", "id,kind\n1,1\n2,2\n", nil, []string{"1", "2"}},
		"named_like_a_number": {
			"id,probability,prediction,probability_2,probability_1,probability_2_2\n1,x,1,0.9,0.9,0.1\n2,x,2,0.8,0.2,0.8\n", "id,kind\n1,1\n2,2\n", nil, []string{"1", "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := scored(t, c.predictions, c.answers, Options{Classes: c.classes})
			var got []string
			for _, class := range r.Classes {
				got = append(got, class.Label)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("classes (-want +got):\n%s", diff)
			}
			if r.LogLoss == nil || r.ROCAUC == nil || r.ROCAUC.Value != 1 {
				t.Errorf("rocAuc %v, logLoss %v", r.ROCAUC, r.LogLoss)
			}
		})
	}
}

// TestModelClassesAreDifferentLabels scores predictions of a model with classes that would
// otherwise count as equal. Each prediction is wrong.
func TestModelClassesAreDifferentLabels(t *testing.T) {
	for name, c := range map[string]struct {
		predictions, answers string
		classes              []string
	}{
		"numbers":             {"id,prediction\n1,100\n2,10e1\n3,1e2\n", "id,kind\n1,1e2\n2,100\n3,10e1\n", nil},
		"points":              {"id,prediction\n1,1\n2,1.0\n", "id,kind\n1,1.0\n2,1\n", nil},
		"spaces":              {"id,prediction\n1,yes\n2,yes \n", "id,kind\n1,yes \n2,yes\n", nil},
		"only_in_the_header":  {"id,prediction,probability,probability_1,probability_1.0\n1,1,0.9,0.9,0.1\n2,1,0.8,0.8,0.2\n", "id,kind,x\n1,1.0,1\n2,1.0,1\n", nil},
		"only_in_the_receipt": {"id,prediction\n1,yes\n2,no\n", "id,kind\n1,yes \n2,yes \n", []string{"no", "yes", "yes "}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Score(t.Context(), strings.NewReader(c.predictions), strings.NewReader(c.answers), Options{Label: "kind", Classes: c.classes})
			var fault *Fault // no true label is a predicted class
			if err == nil && r.Accuracy.Value != 0 || err != nil && !errors.As(err, &fault) {
				t.Errorf("accuracy %v, %v; want 0", r.Accuracy, err)
			}
		})
	}
	for name, c := range map[string]struct {
		predictions, answers string
		classes              []string
	}{
		"spaces_in_answers":               {"id,prediction\n1,yes\n2,no\n3,yes\n", "id,kind\n1,yes \n2,no\n3, yes\n", nil},
		"known_classes_spaces_in_answers": {"id,prediction\n1,yes\n2,no\n3,yes\n", "id,kind\n1,yes \n2,no\n3, yes\n", []string{"no", "yes"}},
		"numbers_in_answers":              {"id,prediction\n1,1\n2,0\n3,1\n", "id,kind\n1,1.0\n2,0\n3,1\n", nil},
		"probability_columns":             {"id,prediction,probability_no,probability_yes\n1,yes ,0.1,0.9\n2,no,0.8,0.2\n3,yes,0.3,0.7\n", "id,kind\n1,yes\n2,no\n3,yes \n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := scored(t, c.predictions, c.answers, Options{Classes: c.classes})
			if r.Accuracy.Value != 1 || len(r.Classes) != 2 || r.WithoutProbability != nil {
				t.Errorf("accuracy %v of %d classes, without probabilities %q", r.Accuracy.Value, len(r.Classes), r.WithoutProbability)
			}
		})
	}
	t.Run("diff", func(t *testing.T) {
		d, err := Diff(t.Context(), strings.NewReader("id,prediction\n1,1\n2,1.0\n"), strings.NewReader("id,prediction\n1,1.0\n2,1.0\n"), nil, Options{})
		if err != nil || len(d.ChangedRows) != 1 {
			t.Errorf("%+v, %v; want 1 changed row", d, err)
		}
	})
}

func TestFaults(t *testing.T) {
	var ids strings.Builder // the confusion matrix of that many classes would not fit in memory
	for i := range maxClasses + 1 {
		fmt.Fprintf(&ids, "%d,c%d\n", i, i)
	}
	for name, c := range map[string]struct {
		predictions, answers string
		opts                 Options
		file                 FileRole
		line                 int
		message              string
	}{
		"missing_and_extra": {
			"ID,prediction\na,yes\nb,no\nx,no\n", answersText,
			Options{},
			NoSingleFile, 0,
			`1 ID of the predictions is missing from the answers: "x"; 2 IDs of the answers are missing from the predictions; the first is "c"`,
		},
		"twice_in_answers": {"ID,prediction\na,yes\n", "ID,class\na,yes\na,no\n", Options{}, Answers, 3, `the ID "a" is also in line 2`},
		"twice_predicted":  {"ID,prediction\na,yes\na,no\n", "ID,class\na,yes\nb,no\n", Options{}, Predictions, 3, `the ID "a" is also in line 2`},
		"not_as_many":      {"prediction\nu\n", "kind\nu\nv\n", Options{}, NoSingleFile, 0, "the predictions have 1, the answers have 2"},
		"no_label":         {"ID,prediction\na,yes\n", "ID,class\na,\n", Options{}, Answers, 0, "no row has a label"},
		"unknown_column":   {"ID,prediction\na,yes\n", answersText, Options{Label: "kind"}, Answers, 1, `there is no column "kind"`},
		"no_prediction":    {"ID,x,y\na,1,2\n", answersText, Options{}, Predictions, 1, "there is no column \"prediction\""},
		"other_delimiter":  {"\"ID,prediction\"\n\"a,yes\"\n", answersText, Options{}, Predictions, 1, `the only column is "ID,prediction"`},
		"bad_probability":  {"ID,prediction,probability_yes\na,yes,7\n", answersText, Options{}, Predictions, 2, "is not a probability"},
		"ragged":           {"ID,prediction\na,yes,7\n", answersText, Options{}, Predictions, 2, "expected 2 fields, got 3"},
		"empty":            {"", answersText, Options{}, Predictions, 0, "the file is empty"},
		"no_rows":          {"ID,prediction\n", "ID,class\n", Options{}, NoSingleFile, 0, "no row to score"},
		"other_order":      {"prediction,x\ny,1\nn,2\n", "class,x\ny,2\nn,1\n", Options{}, NoSingleFile, 0, "2 of 2 rows have different values of x"},
		"unnamed_column":   {"prediction,x\ny,1\nn,2\n", "x,class,\n2,y,\n1,n,\n", Options{}, NoSingleFile, 0, "2 of 2 rows have different values of x"},
		"labels_are_ids":   {"ID,prediction\n" + ids.String(), "ID,class\n" + ids.String(), Options{}, Answers, 1, `the column "class" has more than 2000 different values`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Score(context.Background(), strings.NewReader(c.predictions), strings.NewReader(c.answers), c.opts)
			var fault *Fault
			if !errors.As(err, &fault) {
				t.Fatalf("%v, want a fault", err)
			}
			if fault.File != c.file || fault.Line != c.line || !strings.Contains(fault.Message, c.message) {
				t.Errorf("%d, line %d: %s\nwant %d, line %d: … %s …", fault.File, fault.Line, fault.Message, c.file, c.line, c.message)
			}
		})
	}
}

// TestIDNumbers compares IDs as numbers only if all of them are integers, and different IDs of a file
// are different integers.
func TestIDNumbers(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string
		want          []string
	}{
		"floats":         {"901 902", "902.0 901.0", []string{"901", "901.0"}},
		"leading_zeros":  {"00 7 010", "10 7 0", []string{"00", "0"}},
		"equal":          {"1.0 2", "2 1.0", nil},
		"other_rows":     {"1 2", "3.0 4.0", nil},
		"a_code":         {"1 2 x", "1.0 2.0 x", nil},
		"an_empty_cell":  {"1 2", "1.0 ", nil},
		"two_forms":      {"1 2", "1.0 01", nil},
		"fractions":      {"1 2", "1.5 2.0", nil},
		"inexact_floats": {"9007199254740993", "9007199254740993.0", nil},
	} {
		first, second := strings.Split(c.first, " "), strings.Split(c.second, " ")
		if diff := cmp.Diff(c.want, differentForms(first, second)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
