package gate_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/gate"
)

var report = &api.ModelReport{
	Metric: api.MetricROCAUC, TestRows: 150,
	Test: &api.Scores{Accuracy: 0.8, BalancedAccuracy: 0.7, MacroF1: 0.6, ROCAUC: new(0.89996), LogLoss: 0.4},
	Classes: []api.ClassReport{
		{Label: "very bad]>=1", Rows: 30, Precision: new(0.5), Recall: new(0.25), F1: new(1.0 / 3)},
		{Label: "rare"},
	},
}

// TestEvaluate evaluates many requirements by one report.
func TestEvaluate(t *testing.T) {
	for _, row := range []struct {
		in     string
		holds  bool
		reason string
	}{
		{"accuracy>=0.8", true, "holds"},
		{"accuracy>0.8", false, "missed: equal to the bound"},
		{" balancedAccuracy <= 0.7 ", true, "holds"},
		{"macroF1<0.6", false, "missed: equal to the bound"},
		{"rocAuc>=.9", false, "missed by 0.00004"},
		{"logLoss<=3e-1", false, "missed by 0.1000"},
		{"logLoss<=12", true, "holds"},
		{`recall["very bad]>=1"]>=0.2`, true, "holds"},
		{`precision['very bad]>=1']>=0.6`, false, "missed by 0.1000"},
		{`f1[very bad]>=1]>0.3`, true, "holds"},
		{"recall[rare]>=0", false, "not measured: no test row of this class"},
	} {
		t.Run(row.in, func(t *testing.T) {
			r, err := gate.ParseRequirement(row.in)
			if err != nil {
				t.Fatal(err)
			}
			if v := r.Evaluate(report); v.Holds != row.holds || v.Reason != row.reason {
				t.Errorf("%+v, want %v, %q", v, row.holds, row.reason)
			}
			few := *report
			few.Rows, few.UsedRows = 1500, 340
			reason := row.reason
			if strings.HasPrefix(reason, "missed") {
				reason += "; the scored models were trained on at most 340 of 1,500 rows"
			}
			if v := r.Evaluate(&few); v.Holds != row.holds || v.Reason != reason {
				t.Errorf("models trained on few rows: %+v, want %v, %q", v, row.holds, reason)
			}
			if v := r.Evaluate(nil); v.Holds || v.Value != nil {
				t.Errorf("without a report: %+v", v)
			}
			if v := r.Evaluate(&api.ModelReport{Classes: report.Classes[1:]}); v.Holds {
				t.Errorf("without test rows: %+v", v)
			}
		})
	}
}

// TestSingletons checks requirements on a model whose report has rows that are the only row of their
// class. Its accuracy on new rows is lower than the measured accuracy.
func TestSingletons(t *testing.T) {
	report := &api.ModelReport{
		Rows: 250, SingletonRows: 50, TestRows: 50,
		Test:    &api.Scores{Accuracy: 1, MacroF1: 1, Intervals: map[string]api.Interval{"accuracy": {Low: 0.9, High: 1}}},
		Classes: []api.ClassReport{{Label: "no", Rows: 30, Recall: new(1.0)}, {Label: "yes", Rows: 20, Recall: new(1.0)}},
	}
	const rows = "50 of 250 rows are the only row of their class and were not scored"
	for _, row := range []struct {
		in, interval, reason string
		holds                bool
	}{
		{"accuracy>=0.9", "0.72–0.80", "missed by 0.1000; the accuracy of 1.0000 is corrected, because " + rows, false},
		{"accuracy>=0.75", "0.72–0.80", "holds; the accuracy of 1.0000 is corrected, because " + rows, true},
		{"macroF1>=0.9", "", "holds; the value is too good, because " + rows, true},
		{"recall[yes]>=0.9", "", "holds", true},
	} {
		r, err := gate.ParseRequirement(row.in)
		if err != nil {
			t.Fatal(err)
		}
		if v := r.Evaluate(report); v.Holds != row.holds || v.Reason != row.reason || v.Interval.String() != row.interval || v.IsCautioned != strings.Contains(row.reason, ";") {
			t.Errorf("%s: holds %v (%v), cautioned %v, %q", row.in, v.Holds, v.Interval, v.IsCautioned, v.Reason)
		}
	}
	if report.Test.Accuracy != 1 || report.Test.Intervals["accuracy"].Low != 0.9 {
		t.Errorf("the report was changed to %+v", report.Test)
	}
}

// TestInterval checks the interval of each metric that has one. The intervals of a
// class follow from the confusion matrix.
func TestInterval(t *testing.T) {
	r := &api.ModelReport{
		TestRows:  20,
		Test:      &api.Scores{Accuracy: 0.75, Intervals: map[string]api.Interval{"accuracy": {Low: 0.53, High: 0.89}}},
		Classes:   []api.ClassReport{{Label: "no", Rows: 10, Precision: new(0.8), Recall: new(0.8), F1: new(0.8)}, {Label: "yes", Rows: 10, Recall: new(0.7), Precision: new(7.0 / 9)}},
		Confusion: [][]int64{{8, 2}, {3, 7}},
	}
	// The intervals of the classes are those of statsmodels'
	// proportion_confint(method="wilson").
	for in, want := range map[string]string{
		"accuracy>=0": "0.53–0.89", "macroF1>=0": "", "f1[no]>=0": "", "recall[no]>=0": "0.49–0.94", "precision[no]>=0": "0.43–0.90",
		"recall[none]>=0": "",
	} {
		requirement, err := gate.ParseRequirement(in)
		if err != nil {
			t.Fatal(err)
		}
		if v := requirement.Evaluate(r); v.Interval.String() != want {
			t.Errorf("%s: the interval is %s, want %s", in, v.Interval, want)
		}
	}
	r.Metric = api.MetricAccuracy
	if v := gate.Compare(r, r, "it"); v.Interval.String() != "0.53–0.89" {
		t.Errorf("beat: the interval is %s", v.Interval)
	}
}

// TestOneClass checks that requirements on test rows of one class are missed, although a model that
// always predicts this class has an accuracy of 1. A recall is computed from rows of one class in any case.
func TestOneClass(t *testing.T) {
	r := &api.ModelReport{
		Metric: api.MetricAccuracy, TestRows: 20, Test: &api.Scores{Accuracy: 1, MacroF1: 1},
		Classes:   []api.ClassReport{{Label: "no", Rows: 20, Precision: new(1.0), Recall: new(1.0), F1: new(1.0)}, {Label: "yes"}},
		Confusion: [][]int64{{20, 0}, {0, 0}},
	}
	for in, want := range map[string]string{
		"accuracy>=0.9": "not measured: the test rows are all of one class", "logLoss<=1": "not measured: the test rows are all of one class",
		"precision[no]>=0.9": "not measured: the test rows are all of one class", "recall[no]>=0.9": "holds",
		"recall[yes]>=0.9": "not measured: no test row of this class",
	} {
		requirement, err := gate.ParseRequirement(in)
		if err != nil {
			t.Fatal(err)
		}
		if v := requirement.Evaluate(r); v.Reason != want || v.Holds != (want == "holds") {
			t.Errorf("%s: %+v, want %q", in, v, want)
		}
	}
	other := &api.ModelReport{Metric: api.MetricAccuracy, TestRows: 20, Test: &api.Scores{Accuracy: 0.9}, Classes: []api.ClassReport{{Label: "no", Rows: 10}, {Label: "yes", Rows: 10}}}
	if v := gate.Compare(r, other, "it"); v.Holds || v.Reason != "not measured: the test rows are all of one class" {
		t.Errorf("beat: %+v", v)
	}
	if v := gate.Compare(other, r, "it"); v.Holds || v.Reason != "the other model was not measured: the test rows are all of one class" {
		t.Errorf("beat a model with test rows of one class: %+v", v)
	}
}

// TestRowsOfPrecision checks that the rows of a precision are the rows that were predicted as its class.
func TestRowsOfPrecision(t *testing.T) {
	r := &api.ModelReport{
		TestRows: 20, Test: &api.Scores{},
		Classes:   []api.ClassReport{{Label: "no", Rows: 14, Precision: new(0.75), Recall: new(3.0 / 14), F1: new(1.0 / 3)}, {Label: "yes", Rows: 5}, {Label: "never", Rows: 1}},
		Confusion: [][]int64{{3, 11, 0}, {0, 5, 0}, {1, 0, 0}},
	}
	for in, want := range map[string]int64{"precision[no]>=0": 4, "recall[no]>=0": 14, "f1[no]>=0": 14, "precision[never]>=0": 0} {
		requirement, err := gate.ParseRequirement(in)
		if err != nil {
			t.Fatal(err)
		}
		v := requirement.Evaluate(r)
		if v.Rows != want {
			t.Errorf("%s: %d rows, want %d", in, v.Rows, want)
		}
		if reason := "not measured: no test row was predicted as this class"; want == 0 && v.Reason != reason {
			t.Errorf("%s: %q, want %q", in, v.Reason, reason)
		}
	}
}

// TestAreaOfClass checks requirements and comparisons by the metric of one class, and by the log
// loss. A smaller log loss is better.
func TestAreaOfClass(t *testing.T) {
	area, precision := 0.9, 0.6
	r := &api.ModelReport{
		Metric: api.MetricLogLoss, TestRows: 20, Test: &api.Scores{LogLoss: 0.4, ROCAUC: new(0.8), Intervals: map[string]api.Interval{"logLoss": {Low: 0.3, High: 0.5}}},
		Classes: []api.ClassReport{{Label: "yes", Rows: 10, F1: new(0.7), ROCAUC: &area, AveragePrecision: &precision, Intervals: map[string]api.Interval{
			"rocAuc": {Low: 0.8, High: 0.95}, "averagePrecision": {Low: 0.4, High: 0.7},
		}}, {Label: "no", Rows: 10}},
	}
	for in, want := range map[string]bool{
		"rocAuc[yes]>=0.9": true, "rocAuc>=0.85": false, "prAuc['yes']>0.6": false, "prAuc[yes]>0.5": true, "prAuc[no]>0": false, "prAuc>0": false,
	} {
		requirement, err := gate.ParseRequirement(in)
		if err != nil {
			t.Fatal(err)
		}
		if v := requirement.Evaluate(r); v.Holds != want {
			t.Errorf("%s: %+v", in, v)
		}
	}
	if value, interval, known := gate.TestScore(r, "prAuc[yes]"); value != precision || interval.String() != "0.40–0.70" || !known {
		t.Errorf("prAuc[yes]: %v %v %v", value, interval, known)
	}
	worse := &api.ModelReport{Metric: api.MetricLogLoss, TestRows: 20, Test: &api.Scores{LogLoss: 0.5}}
	if v := gate.Compare(r, worse, "it"); !v.Holds || v.Reason != "better than logLoss 0.5000 on 20 rows" {
		t.Errorf("log loss 0.4 against 0.5: %+v", v)
	}
	if v := gate.Compare(worse, r, "it"); v.Holds {
		t.Errorf("log loss 0.5 against 0.4: %+v", v)
	}
}

// TestBaselineOfFewRows checks what a comparison says if only the scored models of the worse model
// were trained on few rows, because this may be why it is worse.
func TestBaselineOfFewRows(t *testing.T) {
	worse := &api.ModelReport{Metric: api.MetricAccuracy, Rows: 1500, TestRows: 20, Test: &api.Scores{Accuracy: 0.8}}
	better := &api.ModelReport{Metric: api.MetricAccuracy, Rows: 1600, TestRows: 20, Test: &api.Scores{Accuracy: 0.9}}
	for _, row := range []struct {
		usedOfWorse, usedOfBetter int64
		ofThis, ofOther           string // the end of the reason if the worse model is this or the other model
	}{
		{0, 0, "", ""},
		{340, 0, "; the scored models were trained on at most 340 of 1,500 rows", "; the scored models of the other model were trained on at most 340 of 1,500 rows"},
		{0, 340, "", ""}, // it is better in spite of this
		{340, 360, "", ""},
	} {
		worse.UsedRows, better.UsedRows = row.usedOfWorse, row.usedOfBetter
		if v := gate.Compare(worse, better, "it"); v.Holds || v.Reason != "missed: worse than accuracy 0.9000 on 20 rows"+row.ofThis {
			t.Errorf("%+v: %+v", row, v)
		}
		if v := gate.Compare(better, worse, "it"); !v.Holds || v.Reason != "better than accuracy 0.8000 on 20 rows"+row.ofOther {
			t.Errorf("%+v: %+v", row, v)
		}
	}
}

// TestParse checks the errors.
func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "the bound is missing",
		"rocAuc":             "the bound is missing",
		"rocAuc=0.9":         "must be METRIC OP NUMBER",
		"rocAuc=>0.9":        "must be METRIC OP NUMBER",
		"rocAuc>=":           "must be METRIC OP NUMBER",
		"rocAuc>=a":          "a is not a number",
		"rocAuc>=NaN":        "NaN is not a number",
		"rocAuc>=90":         "rocAuc cannot be 90",
		"logLoss<-1":         "logLoss cannot be -1",
		"auc>=0.9":           `unknown metric "auc": did you mean rocAuc? Known metrics: accuracy, balancedAccuracy, macroF1, rocAuc, prAuc, logLoss, precision[CLASS]`,
		"luck>=0.9":          `unknown metric "luck"; known metrics: accuracy, balancedAccuracy`,
		"recall>=0.9":        "as in recall[CLASS]",
		"accuracy[yes]>=0.9": "accuracy takes no class",
		"recall[]>=0.9":      "the class between the brackets is empty",
		"recall[ ]>=0.9":     "the class between the brackets is empty",
		`recall[""]>=0.9`:    "the class between the brackets is empty",
		"rocAuc[]>=0.9":      "the class between the brackets is empty",
	} {
		if _, err := gate.ParseRequirement(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

// TestCompare compares models by the metric of their race.
func TestCompare(t *testing.T) {
	other := *report
	other.TestRows = 90
	scores := *report.Test
	other.Test = &scores
	for _, row := range []struct {
		auc    float64
		holds  bool
		reason string
	}{
		{0.8, true, "better than rocAuc 0.8000 on 90 rows"},
		{0.89996, false, "missed: a tie with rocAuc 0.9000 on 90 rows"},
		{0.89997, false, "missed: worse than rocAuc 0.89997 on 90 rows"},
	} {
		other.Test.ROCAUC = &row.auc
		if v := gate.Compare(report, &other, "it"); v.Holds != row.holds || v.Reason != row.reason || v.Requirement != "beat it" {
			t.Errorf("%v: %+v", row.auc, v)
		}
	}
	for _, pair := range [][2]*api.ModelReport{{report, nil}, {nil, report}, {report, {}}} {
		if v := gate.Compare(pair[0], pair[1], "it"); v.Holds {
			t.Errorf("not to be measured: %+v", v)
		}
	}
}

// TestForms writes texts that need escaping in each format.
func TestForms(t *testing.T) {
	value := 0.5
	r := &gate.Report{Model: "key", At: time.Unix(0, 0), Results: []gate.Result{
		{Requirement: "recall[a|b,c:\n%]>=1", Value: &value, Rows: 1, Reason: "missed <by> 0.5\x00"},
	}}
	var github, markdown, junit bytes.Buffer
	if err := r.WriteGitHub(&github, false); err != nil {
		t.Error(err)
	}
	want := "::error title=foretell%3A recall[a|b%2Cc%3A%0A%25]>=1::recall[a|b,c:%0A%25]>=1: 0.5000 on 1 row, missed <by> 0.5\x00\n"
	if github.String() != want {
		t.Errorf("GitHub: %q, want %q", github.String(), want)
	}
	if err := r.WriteMarkdown(&markdown); err != nil {
		t.Error(err)
	}
	if want := `| ❌ | recall[a\|b,c: %]>=1 | 0.5000 |  | 1 | missed &lt;by> 0.5`; !strings.Contains(markdown.String(), want) {
		t.Errorf("Markdown: %s", markdown.String())
	}
	if err := r.WriteJUnit(&junit); err != nil {
		t.Error(err)
	}
	var back struct {
		Suite struct {
			Case struct {
				Name    string `xml:"name,attr"`
				Class   string `xml:"classname,attr"`
				Failure struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(junit.Bytes(), &back); err != nil {
		t.Fatalf("%v: %s", err, junit.String())
	}
	if class := back.Suite.Case.Class; class != "foretell.requirements" {
		t.Errorf("class %q, which must be the same for every model", class)
	}
	if name := back.Suite.Case.Name; name != r.Results[0].Requirement || back.Suite.Case.Failure.Message == "" {
		t.Errorf("JUnit: %s", junit.String())
	}
}
