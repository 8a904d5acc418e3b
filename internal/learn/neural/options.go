package neural

import (
	"fmt"
	"math"
)

// Options are the parameters of the learner. Zero values mean the default.
type Options struct {
	// Classes is the number of classes, 2…65535.
	Classes int
	// Seed starts every random choice: the same seed, data and options give
	// the same model.
	Seed uint64
	// Workers is the number of goroutines that learn and score. It never
	// changes the model; up to 4 are of use. Defaults to 1.
	Workers int
	// Steps is the number of steps the whole schedule is cut into. Defaults to
	// 100.
	Steps int
	// Samples is the number of times a row is learnt from, over the whole
	// schedule and all rows. Defaults to 256 passes for 2,000 rows or fewer;
	// beyond that it grows with the cube root of the rows.
	Samples int
	// Members is the number of networks learnt as one. Defaults to 8.
	Members int
	// Width is the number of units of a hidden layer. Defaults to 256.
	Width int
	// Layers is the number of hidden layers. Defaults to 3.
	Layers int
	// Batch is the number of rows of one update. Defaults to an eighth of the
	// training rows, at least 32 and at most 256, or 1,024 for large data.
	Batch int
	// Rate is the peak learning rate.
	Rate float64
	// Decay is AdamW's weight decay.
	Decay float64
	// Dropout is the share of hidden units left out of an update.
	Dropout   float64
	Smoothing float64
	// Embed is the number of outputs of a column's embedding.
	Embed int
	// OneHot is the largest number of levels that is encoded one column each.
	OneHot   int
	Average  float64
	Knots    int
	Schedule string
	Beta2    float64
	Tune     string
}

// withDefaults fills in what was left zero, for rows rows to learn from.
func (o Options) withDefaults(rows int) (Options, error) {
	if o.Classes < 2 || o.Classes > math.MaxUint16 {
		return o, fmt.Errorf("neural: Classes=%d: must be 2 to 65535", o.Classes)
	}
	or(&o.Workers, 1)
	or(&o.Steps, 100)
	or(&o.Samples, int(256*math.Min(float64(rows), 2000*math.Cbrt(float64(rows)/2000))))
	or(&o.Members, 8)
	or(&o.Width, 256)
	or(&o.Layers, 3)
	or(&o.Batch, max(32, min(256, rows/8)))
	or(&o.Embed, 8)
	or(&o.OneHot, 16)
	or(&o.Knots, 32)
	o.Batch = min(o.Batch, rows)
	if o.Rate == 0 {
		o.Rate = 2e-3
	}
	if o.Beta2 == 0 {
		o.Beta2 = 0.99
	}
	return o, nil
}

// or sets a number that is not positive to its default.
func or(n *int, def int) {
	if *n <= 0 {
		*n = def
	}
}
