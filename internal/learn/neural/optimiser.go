package neural

import (
	"errors"
	"math"

	"foretell/internal/learn/kernel"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
)

const (
	minPartRows           = 128   // a part of a batch has at least this number of rows, unless the batch is smaller
	maxRangeParams        = 16384 // largest number of parameters updated by one task
	maxGradNorm           = 1.0   // longer gradients are scaled to this norm
	warmupFraction        = 0.05  // fraction of the schedule in which the learning rate rises linearly
	averageWindowFraction = 0.02  // fraction of the schedule over which weights are averaged
	cellMaskRate          = 0.01  // fraction of the values of categorical columns that training treats as unknown
	beta1                 = 0.9   // beta1, beta2 and epsilon are parameters of Adam
	beta2                 = 0.99
	epsilon               = 1e-8
	layerStateStep        = 1 << 32 // separates the random numbers of the layers' dropout
)

// optimiser is the state of AdamW. The fields first and second hold, for each parameter,
// the moving averages of the gradient and of its square.
type optimiser struct {
	first, second []float32
	ranges        []paramRange
	squares       []float64 // sum of squares of the gradient, by range
	steps         int
}

func newOptimiser(l *layout) *optimiser {
	ranges := l.splitParams(maxRangeParams)
	return &optimiser{
		first:   make([]float32, l.params),
		second:  make([]float32, l.params),
		ranges:  ranges,
		squares: make([]float64, len(ranges)),
	}
}

// trainBatch trains on one batch. It adds up the gradients of the parts of the batch, and updates
// the weights and their moving average. If the gradient is not finite, it returns errDiverged and
// does not change the weights.
func (f *Fitter) trainBatch(rows []int32) error {
	f.packParams(f.params)
	backprops, grads := f.workspace.backprops, f.workspace.grads
	parallel.For(min(f.workers, len(backprops)), len(grads), func(worker, i int) {
		part := rows[i*len(rows)/len(grads) : (i+1)*len(rows)/len(grads)]
		state := f.opts.Seed + uint64(f.batches*len(grads)+i)*rng.Gamma
		drop := &dropout{cellState: state, maskRate: cellMaskRate, dropRate: dropRate, unitState: state}
		bp := backprops[worker]
		bp.grad = grads[i]
		bp.computeGradient(&f.workspace.packed, batchPart{f.frame, part, 1 / float32(len(rows))}, drop)
	})
	norm := f.sumGradients()
	f.samples += len(rows)
	f.batches++
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return errDiverged
	}
	f.updateWeightsAndAverage(norm)
	return nil
}

// errDiverged is the error of a fitter whose weights have become so large that
// no gradient can be computed.
var errDiverged = errors.New("neural: training diverged: a gradient is not finite")

// sumGradients sets f.workspace.grads[0] to the sum of the gradients of all parts of the
// batch. It returns the norm of the sum.
func (f *Fitter) sumGradients() (norm float64) {
	o, grad := f.optimiser, f.workspace.grads[0]
	parallel.For(f.workers, len(o.ranges), func(_, i int) {
		lo, hi := o.ranges[i].lo, o.ranges[i].hi
		for _, other := range f.workspace.grads[1:] {
			kernel.Axpy(grad[lo:hi], other[lo:hi], 1)
		}
		o.squares[i] = kernel.SumSquares(grad[lo:hi])
	})
	sum := 0.0
	for _, n := range o.squares {
		sum += n
	}
	return math.Sqrt(sum)
}

// updateWeightsAndAverage does a step of AdamW with the gradient in f.workspace.grads[0]. norm is
// the norm of the gradient. If norm exceeds maxGradNorm, the gradient is scaled down to this limit.
// updateWeightsAndAverage also updates the average of the weights.
func (f *Fitter) updateWeightsAndAverage(norm float64) {
	o, grad := f.optimiser, f.workspace.grads[0]
	o.steps++
	now := f.schedule.learningRateFactor(f.samples)
	rate := maxRate * now
	adam := kernel.Adam{Rate: float32(rate), Beta1: beta1, Beta2: beta2, Epsilon: epsilon, Step: o.steps}
	// Until the window is full, the average is the mean of the weights after each step so far.
	window := averageWindowFraction * f.schedule.totalSamples() / float64(f.opts.batch)
	weight := float32(1 / math.Max(1, math.Min(window, float64(o.steps))))
	parallel.For(f.workers, len(o.ranges), func(_, i int) {
		lo, hi := o.ranges[i].lo, o.ranges[i].hi
		adam := adam
		if o.ranges[i].decay {
			adam.Decay = float32(rate * f.opts.decay * now)
		}
		if norm > maxGradNorm {
			kernel.Scale(grad[lo:hi], float32(maxGradNorm/norm))
		}
		adam.Update(f.params[lo:hi], o.first[lo:hi], o.second[lo:hi], grad[lo:hi])
		kernel.Lerp(f.mean[lo:hi], f.params[lo:hi], weight)
	})
}
