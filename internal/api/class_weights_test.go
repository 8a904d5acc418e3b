package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

func TestClassWeights(t *testing.T) {
	classes := []api.Class{{Label: "a,b", Rows: 30}, {Label: "c=d", Rows: 10}}
	for text, want := range map[string][]float64{
		"": nil, "balanced": {40.0 / 60, 2}, "c=d=5": {1, 5}, "a,b=0.5,c=d=2": {0.5, 2},
	} {
		w, err := api.ParseClassWeights(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.Resolve(classes)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || w.String() != text {
			t.Errorf("%q: %q %v (-want +got):\n%s", text, w, err, diff)
		}
		encoded, err := json.Marshal(w)
		var again api.ClassWeights
		if err != nil || json.Unmarshal(encoded, &again) != nil || again.String() != text {
			t.Errorf("%q: JSON %s %v", text, encoded, err)
		}
	}
	for text, want := range map[string]string{"yes": "CLASS=NUMBER", "a,b=2,a,b=3": "two weights", "a,b=2,c": "CLASS=NUMBER", "e=2": "unknown class", "a,b=0": "between 1e-06 and 1e+06", "a,b=-1": "between 1e-06 and 1e+06", "a,b=NaN": "between 1e-06 and 1e+06"} {
		w, err := api.ParseClassWeights(text)
		if err == nil {
			_, err = w.Resolve(classes)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	classes = append(classes, api.Class{Label: " e", Rows: 1})
	for text, want := range map[string][]float64{"a,b = 0.5, c=d=2": {0.5, 2, 1}, " e=3": {1, 1, 3}, "e=3": nil, "a,b=1, a,b=2": nil} {
		w, err := api.ParseClassWeights(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.Resolve(classes)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
		if err != nil && !strings.Contains(err.Error(), `known classes: "a,b", "c=d", " e"`) && !strings.Contains(err.Error(), `class "a,b" has two weights`) {
			t.Errorf("%q: %v", text, err)
		}
	}
	var w api.ClassWeights
	if err := json.Unmarshal([]byte(`"fair"`), &w); err == nil {
		t.Error("no error for an unknown name")
	}
}
