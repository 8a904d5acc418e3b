package learn

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/spill"
	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

func TestRaceOnRealData(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("trains several models")
	}
	// A race ends at its threshold, so the models are less accurate than they could be: other
	// libraries reach 1.0 and 0.99 on the blind rows.
	for set, want := range map[string]struct{ threshold, answers float64 }{
		"iris": {0.93, 0.94},
		"car":  {0.95, 0.95},
	} {
		t.Run(set, func(t *testing.T) {
			f := loadTrainFile(t, "testdata/"+set+"/train.csv")
			o, err := Race(t.Context(), f, Params{Threshold: new(want.threshold), Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if o.Status != Completed || !wasRefitted(o) || o.Achieved < want.threshold {
				t.Errorf("%s at %v, refit %v", o.Status, o.Achieved, wasRefitted(o))
			}
			if got := accuracyOnAnswers(t, o.Model, "testdata/"+set); got < want.answers {
				t.Errorf("%v of the blind rows are right, want %v", got, want.answers)
			}
			checkReport(t, f, o)
		})
	}
}

// checkReport checks that the metrics of a report are consistent.
func checkReport(t *testing.T, f *frame.Frame, o *Outcome) {
	t.Helper()
	r := o.Report
	if r.Rows != f.Rows || r.TestRows+r.ValidationRows > f.Rows || r.Validation.Accuracy != o.Achieved {
		t.Errorf("%d rows, %d test, %d validation; validation accuracy %v, achieved %v", r.Rows, r.TestRows, r.ValidationRows, r.Validation.Accuracy, o.Achieved)
	}
	rows, right := 0, 0
	for c, line := range r.Confusion {
		sum := 0
		for _, n := range line {
			sum += n
		}
		if sum != r.Classes[c].Rows {
			t.Errorf("class %s: %d rows in the confusion matrix, %d in the report", r.Classes[c].Label, sum, r.Classes[c].Rows)
		}
		rows += sum
		right += line[c]
	}
	if rows != r.TestRows || math.Abs(float64(right)/float64(rows)-r.Test.Accuracy) > 1e-12 {
		t.Errorf("%d of %d right on the diagonal, accuracy %v", right, rows, r.Test.Accuracy)
	}
	if len(r.Importances) != len(f.Columns) || r.Importances[0].Importance < 0.05 {
		t.Errorf("importances %v", r.Importances)
	}
	for _, i := range r.Importances {
		if !(i.Interval.Low <= i.Importance && i.Importance <= i.Interval.High) {
			t.Errorf("importance %v outside its interval", i)
		}
	}
	checkCurves(t, &r)
	checkDependence(t, &r)
}

// checkCurves checks that the curves of a report agree with its scores.
func checkCurves(t *testing.T, r *Report) {
	t.Helper()
	if len(r.Curves) != len(r.CurveClasses) || len(r.Curves) != min(len(r.Classes), 20) {
		t.Fatalf("%d curves of %v", len(r.Curves), r.CurveClasses)
	}
	for i, c := range r.Curves {
		class := r.Classes[slices.IndexFunc(r.Classes, func(s ClassScore) bool { return s.Label == c.Label })]
		last := c.Points[len(c.Points)-1]
		if c.Label != r.CurveClasses[i] || len(c.Points) > 100 || c.Positives != class.Rows || c.Positives+c.Negatives != r.TestRows ||
			last.TruePositives != c.Positives || last.FalsePositives != c.Negatives {
			t.Errorf("class %s: %d points of %d and %d rows, the last %+v", c.Label, len(c.Points), c.Positives, c.Negatives, last)
		}
		for name, score := range map[string]float64{
			"precision": class.Precision, "recall": class.Recall, "f1": class.F1, "rocAuc": class.ROCAUC, "averagePrecision": class.AveragePrecision,
		} {
			if interval, known := class.Intervals[name]; known && !(interval.Low <= score+1e-12 && score <= interval.High+1e-12) {
				t.Errorf("class %s: %s %v is outside %v", c.Label, name, score, interval)
			}
		}
	}
	for _, bins := range append([][]ReliabilityBin{r.Reliability}, r.Curves[0].Reliability) {
		rows := 0
		for _, b := range bins {
			rows += b.Rows
		}
		if rows != r.TestRows {
			t.Errorf("%d rows in the bins, %d test rows", rows, r.TestRows)
		}
	}
}

// checkDependence checks the partial dependence on each column of a report. Numbers must
// be in ascending order.
func checkDependence(t *testing.T, r *Report) {
	t.Helper()
	if len(r.PartialDependence) == 0 {
		t.Fatal("no partial dependence")
	}
	for _, d := range r.PartialDependence {
		for i, p := range d.Points {
			sum := 0.0
			for _, q := range p.Probabilities {
				sum += q
			}
			if len(p.Probabilities) != len(r.CurveClasses) || sum > 1+1e-5 || len(r.CurveClasses) == len(r.Classes) && sum < 1-1e-5 {
				t.Errorf("%s at %s: probabilities %v", d.Column, p.Value, p.Probabilities)
			}
			if i > 0 && p.Number <= d.Points[i-1].Number || p.Value == "" || p.Rows == 0 {
				t.Errorf("%s: point %+v", d.Column, p)
			}
		}
	}
}

// smallIris returns every second row of the set iris. Whole races on these rows take half the time.
func smallIris(t *testing.T) *frame.Frame {
	t.Helper()
	f := loadTrainFile(t, "testdata/iris/train.csv")
	var rows []int32
	for row := int32(0); row < int32(f.Rows); row += 2 {
		rows = append(rows, row)
	}
	return f.Take(rows)
}

func TestRaceIsDeterministic(t *testing.T) {
	workers := []int{1, 2, 8}
	if testing.Short() { // under the race detector one race takes many seconds; it finds data races without a comparison
		workers = []int{8}
	}
	f := smallIris(t)
	for name, p := range map[string]Params{
		"all_four_with_a_threshold": {Threshold: new(0.94), Seed: 2},
		"all_four_without_one":      {Seed: 2},
		"boosting_until_it_stalls":  {Threshold: new(1.0), Seed: 2, Algorithms: []string{"MSIX01", "MSEV02"}, Metric: "macroF1"},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "all_four_without_one" {
				t.Skip("the same code as with a threshold, for longer")
			}
			var first *Outcome
			for _, workers := range workers {
				if workers == 2 && name == "all_four_without_one" {
					continue // it is the longest race, and the others run with two workers
				}
				p.Workers = workers
				o, err := Race(t.Context(), f, p)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = o
				}
				if !bytes.Equal(bytesOf(t, first.Model), bytesOf(t, o.Model)) {
					t.Errorf("%d workers: model bytes differ", workers)
				}
				if diff := cmp.Diff(first.Report, o.Report, cmpopts.EquateNaNs()); diff != "" {
					t.Errorf("%d workers: report differs:\n%s", workers, diff)
				}
			}
		})
	}
}

// TestDiskDoesNotMatter checks that the model is the same if trees are stored on disk or
// in memory. It also checks the error of a disk that fails.
func TestDiskDoesNotMatter(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("races twice on a real set")
	}
	f := loadTrainFile(t, "testdata/car/train.csv")
	race := func(disk *spill.File) *Outcome {
		o, err := Race(t.Context(), f, Params{Threshold: new(0.98), Seed: 3, Algorithms: []string{"MFIF01", "MSEV02"}, Disk: disk})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	disk := spill.New(t.TempDir())
	defer disk.Close()
	want := race(disk)
	file := bytesOf(t, want.Model)
	for name, o := range map[string]*Outcome{"memory": race(nil), "no folder": race(spill.New(filepath.Join(t.TempDir(), "gone")))} {
		if !bytes.Equal(bytesOf(t, o.Model), file) {
			t.Errorf("%s: model differs", name)
		}
		if diff := cmp.Diff(want.Report, o.Report, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: report differs:\n%s", name, diff)
		}
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := want.Model.WriteTo(io.Discard); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v after the disk was closed, want os.ErrClosed", err)
	}
}

func TestRaceStopsWithinASecond(t *testing.T) {
	f, last := loadTrainFile(t, "testdata/iris/train.csv"), 20
	if testing.Short() { // under the race detector each step is slow; the race ends in the same way after fewer steps
		f, last = smallIris(t), 5
	}
	stop := make(chan struct{})
	var stopped time.Time
	o, err := Race(t.Context(), f, Params{Threshold: new(1.0), Stop: stop, Progress: func(e Event) {
		if e.Algorithm == "MSIX01" && e.Step == last && e.Status == Running {
			stopped = time.Now()
			close(stop)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(stopped); took > 10*time.Second { // allows for the race detector and for a busy machine
		t.Errorf("took %v", took)
	}
	if o.Status != Cancelled || o.Model == nil || wasRefitted(o) {
		t.Errorf("%s, refit %v", o.Status, wasRefitted(o))
	}
}

func TestPoorColumns(t *testing.T) {
	if testing.Short() { // the goroutines are those of TestRaceIsDeterministic; only the table is unusual
		t.Skip("races eight times")
	}
	// The class does not depend on the columns, so the model must predict the class
	// frequencies.
	rows := 24
	f := &frame.Frame{Rows: rows, Schema: &frame.Schema{
		ID: "id", Label: "label", Classes: []string{"no", "yes"},
		Columns: []frame.ColumnSchema{{Name: "constant"}, {Name: "missing"}, {Name: "text", Kind: frame.Category, Levels: []string{"one"}}, {Name: "none", Kind: frame.Category}},
	}}
	f.Columns = []frame.Column{
		{Floats: make([]float64, rows)}, {Floats: make([]float64, rows)}, {Codes: make([]int32, rows)}, {Codes: make([]int32, rows)},
	}
	for i := range rows {
		f.Columns[1].Floats[i] = cells.NaN
		f.Columns[3].Codes[i] = frame.Missing
		f.Labels = append(f.Labels, int32(min(i%3, 1)))
	}
	for _, columns := range []int{4, 0} {
		f.Columns, f.Schema.Columns = f.Columns[:columns], f.Schema.Columns[:columns]
		for _, m := range newVariants(algorithms, 2) {
			o, err := Race(t.Context(), f, Params{Threshold: new(1.0), Algorithms: []string{m.Name}})
			if err != nil {
				t.Fatal(err)
			}
			if o.Model == nil {
				t.Errorf("%d columns: %s ended as %s: %v", columns, m.Name, o.Status, o.Runs[0].Err)
				continue
			}
			p := probabilitiesOf(t, o.Model, f)
			if math.Abs(float64(p[1])-2.0/3) > 0.1 {
				t.Errorf("%d columns: %s predicts %v for a class of two thirds", columns, m.Name, p[1])
			}
			again, err := readModel(bytesOf(t, o.Model))
			if err != nil {
				t.Errorf("%d columns: %s: %v", columns, m.Name, err)
			} else if !bytes.Equal(bytesOf(t, again), bytesOf(t, o.Model)) {
				t.Errorf("%d columns: %s: the model differs after reading", columns, m.Name)
			}
		}
	}
}
