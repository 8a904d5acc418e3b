package learn

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"foretell/internal/learn/model"
	"foretell/internal/learn/rng"
	"foretell/internal/learn/shapley"
	"foretell/internal/learn/split"
	"foretell/internal/onnx"
	"foretell/internal/table/frame"
)

// fakeFitter is a fitter whose accuracy and cost in each step are specified by the test.
// It predicts the true class for a fraction of the rows and another class for the rest.
type fakeFitter struct {
	fitTask
	skills   []float64 // accuracy after each step; the last one stays
	work     float64   // cost of a step
	pause    func(step int) time.Duration
	fault    func(step int) error
	done     int                // number of steps after which it is done; 0 means never
	schedule func(rows int) int // number of steps of the schedule; nil means no schedule
	patience int                // patience of the algorithm; 0 means 5
	// longSkills replaces skills after each call of DoubleSchedule. If it is nil, the algorithm
	// does not support DoubleSchedule.
	longSkills [][]float64
	// refitFault is the error of the first step of a refit.
	refitFault error

	step, savedStep int
}

func (t *fakeFitter) Step(ctx context.Context) (bool, error) {
	if t.refitFault != nil && t.foldIndex == refitFold {
		return false, t.refitFault
	}
	if t.fault != nil {
		if err := t.fault(t.step + 1); err != nil {
			return false, err
		}
	}
	if t.pause != nil {
		select {
		case <-time.After(t.pause(t.step + 1)):
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	t.step++
	return t.done > 0 && t.step >= t.done, nil
}

func (t *fakeFitter) Progress() float64 {
	if t.schedule == nil {
		return math.NaN()
	}
	return float64(t.step) / float64(t.schedule(len(t.fold.Train)))
}

func (t *fakeFitter) DoubleSchedule() { t.skills, t.longSkills = t.longSkills[0], t.longSkills[1:] }

func (t *fakeFitter) Cost() float64 { return float64(t.step) * t.work }

func (t *fakeFitter) PredictValidation(dst []float32) {
	labels := split.Gather(t.data.Labels, t.fold.Validation)
	fakeModel{skill: t.skill(t.step), classes: t.data.classes()}.fill(dst, labels)
}

func (t *fakeFitter) skill(step int) float64 { return t.skills[min(max(step, 1), len(t.skills))-1] }

func (t *fakeFitter) Checkpoint() { t.savedStep = t.step }

func (t *fakeFitter) Model() model.Predictor {
	step := t.savedStep
	if step == 0 {
		step = t.step
	}
	return fakeModel{skill: t.skill(step), classes: t.data.classes(), rows: len(t.fold.Train)}
}

// fakeModel predicts the true class for the fraction skill of the rows, and the next
// class for the others.
type fakeModel struct {
	skill         float64
	classes, rows int
}

func (m fakeModel) fill(dst []float32, labels []int32) {
	for i, label := range labels {
		row := dst[i*m.classes:][:m.classes]
		for c := range row {
			row[c] = 0.2 / float32(m.classes-1)
		}
		if float64(i*37%100)+0.5 > m.skill*100 {
			label = (label + 1) % int32(m.classes)
		}
		row[label] = 0.8
	}
}

func (m fakeModel) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	labels := make([]int32, hi-lo)
	if f.Labels != nil {
		copy(labels, f.Labels[lo:hi])
	}
	m.fill(dst, labels)
}

// Encode implements model.Predictor. All encoded rows are equal.
func (m fakeModel) Encode(*frame.Frame) shapley.Rows { return fakeRows{m} }

type fakeRows struct{ fakeModel }

func (fakeRows) MarkDifferent([]bool, int, int) {}

func (r fakeRows) PredictPath(dst []float32, p *shapley.Path) {
	r.fill(dst, make([]int32, p.Steps+1))
}

func (m fakeModel) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, uint64(m.skill*1e6))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.rows))
	return binary.LittleEndian.AppendUint32(b, uint32(m.classes)), nil
}

// AddONNX implements model.Predictor. A fake model has no ONNX form.
func (m fakeModel) AddONNX(g *onnx.Graph, _ onnx.Matrix) onnx.Value {
	g.RecordError(errors.New("a fake model"))
	return ""
}

func readFake(b []byte) (model.Predictor, error) {
	if len(b) != 16 {
		return nil, errors.New("not a toy")
	}
	m := fakeModel{skill: float64(binary.LittleEndian.Uint64(b)) / 1e6}
	m.rows, m.classes = int(binary.LittleEndian.Uint32(b[8:])), int(binary.LittleEndian.Uint32(b[12:]))
	if m.classes < 2 || m.classes > 100 {
		return nil, errors.New("not a toy")
	}
	return m, nil
}

// fakeAlgorithms returns one algorithm for each of the given fitters. Their names are
// those of the real algorithms.
func fakeAlgorithms(fitters ...fakeFitter) []algorithm {
	list := make([]algorithm, len(fitters))
	for i, l := range fitters {
		list[i] = algorithm{
			Algorithm: &model.Algorithm{Name: []string{"SEV01", "FIF01", "SIX01", "SEV02"}[i], Kind: uint8(i + 1), Read: readFake},
			patience:  cmp.Or(l.patience, 5), holdoutPatience: (cmp.Or(l.patience, 5) + 1) / 2,
			doubles: l.longSkills != nil,
			newFitter: func(_ context.Context, t fitTask) (fitter, error) {
				fresh := l
				fresh.fitTask = t
				return &fresh, nil
			},
		}
	}
	return list
}

// wasRefitted reports whether the model of o was trained on every labelled row, except components of a
// blend whose refit would have taken too long.
func wasRefitted(o *Outcome) bool {
	failed := func(note string) bool {
		return strings.Contains(note, "could not be trained again on all labelled rows")
	}
	return o.Model != nil && !o.Report.RefitInterrupted && !slices.ContainsFunc(o.Report.Notes, failed)
}

// risingSkills returns accuracies that rise from the first to the second argument in the
// given number of steps.
func risingSkills(from, to float64, steps int) []float64 {
	curve := make([]float64, steps)
	for i := range curve {
		curve[i] = from + (to-from)*float64(i)/float64(max(steps-1, 1))
	}
	return curve
}

// fakeFrame returns a frame of rows with alternating classes and a column of
// noise.
func fakeFrame(rows, classes int) *frame.Frame {
	f := &frame.Frame{Schema: &frame.Schema{ID: "id", Label: "label"}, Rows: rows}
	for c := range classes {
		f.Schema.Classes = append(f.Schema.Classes, string(rune('a'+c)))
	}
	f.Schema.Columns = []frame.ColumnSchema{{Name: "x"}}
	f.Columns = []frame.Column{{Floats: make([]float64, rows)}}
	draw := rand.New(rand.NewPCG(1, 1))
	for i := range rows {
		f.Labels = append(f.Labels, int32(i%classes))
		f.Columns[0].Floats[i] = draw.NormFloat64()
	}
	return f
}

// jitter returns a function that returns random durations of up to a second.
func jitter(seed uint64) func(int) time.Duration {
	var calls atomic.Uint64
	return func(int) time.Duration {
		return time.Duration(rng.Derive(seed, int(calls.Add(1))) % uint64(time.Second))
	}
}
