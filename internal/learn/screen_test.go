package learn

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/frame"
)

// wideFrame returns a frame of more features than an algorithm is shown, two
// thirds numbers, the others levels. The label follows from the feature planted:
// from whether its number is within a band, or from its level.
func wideFrame(rows, planted int) *frame.Frame {
	rng := rand.New(rand.NewPCG(3, 5))
	features := mostFeatures + 200
	f := &frame.Frame{Schema: &frame.Schema{ID: "id", Label: "label", Classes: []string{"no", "yes"}}, Rows: rows, Labels: make([]int32, rows)}
	for at := range features {
		schema := frame.ColumnSchema{Name: fmt.Sprint("f", at), Kind: frame.Numeric}
		var column frame.Column
		if at%3 == 2 {
			schema.Kind, schema.Levels = frame.Category, []string{"AA", "AB", "BB"}
		}
		for row := range rows {
			label := false
			if schema.Kind == frame.Numeric {
				x := rng.Float64()
				column.Floats = append(column.Floats, x)
				label = x > 0.3 && x < 0.8
			} else {
				code := rng.Int32N(3)
				column.Codes = append(column.Codes, code)
				label = code == 1
			}
			if at == planted && label {
				f.Labels[row] = 1
			}
		}
		f.Schema.Columns = append(f.Schema.Columns, schema)
		f.Columns = append(f.Columns, column)
	}
	return f
}

// Each part learns from as many features as are kept, chosen on its training
// rows alone, and the one that tells the label is among them.
func TestScreened(t *testing.T) {
	t.Parallel()
	for _, planted := range []int{900, 902} {
		f := wideFrame(120, planted)
		rows := make([]int32, 100)
		for i := range rows {
			rows[i] = int32(i)
		}
		narrow := func(f *frame.Frame) []int32 {
			t.Helper()
			whole := &table{Frame: f, params: Params{Workers: 2}}
			part, err := whole.screened(t.Context(), 0, rows)
			if err != nil {
				t.Fatal(err)
			}
			if len(part.Columns) != mostFeatures || len(part.Schema.Columns) != mostFeatures {
				t.Fatalf("%d columns of %d features, want %d", len(part.Columns), len(part.Schema.Columns), mostFeatures)
			}
			return part.columns
		}
		columns := narrow(f)
		if !slices.Contains(columns, int32(planted)) {
			t.Errorf("feature %d is not kept", planted)
		}
		other := *f
		other.Labels = slices.Clone(f.Labels)
		for i := len(rows); i < len(other.Labels); i++ {
			other.Labels[i] = 1 - other.Labels[i]
		}
		if !slices.Equal(columns, narrow(&other)) {
			t.Error("labels of rows that are not learnt from change the features")
		}
	}
}

// A table of no more features than are kept is learnt from as it is.
func TestNotScreened(t *testing.T) {
	t.Parallel()
	f := wideFrame(40, 900)
	f.Columns, f.Schema.Columns = f.Columns[:mostFeatures], f.Schema.Columns[:mostFeatures]
	whole := &table{Frame: f, params: Params{Workers: 1}}
	if part, err := whole.screened(t.Context(), 0, []int32{0, 1, 2}); err != nil || part != whole {
		t.Errorf("got another table, error %v", err)
	}
}

// A race on a wide table finds the feature that tells the label, names it the
// most important, and its model reads again from its file.
func TestRaceOfWideTable(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("races several times")
	}
	t.Parallel()
	f := wideFrame(80, 902)
	race := func(workers int) (*Outcome, []byte) {
		t.Helper()
		o, err := Race(t.Context(), f, Params{Algorithms: []string{"BSEV02"}, Threshold: new(0.9), Workers: workers})
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
	if o.Achieved < 0.9 || o.Report.Importances[0].Column != "f902" || len(o.Report.Importances) != len(f.Columns) {
		t.Errorf("performance %v, %d importances, first %v", o.Achieved, len(o.Report.Importances), o.Report.Importances[0])
	}
	if o.Report.Features != len(f.Columns) || o.Report.Screened != mostFeatures {
		t.Errorf("the report has %d features, %d of them learnt from", o.Report.Features, o.Report.Screened)
	}
	if _, again := race(2); !bytes.Equal(file, again) {
		t.Error("two workers learn another model than one")
	}
	m, err := ReadModel(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := o.Model.predictAll(t.Context(), f, 1)
	if got, _ := m.predictAll(t.Context(), f, 1); !slices.Equal(got, want) {
		t.Error("the model predicts otherwise when it has been read")
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil || !bytes.Equal(b.Bytes(), file) {
		t.Error("the model that was read is written otherwise")
	}
}
