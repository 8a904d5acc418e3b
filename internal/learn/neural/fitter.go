package neural

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"foretell/internal/frame"
	"foretell/internal/learn/kernel"
	"foretell/internal/learn/split"
)

const (
	lanes      = 4     // parts of a batch learnt side by side
	blockSize  = 16384 // parameters updated by one task
	scoreBlock = 128   // rows scored by one task
	clip       = 1.0   // largest length of the gradient
)

// Fitter learns one network. It is not safe for concurrent use.
type Fitter struct {
	f    *frame.Frame
	part split.Part
	opts Options
	e    *encoder
	l    *layout

	params, first, second, mean []float32 // weights, Adam's moments, the averaged weights
	grad                        []float32
	norms                       []float64
	learning, scoring           *packed
	lanes                       []*lane
	passes                      []*pass
	order                       []int32
	next                        int // place in order
	shuffle                     *rand.Rand
	samples, batches            int // done so far
	step                        int
	average                     float64
	kept                        []float32
	perBatch                    float64
}

// New prepares a fitter that learns f's rows part.Train and scores part.Eval.
func New(f *frame.Frame, part split.Part, opts Options) (*Fitter, error) {
	if len(part.Train) == 0 {
		return nil, errors.New("neural: no rows to learn from")
	}
	o, err := opts.withDefaults(len(part.Train))
	if err != nil {
		return nil, err
	}
	t := &Fitter{f: f, part: part, opts: o, shuffle: rand.New(rand.NewPCG(o.Seed, 1))}
	t.e = fitEncoder(f, part.Train, limits{o.Embed, o.OneHot, o.Knots})
	t.l = newLayout(t.e, o.Members, o.Layers, o.Width, o.Classes)
	t.params = t.l.initialise(t.e, rand.New(rand.NewPCG(o.Seed, 2)))
	t.mean = slices.Clone(t.params)
	t.first, t.second = make([]float32, t.l.params), make([]float32, t.l.params)
	t.grad = make([]float32, t.l.params)
	t.norms = make([]float64, (t.l.params+blockSize-1)/blockSize)
	t.learning = newPacked(t.l, t.params, true)
	t.scoring = newPacked(t.l, t.mean, false)
	for range lanes {
		t.lanes = append(t.lanes, newLane(t.l, t.e, (o.Batch+lanes-1)/lanes))
	}
	t.order = slices.Clone(part.Train)
	t.next = len(t.order)
	t.perBatch = t.l.work(o.Batch)
	return t, nil
}

// Step learns the next part of the schedule.
func (t *Fitter) Step(ctx context.Context) (done bool, err error) {
	if t.step >= t.opts.Steps {
		return true, nil
	}
	until := int(math.Round(float64(t.step+1) / float64(t.opts.Steps) * float64(t.opts.Samples)))
	for t.samples < until {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		t.update(t.batch())
	}
	t.step++
	return t.step >= t.opts.Steps, nil
}

// batch returns the rows to learn from next.
func (t *Fitter) batch() []int32 {
	if t.next+t.opts.Batch > len(t.order) {
		t.shuffle.Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
		t.next = 0
	}
	rows := t.order[t.next : t.next+t.opts.Batch]
	t.next += t.opts.Batch
	return rows
}

// update learns from one batch.
func (t *Fitter) update(rows []int32) {
	t.each(t.learning.tasks(), func(i int) { t.learning.pack(t.l, t.e, i) })
	tgt := target{labels: t.f.Labels, smoothing: float32(t.opts.Smoothing), share: 1 / float32(len(rows))}
	t.each(lanes, func(i int) {
		n := noisy{drop: uint8(t.opts.Dropout * 256), state: t.opts.Seed ^ uint64(t.batches*lanes+i)*0x9e3779b97f4a7c15}
		n.cells = noise{state: n.state, share: 1 << 32 / 100}
		t.lanes[i].learn(t.learning, t.f, rows[i*len(rows)/lanes:(i+1)*len(rows)/lanes], &n, tgt)
	})
	t.each(len(t.norms), func(i int) {
		lo, hi := i*blockSize, min((i+1)*blockSize, t.l.params)
		copy(t.grad[lo:hi], t.lanes[0].grad[lo:hi])
		for _, a := range t.lanes[1:] {
			kernel.Axpy(t.grad[lo:hi], a.grad[lo:hi], 1)
		}
		t.norms[i] = kernel.SumSquares(t.grad[lo:hi])
	})
	norm := 0.0
	for _, n := range t.norms {
		norm += n
	}
	norm = math.Sqrt(norm)
	t.samples += len(rows)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return
	}
	t.batches++
	rate := t.opts.Rate * schedule(t.opts.Schedule, float64(t.samples)/float64(t.opts.Samples))
	adam := kernel.Adam{
		Rate: float32(rate), Beta1: 0.9, Beta2: float32(t.opts.Beta2), Epsilon: 1e-8,
		Decay: float32(rate * t.opts.Decay), Step: t.batches,
	}
	blend := float32(1)
	if t.opts.Average > 0 {
		blend = float32(math.Max(1/float64(t.batches), 1/(t.opts.Average*float64(t.opts.Samples)/float64(t.opts.Batch))))
	}
	t.each(len(t.norms), func(i int) {
		lo, hi := i*blockSize, min((i+1)*blockSize, t.l.params)
		if norm > clip {
			kernel.Scale(t.grad[lo:hi], float32(clip/norm))
		}
		adam.Update(t.params[lo:hi], t.first[lo:hi], t.second[lo:hi], t.grad[lo:hi])
		kernel.Blend(t.mean[lo:hi], t.params[lo:hi], blend)
	})
}

func schedule(kind string, p float64) float64 {
	p = math.Min(p, 1)
	switch kind {
	case "coslog4":
		return 0.5 * (1 - math.Cos(2*math.Pi*math.Log2(1+15*p)))
	case "const":
		return math.Min(1, p/0.02)
	case "flatcos":
		if p < 0.5 {
			return math.Min(1, p/0.02)
		}
		return 0.5 * (1 + math.Cos(math.Pi*(2*p-1)))
	}
	if p < 0.05 {
		return p / 0.05
	}
	return 0.5 * (1 + math.Cos(math.Pi*(p-0.05)/0.95))
}

// Probabilities writes the class probabilities of the Eval rows after the last
// step to dst, row major.
func (t *Fitter) Probabilities(dst []float32) {
	rows := t.part.Eval
	t.each(t.scoring.tasks(), func(i int) { t.scoring.pack(t.l, t.e, i) })
	blocks := (len(rows) + scoreBlock - 1) / scoreBlock
	free := make(chan *pass, t.opts.Workers)
	for len(t.passes) < t.opts.Workers {
		t.passes = append(t.passes, newPass(t.l, t.e, scoreBlock))
	}
	for _, p := range t.passes {
		free <- p
	}
	t.each(blocks, func(i int) {
		p := <-free
		lo, hi := i*scoreBlock, min((i+1)*scoreBlock, len(rows))
		p.forward(t.scoring, t.f, rows[lo:hi], nil)
		p.probabilities(dst[lo*t.l.classes:], hi-lo)
		free <- p
	})
}

// each runs task for 0…n-1 on the workers.
func (t *Fitter) each(n int, task func(i int)) {
	workers := min(t.opts.Workers, n)
	if workers <= 1 {
		for i := range n {
			task(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				task(i)
			}
		})
	}
	wg.Wait()
}

// Keep remembers the averaged weights as the ones Model returns.
func (t *Fitter) Keep() { t.kept = append(t.kept[:0], t.mean...) }

// Model returns the network as last kept, the present one if it never was.
func (t *Fitter) Model() *Model {
	params := t.kept
	if params == nil {
		params = t.mean
	}
	return newModel(t.e, t.l, slices.Clone(params))
}

func (t *Fitter) Params() int { return t.l.params }
func (t *Fitter) Inputs() int { return t.l.inputs }

// Work estimates the work done so far in nanoseconds of one core.
func (t *Fitter) Work() float64 { return float64(t.batches) * t.perBatch }
