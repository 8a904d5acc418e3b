package learn

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/learn/model"
	"foretell/internal/learn/screen"
	"foretell/internal/onnx/onnxtest"
	"foretell/internal/table/frame"
)

// waveFrame returns a table of two classes that is not monotone in the columns rise and
// fall: the probability of the second class goes up and down when one of them grows.
// Some of their cells are missing. The column shop is categorical and has enough levels
// for target statistics.
func waveFrame(rows int, seed uint64) *frame.Frame {
	rng := rand.New(rand.NewPCG(seed, 1))
	var rise, fall, free []float64
	var shops, labels []int32
	var levels []string
	for i := range 40 {
		levels = append(levels, fmt.Sprintf("s%02d", i))
	}
	for range rows {
		x, y, z, shop := 4*rng.Float64(), float64(rng.IntN(12)), rng.NormFloat64(), rng.IntN(41)-1
		score := 2*math.Sin(2.5*x) + math.Cos(y) + 0.5*z + 0.6*float64(shop%5) - 1
		label := int32(0)
		if rng.Float64() < 1/(1+math.Exp(-score)) {
			label = 1
		}
		if rng.IntN(10) == 0 {
			x = math.NaN()
		}
		if rng.IntN(20) == 0 {
			y = math.NaN()
		}
		rise, fall, free = append(rise, x), append(fall, y), append(free, z)
		shops, labels = append(shops, int32(shop)), append(labels, label)
	}
	return &frame.Frame{
		Rows: rows, Labels: labels,
		Columns: []frame.Column{{Floats: free}, {Floats: rise}, {Codes: shops}, {Floats: fall}},
		Schema: &frame.Schema{ID: "id", Label: "class", Classes: []string{"no", "yes"}, Columns: []frame.ColumnSchema{
			{Name: "free"}, {Name: "rise"}, {Name: "shop", Kind: frame.Category, Levels: levels}, {Name: "fall"},
		}},
	}
}

// riseAndFall are directions for the columns rise and fall of waveFrame.
var riseAndFall = map[string]int{"rise": 1, "fall": -1}

// rounding is the largest change of a probability that is attributed to rounding.
const rounding = 1e-6

// largestViolation changes one column at a time in the given rows. It returns the largest
// change of the probability of the second class against the direction of the column.
func largestViolation(t *testing.T, m *model.Model, rows *frame.Frame, directions map[string]int) float64 {
	t.Helper()
	worst := 0.0
	for at := range m.Schema().Columns {
		direction := float64(directions[m.Schema().Columns[at].Name])
		if direction == 0 {
			continue
		}
		values := []float64{-1e308, -1, 1e308}
		for i := range 60 {
			values = append(values, 0.2*float64(i))
		}
		slices.Sort(values)
		// One prediction for all values, because each reads the members of the model anew.
		f := rows.Take(repeatedRows(rows.Rows, len(values)))
		cells := make([]float64, 0, f.Rows)
		for _, x := range values {
			cells = append(cells, slices.Repeat([]float64{x}, rows.Rows)...)
		}
		f.Columns[at] = frame.Column{Floats: cells}
		p, distance := probabilitiesOf(t, m, f), 2*rows.Rows
		for i := distance + 1; i < len(p); i += 2 {
			worst = max(worst, direction*float64(p[i-distance]-p[i]))
		}
	}
	return worst
}

// oddWaves returns rows like those of waveFrame, some with unusual cells.
func oddWaves(rows int) *frame.Frame {
	f := waveFrame(rows, 99)
	copy(f.Columns[0].Floats, []float64{1e308, -1e308, 0, math.Inf(1), math.Inf(-1), 1e-300, math.NaN()})
	f.Columns[2].Codes[7] = 41 // an unknown category
	return f
}

// compareWithONNX compares the predictions of a model on f, which has no texts, with those of
// its ONNX model.
func compareWithONNX(t *testing.T, m *model.Model, f *frame.Frame) {
	t.Helper()
	var file bytes.Buffer
	if err := m.WriteONNX(&file); err != nil {
		t.Fatal(err)
	}
	exported, err := onnxtest.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var numbers []float64
	for row := range f.Rows {
		for i := range f.Columns {
			switch c := &f.Columns[i]; {
			case c.Codes == nil:
				numbers = append(numbers, c.Floats[row])
			case c.Codes[row] < 0:
				numbers = append(numbers, math.NaN())
			default:
				numbers = append(numbers, float64(c.Codes[row]))
			}
		}
	}
	out, err := exported.Run(onnxtest.Matrix(numbers, exported.Columns))
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range probabilitiesOf(t, m, f) {
		if p := out["probabilities"].Numbers[i]; !(math.Abs(p-min(float64(q), 1)) < 1e-6) {
			t.Fatalf("the ONNX model predicts %v instead of %v", p, q)
		}
	}
}

// TestMonotone checks that final models are monotone on random tables, for all
// algorithms that support directions. It checks models that were written and read, and
// ONNX models. It also checks that models trained without directions are not monotone.
func TestMonotone(t *testing.T) {
	if testing.Short() {
		t.Skip("trains models, which takes long under the race detector")
	}
	blends := 0
	for seed := range uint64(3) {
		f := waveFrame(500, seed)
		for _, names := range [][]string{nil, {"BFIF01"}, {"BSIX01"}, {"BSEV02"}} {
			t.Run(fmt.Sprint(seed, names), func(t *testing.T) {
				o, err := Race(t.Context(), f, Params{Monotone: riseAndFall, Algorithms: names, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				m := must(readModel(bytesOf(t, o.Model)))
				if v := largestViolation(t, m, oddWaves(150), riseAndFall); v > rounding {
					t.Errorf("%s: violated by %v", o.Algorithm, v)
				}
				compareWithONNX(t, m, oddWaves(50))
				if o.Report.Test.LogLoss > 0.69 {
					t.Errorf("log loss %v is not better than chance", o.Report.Test.LogLoss)
				}
				if o.Algorithm == model.Blend {
					blends++
				}
			})
		}
	}
	if blends == 0 {
		t.Error("no model is a blend")
	}
	o, err := Race(t.Context(), waveFrame(500, 0), Params{Algorithms: []string{"BSEV02"}})
	if err != nil {
		t.Fatal(err)
	}
	if v := largestViolation(t, o.Model, oddWaves(150), riseAndFall); v < 0.1 {
		t.Errorf("without directions the largest violation is only %v, so this test proves nothing", v)
	}
}

// TestMonotoneFoldModels checks that fold models are monotone on a table with selected
// columns. They are the final model if there is no time for a refit.
func TestMonotoneFoldModels(t *testing.T) {
	if testing.Short() {
		t.Skip("trains models, which takes long under the race detector")
	}
	f := waveFrame(100, 4)
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range screen.MaxFeatures {
		noise := make([]float64, f.Rows)
		for row := range noise {
			noise[row] = rng.NormFloat64()
		}
		f.Columns = slices.Insert(f.Columns, 0, frame.Column{Floats: noise})
		f.Schema.Columns = slices.Insert(f.Schema.Columns, 0, frame.ColumnSchema{Name: fmt.Sprint("n", i)})
	}
	stop := make(chan struct{})
	params := Params{Monotone: riseAndFall, Algorithms: []string{"BSIX01", "BSEV02"}, Stop: stop}
	steps := 0
	params.Progress = func(e Event) {
		if steps++; steps == 20 {
			close(stop)
		}
	}
	o, err := Race(t.Context(), f, params)
	if err != nil {
		t.Fatal(err)
	}
	if v := largestViolation(t, o.Model, f, riseAndFall); v > rounding || wasRefitted(o) || o.Report.Screened == 0 {
		t.Errorf("refit %v, %d columns selected, violated by %v", wasRefitted(o), o.Report.Screened, v)
	}
}

// TestMonotoneWorkers checks that the model does not depend on the number of workers.
func TestMonotoneWorkers(t *testing.T) {
	var want []byte
	counts := []int{1, 3}
	if testing.Short() { // the race detector finds data races without a comparison
		counts = []int{3}
	}
	for _, workers := range counts {
		o, err := Race(t.Context(), waveFrame(300, 2), Params{Monotone: riseAndFall, Workers: workers, Effort: EffortFast})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := o.Model.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = file.Bytes()
		} else if !bytes.Equal(want, file.Bytes()) {
			t.Errorf("%d workers make another model", workers)
		}
	}
}

// TestMonotoneParams checks which algorithms race, and that invalid directions are rejected.
func TestMonotoneParams(t *testing.T) {
	f := waveFrame(200, 1)
	race, err := newRace(t.Context(), f, Params{Monotone: riseAndFall}, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range race.runs {
		if run.Name == "BSEV01" {
			t.Error("the neural network takes part")
		}
	}
	if len(race.runs) != 3 {
		t.Errorf("%d algorithms race", len(race.runs))
	}
	three := fakeFrame(100, 3)
	for want, c := range map[string]struct {
		frame  *frame.Frame
		params Params
	}{
		`"shop" is a category`:       {f, Params{Monotone: map[string]int{"shop": 1}}},
		`did you mean "rise"?`:       {f, Params{Monotone: map[string]int{"rises": 1}}},
		`2 for "rise": must be 1 or`: {f, Params{Monotone: map[string]int{"rise": 2}}},
		`"BSEV01": does not support`: {f, Params{Monotone: riseAndFall, Algorithms: []string{"BSEV01", "BSIX01"}}},
		"3 classes, but must have 2": {three, Params{Monotone: map[string]int{three.Schema.Columns[0].Name: 1}}},
	} {
		if _, err := newRace(t.Context(), c.frame, c.params, algorithms); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
