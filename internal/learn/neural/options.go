package neural

import (
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
	// Workers is the number of goroutines. The model does not depend on it. More than one
	// goroutine for each 128 rows of a batch does not make training faster. Defaults to
	// 1.
	Workers int
	// Workspaces is a pool of working memory that fitters may share. Defaults to a pool
	// that no other fitter shares.
	Workspaces *WorkspacePool
	// Steps is the number of calls of Step in which the learning-rate schedule is done.
	// The schedule does not depend on it. Defaults to 30. With more steps, training takes
	// longer if the network is evaluated after each step: up to a third.
	Steps int
	// Samples is the number of rows to train on in the whole schedule, counted again in
	// each epoch. Defaults to 64 epochs for up to 2,000 rows. For more rows it grows with
	// the cube root of the number of rows. This is 9 epochs for 36,000 rows, and 2 epochs
	// for 370,000 rows.
	Samples int
	// Members is the number of networks in the ensemble, from 1 to 64. Defaults
	// to 4.
	Members int
	// Width is the number of units of a hidden layer. Defaults to 192.
	Width int
	// Layers is the number of hidden layers, from 1 to 64. Defaults to 3.
	Layers int
	// Batch is the number of rows in each update of the weights. Defaults to an eighth of
	// the training rows, at least 32 and at most 256.
	Batch int
	// Rate is the maximum learning rate of the schedule. Defaults to 0.005.
	Rate float64
	// Decay is AdamW's weight decay of the weight matrices, relative to the maximum
	// learning rate. It falls with the learning rate, so that there is hardly any decay
	// in the last epochs. Defaults to 2.5 for up to 500 rows. For more rows the default
	// falls with the square root of the number of rows. A negative value means no decay.
	Decay float64
	// Dropout is the fraction of the hidden units that are dropped in a training step,
	// below 1. Defaults to 0.2. A negative value means no dropout.
	Dropout float64
	// Embedding is the number of outputs of a column's embedding. Defaults to 8, or to a
	// smaller number if more than 64 columns have embeddings.
	Embedding int
	// Knots is the largest number of knots of a numeric column, at least 4.
	// Defaults to 32.
	Knots int
}

// withDefaults returns o with the defaults for the given number of training
// rows.
func (o Options) withDefaults(rows int) (Options, error) {
	setDefault(&o.Workers, 1)
	if o.Workspaces == nil {
		o.Workspaces = &WorkspacePool{}
	}
	setDefault(&o.Steps, 30)
	setDefault(&o.Samples, defaultSamples(rows))
	setDefault(&o.Members, 4)
	setDefault(&o.Width, 192)
	setDefault(&o.Layers, 3)
	setDefault(&o.Batch, max(32, min(256, rows/8)))
	setDefault(&o.Rate, 0.005)
	setDefault(&o.Decay, 2.5*math.Sqrt(500/math.Max(500, float64(rows))))
	setDefault(&o.Dropout, 0.2)
	setDefault(&o.Knots, 32)
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

// defaultSamples returns the default of Options.Samples for the given number of training
// rows.
func defaultSamples(rows int) int {
	base := math.Min(float64(rows), 2000)
	return int(64 * base * math.Cbrt(float64(rows)/base))
}

// setDefault sets *field to value if *field is zero.
func setDefault[T int | float64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
