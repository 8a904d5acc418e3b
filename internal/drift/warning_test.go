package drift

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestWarningOfOtherNumberFormat compares a file with decimal commas with a training file with decimal
// points. Its numbers are treated as missing, so the report must have a warning.
func TestWarningOfOtherNumberFormat(t *testing.T) {
	train := &api.Dataset{Rows: 2000, Columns: []api.Column{
		{Name: "length", Kind: "numeric", NumberFormat: &api.NumberFormat{}, Distinct: 500, Distribution: &api.Distribution{Min: 0, Max: 10, High: 10, Bins: []int64{1000, 1000}}},
		{Name: "unused", Kind: "numeric", NumberFormat: &api.NumberFormat{}, Unused: true},
	}}
	row := func(format string) func(i int, draw *rand.Rand) string {
		return func(_ int, draw *rand.Rand) string {
			cell := fmt.Sprintf(format, draw.IntN(10), draw.IntN(100))
			return cell + "," + cell
		}
	}
	r := Measure(train, "blind.csv", scan(t, 500, "length,unused", row(`"%d,%02d"`)), nil)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], `the column "length": `) || !strings.Contains(r.Warnings[0], "another format") {
		t.Errorf("%q", r.Warnings)
	}
	r = Measure(train, "blind.csv", scan(t, 500, "length,unused", row("%d.%02d")), nil)
	if slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "format") }) {
		t.Errorf("%q", r.Warnings)
	}
}

// TestWarningOfOtherMean compares a file whose numbers are in thousands with a training file. They are within
// the training range, but their mean is not that of the training file. Numbers of the same distribution come
// without a warning.
func TestWarningOfOtherMean(t *testing.T) {
	train := &api.Dataset{Rows: 500, Columns: []api.Column{{
		Name: "sales", Kind: "numeric", NumberFormat: &api.NumberFormat{}, Distinct: 500,
		Distribution: &api.Distribution{Min: 0, Max: 16000, Mean: 1700, High: 16000, Bins: []int64{200, 180, 70, 20, 10, 5, 5, 4, 3, 1, 0, 0, 0, 1, 0, 1}},
	}}}
	for divisor, want := range map[float64][]string{1: nil, 1000: {`the column "sales": the mean is 1.69005, but 1700 in training`}} {
		row := func(i int, draw *rand.Rand) string { return fmt.Sprintf("%.3f", (600*draw.ExpFloat64()+1100)/divisor) }
		if r := Measure(train, "blind.csv", scan(t, 500, "sales", row), nil); !slices.Equal(r.Warnings, want) {
			t.Errorf("%v: %q, want %q", divisor, r.Warnings, want)
		}
	}
}

// TestNewTextsOfManyLevels compares a file in which all texts of a column are new. Nearly all training
// rows have a rare text, so the known frequencies do not show the difference, but the warnings do.
func TestNewTextsOfManyLevels(t *testing.T) {
	train := &api.Dataset{Rows: 2000, Columns: []api.Column{{Name: "shop", Kind: "category", Distinct: 500, Distribution: &api.Distribution{}}}}
	known := &train.Columns[0]
	for i := range 500 {
		known.Texts = append(known.Texts, fmt.Sprintf("s%d", i))
	}
	for _, level := range known.Texts[:5] {
		known.Distribution.Top = append(known.Distribution.Top, api.Class{Label: level, Rows: 4})
	}
	measure := func(prefixes string) *api.DriftReport {
		row := func(i int, _ *rand.Rand) string { return fmt.Sprintf("%c%d", prefixes[i%len(prefixes)], i%500) }
		return Measure(train, "blind.csv", scan(t, 2000, "shop", row), nil)
	}
	if r := measure("s"); r.Columns[0].Level != api.DriftNone || len(r.Warnings) > 0 {
		t.Errorf("the same texts: %+v", r)
	}
	if r := measure("sssssssssS"); r.Columns[0].Level != api.DriftNone || len(r.Warnings) != 1 {
		t.Errorf("a few texts in another spelling: %+v", r)
	}
	for _, prefixes := range []string{"z", "S", "zzzzzzzzzS"} {
		r := measure(prefixes)
		if c := r.Columns[0]; c.Level != api.DriftUnknown || c.Reason == "" || len(r.Warnings) != 1 {
			t.Errorf("new texts: %+v", r)
		}
		if strings.Contains(strings.Join(r.Verdict, " "), "as in training") {
			t.Errorf("new texts: %q", r.Verdict)
		}
	}
	known.Texts = known.Texts[1:] // another service may send only some texts
	if r := measure("S"); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "has at least 5 texts that the training file does not have") {
		t.Errorf("an incomplete list: %q", r.Warnings)
	}
}
