package neural

import (
	"fmt"
	"math"
)

// Options are the parameters of the learner.
type Options struct {
	// Classes is the number of classes, 2…65535.
	Classes int
	// Seed starts every random choice.
	Seed uint64
	// Workers is the number of goroutines that learn and score; more than one
	// for each 128 rows of a batch are of little use. It never changes the model. Defaults to 1.
	Workers int
	// Room is memory to be shared with other fitters. Defaults to the fitter's
	// own.
	Room *Room
	// Steps is the number of steps the schedule is cut into. The schedule is
	// the same whatever their number. Defaults to 100, or 12 a pass over the
	// rows where that is less: who judges each step on many rows would spend
	// more time on that than on learning.
	Steps int
	// Samples is how many rows are learnt from over the whole schedule, a row
	// counting as often as it comes up. Defaults to 64 passes over up to 2,000
	// rows, growing with the cube root of the rows from there on: 9 passes over
	// 36,000 rows, 2 over 370,000.
	Samples int
	// Members is the number of networks learnt as one, 1…64. Defaults to 4.
	Members int
	// Width is the number of units of a hidden layer. Defaults to 192.
	Width int
	// Layers is the number of hidden layers, 1…64. Defaults to 3.
	Layers int
	// Batch is the number of rows of one update. Defaults to an eighth of the
	// training rows, but at least 32 and at most 256.
	Batch int
	// Rate is the highest learning rate of the schedule. Defaults to 0.005.
	Rate float64
	// Decay is AdamW's decay of the products' weights, relative to the learning
	// rate, at the height of the schedule: it falls with the rate, so that the
	// last passes are free of it. Defaults to 2.5 for up to 500 rows, from
	// there on falling with their square root; less than zero means none.
	Decay float64
	// Dropout is the share of hidden units left out of an update, below 1.
	// Defaults to 0.2; less than zero means none.
	Dropout float64
	// Embedding is the number of outputs of a column's embedding. Defaults to
	// 8, less where more than 64 columns have one.
	Embedding int
	// Knots is the largest number of knots of a numeric column, at least 4.
	// Defaults to 32.
	Knots int
}

// withDefaults fills in what was left zero, for rows rows to learn from.
func (o Options) withDefaults(rows int) (Options, error) {
	few := math.Min(float64(rows), 2000)
	or(&o.Workers, 1)
	if o.Room == nil {
		o.Room = &Room{}
	}
	or(&o.Samples, int(64*few*math.Cbrt(float64(rows)/few)))
	or(&o.Steps, max(20, min(100, 12*o.Samples/max(1, rows))))
	or(&o.Members, 4)
	or(&o.Width, 192)
	or(&o.Layers, 3)
	or(&o.Batch, max(32, min(256, rows/8)))
	or(&o.Rate, 0.005)
	or(&o.Decay, 2.5*math.Sqrt(500/math.Max(500, float64(rows))))
	or(&o.Dropout, 0.2)
	or(&o.Knots, 32)
	o.Batch = min(o.Batch, rows)
	o.Decay, o.Dropout = max(0, o.Decay), max(0, o.Dropout)
	for _, check := range []struct {
		name     string
		value    int
		low, top int
	}{
		{"Classes", o.Classes, 2, math.MaxUint16},
		{"Workers", o.Workers, 1, math.MaxInt},
		{"Steps", o.Steps, 1, math.MaxInt},
		{"Samples", o.Samples, 1, math.MaxInt},
		{"Batch", o.Batch, 1, math.MaxInt},
		{"Members", o.Members, 1, maxStack},
		{"Layers", o.Layers, 1, maxStack},
		{"Width", o.Width, 1, maxWidth},
		{"Embedding", o.Embedding, 0, maxWidth},
		{"Knots", o.Knots, 4, maxCount},
	} {
		if check.value < check.low || check.value > check.top {
			return o, fmt.Errorf("neural: %s=%d: must be %d to %d", check.name, check.value, check.low, check.top)
		}
	}
	if o.Dropout >= 1 {
		return o, fmt.Errorf("neural: Dropout=%v: must be below 1", o.Dropout)
	}
	return o, nil
}

// or sets a zero to its default.
func or[T int | float64](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}
