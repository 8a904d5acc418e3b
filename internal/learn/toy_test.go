package learn

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"foretell/internal/frame"
)

// toy is a learner whose every step is known beforehand. It knows the labels
// and gives the true class away for as many rows as its skill says.
type toy struct {
	task
	skills   []float64 // accuracy after each step; the last one stays
	work     float64   // of a step
	pause    func(step int) time.Duration
	fault    func(step int) error
	done     int // steps after which it is done, 0 for never
	patience int // 0 for 5

	step, kept int
}

func (t *toy) Step(ctx context.Context) (bool, error) {
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

func (t *toy) Cost() float64 { return float64(t.step) * t.work }

func (t *toy) EvalProbabilities(dst []float32) {
	labels := pickCells(t.table.Labels, t.part.Eval)
	toyModel{skill: t.skill(t.step), classes: t.table.classes()}.fill(dst, labels)
}

func (t *toy) skill(step int) float64 { return t.skills[min(max(step, 1), len(t.skills))-1] }

func (t *toy) Checkpoint() { t.kept = t.step }

func (t *toy) Model() predictor {
	step := t.kept
	if step == 0 {
		step = t.step
	}
	return toyModel{skill: t.skill(step), classes: t.table.classes(), rows: len(t.part.Train)}
}

// toyModel says the truth of as many rows as its skill says and the next class of
// the others.
type toyModel struct {
	skill         float64
	classes, rows int
}

func (m toyModel) fill(dst []float32, labels []int32) {
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

func (m toyModel) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	labels := make([]int32, hi-lo)
	if f.Labels != nil {
		copy(labels, f.Labels[lo:hi])
	}
	m.fill(dst, labels)
}

func (m toyModel) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, uint64(m.skill*1e6))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.rows))
	return binary.LittleEndian.AppendUint32(b, uint32(m.classes)), nil
}

func readToy(b []byte) (predictor, error) {
	if len(b) != 16 {
		return nil, errors.New("not a toy")
	}
	m := toyModel{skill: float64(binary.LittleEndian.Uint64(b)) / 1e6}
	m.rows, m.classes = int(binary.LittleEndian.Uint32(b[8:])), int(binary.LittleEndian.Uint32(b[12:]))
	if m.classes < 2 || m.classes > 100 {
		return nil, errors.New("not a toy")
	}
	return m, nil
}

// toys returns methods named as the real ones that make the given learners.
func toys(learners ...toy) []method {
	list := make([]method, len(learners))
	for i, l := range learners {
		list[i] = method{
			name: []string{"SEV01", "FIF01", "SIX01", "SEV02"}[i], kind: uint8(i + 1), patience: cmp.Or(l.patience, 5), read: readToy,
			open: func(_ context.Context, t task) (learner, error) {
				fresh := l
				fresh.task = t
				return &fresh, nil
			},
		}
	}
	return list
}

// rising is a curve from one accuracy to another.
func rising(from, to float64, steps int) []float64 {
	curve := make([]float64, steps)
	for i := range curve {
		curve[i] = from + (to-from)*float64(i)/float64(max(steps-1, 1))
	}
	return curve
}

// toyFrame has the given number of rows of each class and a column of noise.
func toyFrame(rows, classes int) *frame.Frame {
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

// jitter makes steps take up to a second of fake time each.
func jitter(seed uint64) func(int) time.Duration {
	var calls atomic.Uint64
	return func(int) time.Duration {
		return time.Duration(derive(seed, int(calls.Add(1))) % uint64(time.Second))
	}
}
