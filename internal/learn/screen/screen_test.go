package screen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/table/frame"
)

// wideFrame returns a frame of more than MaxFeatures features. The label is yes if the
// numeric feature with the index number is in an interval and the categorical feature with
// the index category has one of two levels.
func wideFrame(rows, number, category int) *frame.Frame {
	draw := rand.New(rand.NewPCG(3, 5))
	f := &frame.Frame{Schema: &frame.Schema{Classes: []string{"no", "yes"}}, Rows: rows}
	for i := range MaxFeatures + 100 {
		schema, column := frame.ColumnSchema{Name: fmt.Sprint("f", i)}, frame.Column{}
		if i%2 == 1 {
			schema.Kind, schema.Levels = frame.Category, []string{"AA", "AB", "BB"}
		}
		for range rows {
			if i%2 == 1 {
				column.Codes = append(column.Codes, draw.Int32N(3))
			} else {
				column.Floats = append(column.Floats, draw.Float64())
			}
		}
		f.Schema.Columns, f.Columns = append(f.Schema.Columns, schema), append(f.Columns, column)
	}
	for row := range rows {
		x, label := f.Columns[number].Floats[row], int32(0)
		if x > 0.2 && x < 0.9 && f.Columns[category].Codes[row] != 1 {
			label = 1
		}
		f.Labels = append(f.Labels, label)
	}
	return f
}

// TestSelect checks that predictive features of both kinds are selected, and that the
// labels of other rows do not matter.
func TestSelect(t *testing.T) {
	f := wideFrame(150, 700, 901)
	var features, rows []int32
	for i := range f.Columns {
		if i != 3 {
			features = append(features, int32(i))
		}
	}
	for row := range int32(120) {
		rows = append(rows, row)
	}
	var s Screener
	got, err := s.Select(t.Context(), f, nil, features, rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != MaxFeatures || !slices.IsSorted(got) || !slices.Contains(got, 700) || !slices.Contains(got, 901) || slices.Contains(got, 3) {
		t.Errorf("%d features, sorted %v", len(got), slices.IsSorted(got))
	}
	for row := 120; row < f.Rows; row++ {
		f.Labels[row] = 1 - f.Labels[row]
	}
	if again, err := new(Screener).Select(t.Context(), f, nil, features, rows, 1); err != nil || !slices.Equal(again, got) {
		t.Errorf("labels of other rows change the features, error %v", err)
	}
	if again, err := s.Select(t.Context(), f, nil, features, rows, 1); err != nil || !slices.Equal(again, got) {
		t.Errorf("a second selection differs, error %v", err)
	}
	pure := s.features[700].giniGain(make([]int32, f.Rows), 2, rows, make([]int, 2*(maxBins+2)+512))
	if pure != 0 {
		t.Errorf("the gain of a pure label is %v", pure)
	}
}

// TestBinRows checks that bins are chosen only from the given rows. Otherwise the bins of a table with
// copies of the rows of one class would depend on the labels.
func TestBinRows(t *testing.T) {
	f := wideFrame(150, 700, 901)
	var features, rows, copied []int32
	for i := range f.Columns {
		features = append(features, int32(i))
	}
	for row, label := range f.Labels {
		rows = append(rows, int32(row))
		if label == 1 {
			copied = append(copied, slices.Repeat([]int32{int32(row)}, 5)...)
		}
	}
	var once, twice Screener
	want, err := once.Select(t.Context(), f, nil, features, rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := twice.Select(t.Context(), f.Take(slices.Concat(rows, copied)), rows, features, rows, 2)
	if err != nil || !slices.Equal(want, got) {
		t.Errorf("copies change the selected features, error %v", err)
	}
	for i := range once.features {
		if !slices.Equal(once.features[i].data, twice.features[i].data[:f.Rows]) {
			t.Fatalf("copies change the bins of feature %d", i)
		}
	}
}
