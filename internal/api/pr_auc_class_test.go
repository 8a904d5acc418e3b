package api

import "testing"

// TestPRAUCClass checks that a report and a dataset name the class with fewer rows, and the second
// class if both have equally many.
func TestPRAUCClass(t *testing.T) {
	for name, c := range map[string]struct {
		classes []Class
		most    string // the most frequent class, which the baseline predicts
		want    string
	}{
		"first":   {[]Class{{"a", 3}, {"b", 5}}, "b", "a"},
		"second":  {[]Class{{"a", 5}, {"b", 3}}, "a", "b"},
		"equal":   {[]Class{{"a", 4}, {"b", 4}}, "a", "b"},
		"three":   {[]Class{{"a", 4}, {"b", 4}, {"c", 1}}, "a", ""},
		"unknown": {[]Class{{"a", 0}, {"b", 0}}, "", ""},
	} {
		report := &ModelReport{}
		if c.most != "" {
			report.Baseline = &Baseline{Label: c.most}
		}
		for _, class := range c.classes {
			report.Classes = append(report.Classes, ClassReport{Label: class.Label})
		}
		if got := report.PRAUCClass(); got != c.want {
			t.Errorf("%s: the report has %q, want %q", name, got, c.want)
		}
		if got := (&Dataset{Classes: c.classes}).PRAUCClass(); got != c.want {
			t.Errorf("%s: the dataset has %q, want %q", name, got, c.want)
		}
	}
}
