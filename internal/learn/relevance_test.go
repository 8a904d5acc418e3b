package learn

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
)

// newNoisyFrame returns a frame of 4 columns of numbers, followed by noise columns that are unrelated
// to the label. The label is the sign of a sum of the 4 numbers, plus noise.
func newNoisyFrame(rows, noise int) *frame.Frame {
	draw := rand.New(rand.NewPCG(8, 1))
	f := &frame.Frame{Schema: &frame.Schema{ID: "id", Label: "label", Classes: []string{"no", "yes"}}, Rows: rows}
	for i := range 4 + noise {
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: fmt.Sprint("x", i)})
		f.Columns = append(f.Columns, frame.Column{})
		for range rows {
			f.Columns[i].Floats = append(f.Columns[i].Floats, draw.NormFloat64())
		}
	}
	for row := range rows {
		sum := 0.5 * draw.NormFloat64()
		for _, column := range f.Columns[:4] {
			sum += column.Floats[row]
		}
		label := int32(0)
		if sum > 0 {
			label = 1
		}
		f.Labels = append(f.Labels, label)
	}
	return f
}

// TestIrrelevantColumnsAreDropped checks that no model of a race uses columns that are unrelated to
// the label, that the report says so, and that the model file does not depend on the number of
// workers.
func TestIrrelevantColumnsAreDropped(t *testing.T) {
	t.Parallel()
	f := newNoisyFrame(1200, 4)
	race := func(workers int) (*Outcome, []byte) {
		o, err := Race(t.Context(), f, Params{Algorithms: []string{"BSEV02", "BSEV01"}, Effort: EffortFast, Workers: workers})
		if err != nil || o.Model == nil {
			t.Fatal(o, err)
		}
		var b bytes.Buffer
		if _, err := o.Model.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return o, b.Bytes()
	}
	o, file := race(1)
	if _, again := race(3); !bytes.Equal(file, again) {
		t.Error("three workers make a different model than one")
	}
	const note = "the final training left out 4 of 8 features, because they seem unrelated to the label: \"x4\", \"x5\", \"x6\", \"x7\""
	if !slices.Contains(o.Report.Notes, note) {
		t.Errorf("notes %q, want %q", o.Report.Notes, note)
	}
	m, err := readModel(file)
	if err != nil {
		t.Fatal(err)
	}
	before := probabilitiesOf(t, o.Model, f)
	if !slices.Equal(probabilitiesOf(t, m, f), before) {
		t.Error("the model predicts differently after reading")
	}
	for _, column := range f.Columns[4:] {
		for row := range column.Floats {
			column.Floats[row] = 1e6
		}
	}
	if !slices.Equal(probabilitiesOf(t, m, f), before) {
		t.Error("the model uses columns that are unrelated to the label")
	}
}

// TestDropsFeaturesByTrainingRows checks that the features of a fold do not depend on the labels of
// other rows, and that small tables and tables of related columns keep all columns.
func TestDropsFeaturesByTrainingRows(t *testing.T) {
	t.Parallel()
	columnsOf := func(f *frame.Frame, rows int) *model.Features {
		whole := &trainingData{Frame: f, params: Params{Workers: 2}}
		fold, err := whole.dataOfFold(t.Context(), 0, whole.allRows()[:rows])
		if err != nil {
			t.Fatal(err)
		}
		return fold.features
	}
	f := newNoisyFrame(1500, 6)
	features := columnsOf(f, 1200)
	if features == nil || !slices.Equal(features.Columns, []int32{0, 1, 2, 3}) {
		t.Errorf("features %v, want the first 4 columns", features)
	}
	for row := 1200; row < f.Rows; row++ {
		f.Labels[row] = 1 - f.Labels[row]
	}
	if other := columnsOf(f, 1200); other == nil || !slices.Equal(features.Columns, other.Columns) {
		t.Error("labels of rows outside the training rows change the features")
	}
	if few := columnsOf(newNoisyFrame(minRelevanceRows-1, 6), 500); few != nil {
		t.Errorf("a small table has the features %v, want all", few.Columns)
	}
	rare := newNoisyFrame(1500, 6)
	for row := range rare.Labels {
		rare.Labels[row] = 0
		if row%40 == 0 {
			rare.Labels[row] = 1
		}
	}
	if all := columnsOf(rare, 1200); all != nil {
		t.Errorf("a table with a rare class has the features %v, want all", all.Columns)
	}
	if related := columnsOf(newNoisyFrame(1500, 0), 1200); related != nil {
		t.Errorf("a table of related columns has the features %v, want all", related.Columns)
	}
}

func TestRelevantColumns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		importance string
		want       []int32
	}{
		{"9 -1 8 0", []int32{0, 2}},
		{"9 8 7 1", []int32{0, 1, 2}},
		{"9 8 7 6 1", nil},                             // less than a quarter are irrelevant
		{"9 3 8 0", nil},                               // a third of the others are weak
		{"9 9 9 9 9 3 0 0", []int32{0, 1, 2, 3, 4, 5}}, // a sixth
		{"1 0 -1 2", nil},                              // no column is relevant
	} {
		var importance []float64
		for _, field := range strings.Fields(test.importance) {
			var x float64
			if _, err := fmt.Sscan(field, &x); err != nil {
				t.Fatal(err)
			}
			importance = append(importance, x)
		}
		if got := relevantColumns(importance); !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", test.importance, got, test.want)
		}
	}
}
