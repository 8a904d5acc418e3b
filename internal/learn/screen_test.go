package learn

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/learn/screen"
	"foretell/internal/table/frame"
)

// wideFrame returns a frame of more than screen.MaxFeatures features, two thirds of them
// numeric and the others categorical. The label depends only on the feature with the
// index planted: on whether its value is in an interval, or on its level.
func wideFrame(rows, planted int) *frame.Frame {
	rng := rand.New(rand.NewPCG(3, 5))
	features := screen.MaxFeatures + 200
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

// TestScreened checks that features are selected on the training rows only, and
// that the predictive one is among them.
func TestScreened(t *testing.T) {
	if testing.Short() { // TestFoldsAreScreenedAtOnce runs the same goroutines
		t.Skip("screens four times")
	}
	t.Parallel()
	for _, planted := range []int{900, 902} {
		f := wideFrame(120, planted)
		rows := make([]int32, 100)
		for i := range rows {
			rows[i] = int32(i)
		}
		narrow := func(f *frame.Frame) []int32 {
			t.Helper()
			whole := &trainingData{Frame: f, params: Params{Workers: 2}}
			fold, err := whole.dataOfFold(t.Context(), 0, rows)
			if err != nil {
				t.Fatal(err)
			}
			if len(fold.Columns) != screen.MaxFeatures || len(fold.Schema.Columns) != screen.MaxFeatures {
				t.Fatalf("the fold has %d columns, and %d in its schema, want %d", len(fold.Columns), len(fold.Schema.Columns), screen.MaxFeatures)
			}
			return fold.features.Columns
		}
		columns := narrow(f)
		if !slices.Contains(columns, int32(planted)) {
			t.Errorf("feature %d is not selected", planted)
		}
		other := *f
		other.Labels = slices.Clone(f.Labels)
		for i := len(rows); i < len(other.Labels); i++ {
			other.Labels[i] = 1 - other.Labels[i]
		}
		if !slices.Equal(columns, narrow(&other)) {
			t.Error("labels of rows outside the training rows change the features")
		}
	}
}

// TestFoldsShareBins checks that the bins of a feature that two folds select are stored once.
func TestFoldsShareBins(t *testing.T) {
	t.Parallel()
	whole := &trainingData{Frame: wideFrame(120, 900), params: Params{Workers: 2}}
	first, both := map[int32]*uint8{}, 0
	for fold := range 2 {
		rows := make([]int32, 100)
		for i := range rows {
			rows[i] = int32(i + 20*fold)
		}
		data, err := whole.dataOfFold(t.Context(), fold, rows)
		if err != nil {
			t.Fatal(err)
		}
		b, err := data.binnedMatrix(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, column := range data.features.Columns {
			known, ok := first[column]
			if !ok {
				first[column] = &b.Features[i].Data[0]
				continue
			}
			both++
			if known != &b.Features[i].Data[0] {
				t.Fatalf("feature %d has bins of its own in fold %d", column, fold)
			}
		}
	}
	if both < screen.MaxFeatures/2 {
		t.Errorf("the folds have %d features in common", both)
	}
}

// TestNotScreened checks that a table of at most screen.MaxFeatures features is not
// screened.
func TestNotScreened(t *testing.T) {
	t.Parallel()
	f := wideFrame(40, 900)
	f.Columns, f.Schema.Columns = f.Columns[:screen.MaxFeatures], f.Schema.Columns[:screen.MaxFeatures]
	whole := &trainingData{Frame: f, params: Params{Workers: 1}}
	if fold, err := whole.dataOfFold(t.Context(), 0, []int32{0, 1, 2}); err != nil || fold != whole {
		t.Errorf("the fold has a copy of the table, error %v", err)
	}
}

// TestRaceOfWideTable checks that the predictive feature is the most important
// one, and that the model can be read back from its file.
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
	if o.Report.Features != len(f.Columns) || o.Report.Screened != screen.MaxFeatures {
		t.Errorf("the report has %d features, %d screened", o.Report.Features, o.Report.Screened)
	}
	if _, again := race(2); !bytes.Equal(file, again) {
		t.Error("two workers make a different model than one")
	}
	m, err := readModel(file)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(probabilitiesOf(t, m, f), probabilitiesOf(t, o.Model, f)) {
		t.Error("the model predicts differently after reading")
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil || !bytes.Equal(b.Bytes(), file) {
		t.Error("bytes differ after reading and writing")
	}
}

// TestFoldsAreScreenedAtOnce checks that the first fold selects the features of all folds and of
// the refit. The result must be that of a separate selection for each of them.
func TestFoldsAreScreenedAtOnce(t *testing.T) {
	t.Parallel()
	r, err := newRace(t.Context(), wideFrame(120, 900), Params{Workers: 2}, fakeAlgorithms(fakeFitter{}))
	if err != nil {
		t.Fatal(err)
	}
	folds := r.plan.Folds
	if _, err := r.data.dataOfFold(t.Context(), 0, folds[0].Train); err != nil {
		t.Fatal(err)
	}
	if len(r.data.screened) != len(folds)+1 {
		t.Errorf("%d selections, want those of %d folds and of the refit", len(r.data.screened), len(folds))
	}
	for index, got := range r.data.screened {
		rows := r.data.allRows()
		if index != refitFold {
			rows = folds[index].Train
		}
		separate := &trainingData{Frame: r.data.Frame, params: r.data.params}
		if want, err := separate.screenLocked(t.Context(), index, rows); err != nil || !slices.Equal(want, got) {
			t.Errorf("fold %d: other features than from a separate selection (%v)", index, err)
		}
	}
}
