package neural

import (
	"cmp"
	"fmt"
	"math"
)

// Options are the hyperparameters of the network. The zero value of every field
// but Classes selects its default.
type Options struct {
	// Classes is the number of classes, from 2 to 65,535.
	Classes int
	// Seed seeds the random choices.
	Seed uint64
	// Workers is the number of goroutines. The model does not depend on it. Training does not
	// become faster with more than one goroutine per 128 rows of a batch. Defaults to 1.
	Workers int
	// Workspaces is a pool of working memory that several fitters may share. Defaults to a new
	// pool.
	Workspaces *WorkspacePool
	// ScheduleFactor multiplies the number of epochs of the whole schedule. Defaults to 1.
	ScheduleFactor int
	// decay is AdamW's weight decay of the weight matrices at the maximum learning rate.
	// withDefaults sets it to 2.5 for up to 500 rows, and to 2.5·√(500/rows) for more rows. During
	// training, the decay decreases together with the learning rate.
	decay float64
	// The fields below have their defaults, except in tests.

	// steps is the number of calls of Step that complete the learning-rate schedule if it is not
	// doubled. The learning rates do not depend on steps. Defaults to 30.
	steps int
	// samples is the number of rows to train on in a schedule that is not doubled, counted again in
	// each epoch. Defaults to 64 epochs for up to 2,000 rows. For more rows, the default grows with
	// the cube root of the number of rows: 9 epochs for 36,000 rows, and 2 epochs for 370,000 rows.
	// ScheduleFactor multiplies the default.
	samples int
	// members is the number of networks in the ensemble. Defaults to 4.
	members int
	// width is the number of units of a hidden layer. Defaults to 192.
	width int
	// layers is the number of hidden layers. Defaults to 3.
	layers int
	// batch is the number of rows in each update of the weights. Defaults to an eighth of
	// the training rows, at least 32 and at most 256.
	batch int
	// embedding is the number of outputs of a column's embedding. Defaults to 8, or to a
	// smaller number if more than 64 columns have embeddings.
	embedding int
	// knots is the largest number of knots of a numeric column. It must be at least 4, and
	// defaults to 32.
	knots int
}

const (
	// maxRate is the maximum learning rate of the schedule.
	maxRate = 0.005
	// dropRate/256, about 0.2, is the fraction of the hidden units that are dropped in a
	// training step.
	dropRate = 51
)

// withDefaults returns o with the defaults for the given number of training
// rows.
func (o Options) withDefaults(rows int) (Options, error) {
	if o.Classes < 2 || o.Classes > math.MaxUint16 {
		return o, fmt.Errorf("neural: Classes=%d: must be between 2 and %d", o.Classes, math.MaxUint16)
	}
	o.Workers = max(o.Workers, 1)
	if o.Workspaces == nil {
		o.Workspaces = &WorkspacePool{}
	}
	// With more steps, training takes up to a third longer if the network is evaluated after each.
	o.steps = cmp.Or(o.steps, 30)
	o.samples = cmp.Or(o.samples, cmp.Or(o.ScheduleFactor, 1)*defaultSamples(rows))
	o.members = cmp.Or(o.members, 4)
	o.width = cmp.Or(o.width, 192)
	o.layers = cmp.Or(o.layers, 3)
	o.batch = min(cmp.Or(o.batch, max(32, min(256, rows/8))), rows)
	o.knots = cmp.Or(o.knots, 32)
	o.decay = 2.5 * math.Sqrt(500/math.Max(500, float64(rows)))
	return o, nil
}

// defaultSamples returns the default of Options.samples for the given number of training
// rows and the ScheduleFactor 1.
func defaultSamples(rows int) int {
	base := math.Min(float64(rows), 2000)
	return int(64 * base * math.Cbrt(float64(rows)/base))
}
