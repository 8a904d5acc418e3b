package learn

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
)

// TestScreenedDates races on a wide table in which only the difference of two dates is
// predictive, so the dates themselves might not be selected. The report and explanations
// nevertheless divide the effect of the difference between the columns of the dates.
func TestScreenedDates(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("races on a wide table")
	}
	t.Parallel()
	f := wideFrame(200, 902)
	for _, i := range []int{0, 1} {
		f.Schema.Columns[i].Feature = frame.ExtractTime
	}
	f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: "f1.since.f0", Source: "f1", Feature: frame.ExtractSince, Since: "f0"})
	f.Columns = append(f.Columns, frame.Column{})
	d := f.Schema.Differences()[0]
	for _, i := range []int{d.From, d.To} {
		for row, x := range f.Columns[i].Floats {
			f.Columns[i].Floats[row] = math.Round(1000 * x)
		}
	}
	d.Recompute(f)
	for row, days := range f.Columns[d.Feature].Floats {
		f.Labels[row] = 0
		if days > 0 {
			f.Labels[row] = 1
		}
	}
	o, err := Race(t.Context(), f, Params{Algorithms: []string{"BSEV02"}, Threshold: new(0.9), Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range o.Report.Importances[:2] {
		if column.Column != "f0" && column.Column != "f1" || column.Importance < 0.1 {
			t.Errorf("%s has the importance %v", column.Column, column.Importance)
		}
	}
	file := bytesOf(t, o.Model)
	m, err := model.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil || fileVersion(file) != 5 {
		t.Fatal(err)
	}
	list, err := m.Explain(t.Context(), f.Take([]int32{0, 1, 2, 3}), model.ExplainOptions{Class: 2})
	if err != nil {
		t.Fatal(err)
	}
	columns := m.Columns()
	for i, x := range list {
		sum := 0.0
		for _, v := range x.Contributions {
			sum += v
		}
		a, b := x.Contributions[slices.Index(columns, "f0")], x.Contributions[slices.Index(columns, "f1")]
		if math.Abs(sum-(x.Probability-x.Base)) > 1e-6 || math.Abs(a+b) < 0.8*math.Abs(sum) || math.Min(a/b, b/a) < 0.3 {
			t.Errorf("row %d: %v and %v of %v", i, a, b, sum)
		}
	}
}
