package neural

import (
	"math"

	"foretell/internal/learn/kernel"
)

const (
	share     = 128   // rows of a batch that are worth a worker of their own
	chunk     = 16384 // parameters updated by one task
	longest   = 1.0   // length to which longer gradients are cut
	warmup    = 0.05  // of the schedule: the rate rises linearly
	memory    = 0.02  // of the schedule: how far back the average of the weights reaches
	hidden    = 0.01  // share of category cells hidden in learning
	beta1     = 0.9   // of Adam
	beta2     = 0.99
	epsilon   = 1e-8
	golden    = 0x9e3779b97f4a7c15 // spreads counters over seeds
	noiseStep = 1 << 32            // keeps the layers' dropout apart
)

// optimiser is what AdamW remembers.
type optimiser struct {
	first, second []float32
	spans         []span
	norms         []float64 // squared lengths of the gradient in the spans
	steps         int
}

func newOptimiser(l *layout) *optimiser {
	spans := l.spans(chunk)
	return &optimiser{
		first:  make([]float32, l.params),
		second: make([]float32, l.params),
		spans:  spans,
		norms:  make([]float64, len(spans)),
	}
}

// update learns from one batch: the gradient of each share is taken, the
// shares are added in order, the weights take a step, their average follows.
// A batch whose gradient is not finite changes nothing.
func (t *Fitter) update(rows []int32) {
	t.pack(t.params)
	lanes, grads := t.desk.lanes, t.desk.grads
	min(t.team, team(len(lanes))).each(len(grads), func(worker, i int) {
		share := rows[i*len(rows)/len(grads) : (i+1)*len(rows)/len(grads)]
		state := t.opts.Seed + uint64(t.batches*len(grads)+i)*golden
		n := &noise{cells: state, hidden: hidden, drop: uint8(t.opts.Dropout * 256), units: state}
		a := lanes[worker]
		a.grad = grads[i]
		a.learn(&t.desk.packed, batch{t.f, share, 1 / float32(len(rows))}, n)
	})
	length := t.reduce()
	t.samples += len(rows)
	t.batches++
	if math.IsNaN(length) || math.IsInf(length, 0) {
		return
	}
	t.descend(length)
}

// reduce adds the shares' gradients to the first one's and returns the length
// of their sum.
func (t *Fitter) reduce() float64 {
	o, grad := t.learner, t.desk.grads[0]
	t.team.each(len(o.spans), func(_, i int) {
		lo, hi := o.spans[i].lo, o.spans[i].hi
		for _, other := range t.desk.grads[1:] {
			kernel.Axpy(grad[lo:hi], other[lo:hi], 1)
		}
		o.norms[i] = kernel.SumSquares(grad[lo:hi])
	})
	sum := 0.0
	for _, n := range o.norms {
		sum += n
	}
	return math.Sqrt(sum)
}

// descend takes a step against the gradient, which has the given length.
func (t *Fitter) descend(length float64) {
	o, grad := t.learner, t.desk.grads[0]
	o.steps++
	now := schedule(float64(t.samples) / float64(t.opts.Samples))
	rate := t.opts.Rate * now
	adam := kernel.Adam{Rate: float32(rate), Beta1: beta1, Beta2: beta2, Epsilon: epsilon, Step: o.steps}
	// A plain mean until there is as much to remember as memory asks for.
	window := memory * float64(t.opts.Samples) / float64(t.opts.Batch)
	blend := float32(1 / math.Max(1, math.Min(window, float64(o.steps))))
	t.team.each(len(o.spans), func(_, i int) {
		lo, hi := o.spans[i].lo, o.spans[i].hi
		adam := adam
		if o.spans[i].decays {
			adam.Decay = float32(rate * t.opts.Decay * now)
		}
		if length > longest {
			kernel.Scale(grad[lo:hi], float32(longest/length))
		}
		adam.Update(t.params[lo:hi], o.first[lo:hi], o.second[lo:hi], grad[lo:hi])
		kernel.Blend(t.mean[lo:hi], t.params[lo:hi], blend)
	})
}

// schedule is the learning rate, relative to the highest, when done (0…1) of
// the samples have been learnt: a short rise, then half a cosine down to
// nothing (Loshchilov and Hutter 2017).
func schedule(done float64) float64 {
	if done < warmup {
		return done / warmup
	}
	return 0.5 * (1 + math.Cos(math.Pi*min(1, (done-warmup)/(1-warmup))))
}
