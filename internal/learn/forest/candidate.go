package forest

import (
	"bytes"
	"context"
	"math/rand/v2"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/spill"
)

// candidate is a forest while it grows: trees with the same growth parameters,
// and their votes.
type candidate struct {
	params    growthParams
	firstTree int           // index of the first tree in the forest
	trees     int           // number of trees that have voted
	stream    *spill.Stream // the trees in binary form
	eval      *votes        // votes on the rows of fold.Validation
	oob       *votes        // out-of-bag votes on rows of fold.Train
	oobError  oobError      // estimate for a large forest of these parameters
}

// oobError is the out-of-bag error of a forest: the Brier score, which has
// little variance, and the log loss, which one overconfident mistake may
// dominate.
type oobError struct{ brier, loss float64 }

// addTrees grows n trees and adds their votes. Each tree has its own random
// generator.
func (t *Fitter) addTrees(ctx context.Context, c *candidate, n int) error {
	first := c.firstTree + c.trees
	grown := make([]*forestTree, n)
	inBag := make([][]bool, n)
	nanos := make([]int, n)
	err := parallel.ForContext(ctx, t.opts.Workers, n, func(worker, i int) {
		g := t.grower(worker)
		rng := rand.New(rand.NewPCG(t.opts.Seed, uint64(first+i)))
		clear(g.inBag)
		rows := drawSample(g.sample[:0], g.inBag, t.fold.Train, t.frame.Labels, rng)
		inBag[i] = make([]bool, len(t.oobIndex))
		for row, index := range t.oobIndex {
			inBag[i][row] = g.inBag[index]
		}
		grown[i], nanos[i] = g.grow(ctx, rows, c.params, rng)
	})
	if err != nil {
		return err
	}
	if err := c.eval.add(ctx, t.opts.Workers, grown, nil); err != nil {
		return err
	}
	isInBag := func(i, row int) bool { return inBag[i][row] }
	if err := c.oob.add(ctx, t.opts.Workers, grown, isInBag); err != nil {
		return err
	}
	t.cost.add(grown, nanos, len(c.eval.trees)+int((1-sampleFraction)*float64(len(c.oob.trees))))
	packed := make([][]byte, n)
	err = parallel.ForContext(ctx, t.opts.Workers, n, func(worker, i int) {
		g := t.grower(worker)
		g.out.Reset()
		grown[i].write(&g.out, t.mappers)
		packed[i] = bytes.Clone(g.out.Data())
	})
	if err != nil {
		return err
	}
	for _, b := range packed {
		c.stream.Write(b)
	}
	c.trees += n
	return nil
}

// pilot grows a small forest and estimates the error of a large one.
func (t *Fitter) pilot(ctx context.Context, c *candidate) error {
	if err := t.addTrees(ctx, c, t.opts.pilotHalf); err != nil {
		return err
	}
	return t.double(ctx, c)
}

// double doubles the number of trees and estimates the error of a large forest.
// The excess error of n trees falls as 1/n, so it follows from the errors of
// the forest and of its halves:
//
//	error(∞) ≈ 2 error(n) - (error(first n/2) + error(last n/2)) / 2
//
// Without this estimate, parameters whose trees differ much would seem worse
// than they are. Only the out-of-bag votes of the halves are counted
// separately.
func (t *Fitter) double(ctx context.Context, c *candidate) error {
	last := &candidate{params: c.params, firstTree: c.trees, stream: c.stream, eval: c.eval, oob: c.oob.emptied(len(t.oobIndex))}
	if err := t.addTrees(ctx, last, c.trees); err != nil {
		return err
	}
	first, second := t.estimateError(c), t.estimateError(last)
	c.trees += last.trees
	c.oob.merge(last.oob)
	whole := t.estimateError(c)
	c.oobError.brier = 2*whole.brier - (first.brier+second.brier)/2
	c.oobError.loss = 2*whole.loss - (first.loss+second.loss)/2
	return nil
}

// estimateError returns the error of c's out-of-bag votes at the temperature
// fitted to them. The Brier score is the mean squared distance between
// probabilities and labels.
func (t *Fitter) estimateError(c *candidate) oobError {
	p := t.outOfBag(c, oobValues)
	t.fitTemperature(c).Apply(p.Probabilities, p.Classes)
	sum := 0.0
	for i, label := range p.Labels {
		for class, q := range p.Probabilities[i*p.Classes : (i+1)*p.Classes] {
			d := float64(q)
			if class == int(label) {
				d--
			}
			sum += d * d
		}
	}
	return oobError{brier: sum / float64(max(len(p.Labels), 1)), loss: metric.LogLoss(p)}
}

// grower returns the grower of a worker.
func (t *Fitter) grower(worker int) *grower {
	if t.growers[worker] == nil {
		t.growers[worker] = newGrower(t.bins, t.opts.Classes, sampleSize(len(t.fold.Train)))
		t.growers[worker].inBag = make([]bool, len(t.fold.Train))
	}
	return t.growers[worker]
}

// oobLabel returns the class of a row of the out-of-bag votes.
func (t *Fitter) oobLabel(row int) int32 { return t.frame.Labels[t.fold.Train[t.oobIndex[row]]] }
