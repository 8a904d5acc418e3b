package forest

import (
	"bytes"
	"context"
	"math/rand/v2"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/tree"
	"foretell/internal/scratch"
)

// crowd is a forest while it grows: trees of one recipe and their votes.
type crowd struct {
	recipe recipe
	first  int           // number of the first tree in the forest
	trees  int           // that have voted
	tape   *scratch.Tape // their binary form
	eval   *jury         // the rows of part.Eval
	oob    *jury         // rows of part.Train, on which only those trees vote that have not seen them
	fault  fault         // expected of a large forest like this
}

// fault is how wrong a forest is, in two ways: the Brier score, which is steady,
// and the log loss, which one bold mistake may decide.
type fault struct{ brier, loss float64 }

// join grows more trees and lets them vote. Each tree draws from a generator
// of its own.
func (t *Fitter) join(ctx context.Context, c *crowd, trees int) error {
	first := c.first + c.trees
	members := make([]*member, trees)
	seen := make([][]bool, trees)
	spent := make([]int, trees)
	err := tree.Parallel(ctx, t.opts.Workers, trees, func(worker, i int) {
		g := t.grower(worker)
		rng := rand.New(rand.NewPCG(t.opts.Seed, uint64(first+i)))
		clear(g.drawn)
		rows := sample(g.sample[:0], g.drawn, t.part.Train, t.frame.Labels, rng)
		seen[i] = make([]bool, len(t.places))
		for row, place := range t.places {
			seen[i][row] = g.drawn[place]
		}
		members[i], spent[i] = g.grow(ctx, rows, c.recipe, rng)
	})
	if err != nil {
		return err
	}
	if err := c.eval.hear(ctx, t.opts.Workers, members, nil); err != nil {
		return err
	}
	learned := func(i, row int) bool { return seen[i][row] }
	if err := c.oob.hear(ctx, t.opts.Workers, members, learned); err != nil {
		return err
	}
	t.effort.add(members, spent, len(c.eval.size)+int((1-fraction)*float64(len(c.oob.size))))
	packed := make([][]byte, trees)
	err = tree.Parallel(ctx, t.opts.Workers, trees, func(worker, i int) {
		g := t.grower(worker)
		g.packing = members[i].encode(g.packing[:0], t.cuts)
		packed[i] = bytes.Clone(g.packing)
	})
	if err != nil {
		return err
	}
	for _, b := range packed {
		c.tape.Write(b)
	}
	c.trees += trees
	return nil
}

// audition grows a small forest and estimates the error of a large one.
func (t *Fitter) audition(ctx context.Context, c *crowd) error {
	if err := t.join(ctx, c, t.opts.half); err != nil {
		return err
	}
	return t.double(ctx, c)
}

// double grows as many trees again as there are and estimates the error of a
// large forest. What the error of n trees has in excess falls as 1/n, so from
// the whole and its halves
//
//	error(∞) ≈ 2 error(n) - (error(first n/2) + error(last n/2)) / 2
//
// Without this a recipe whose trees differ much would seem worse than it is. Only
// the out-of-bag votes of the halves are told apart.
func (t *Fitter) double(ctx context.Context, c *crowd) error {
	last := &crowd{recipe: c.recipe, first: c.trees, tape: c.tape, eval: c.eval, oob: c.oob.dismissed(len(t.places))}
	if err := t.join(ctx, last, c.trees); err != nil {
		return err
	}
	first, second := t.fault(c), t.fault(last)
	c.trees += last.trees
	c.oob.merge(last.oob)
	whole := t.fault(c)
	c.fault.brier = 2*whole.brier - (first.brier+second.brier)/2
	c.fault.loss = 2*whole.loss - (first.loss+second.loss)/2
	return nil
}

// fault returns that of the out-of-bag votes at the temperature that suits
// them. The Brier score is the mean squared distance between probabilities and
// truth.
func (t *Fitter) fault(c *crowd) fault {
	p := t.outOfBag(c, oobCells)
	t.temperature(c).Apply(p.Probabilities, p.Classes)
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
	return fault{brier: sum / float64(max(len(p.Labels), 1)), loss: metric.LogLoss(p)}
}

// grower returns the one of a worker.
func (t *Fitter) grower(worker int) *grower {
	if t.growers[worker] == nil {
		t.growers[worker] = newGrower(t.bins, t.opts.Classes, sampled(len(t.part.Train)))
		t.growers[worker].drawn = make([]bool, len(t.part.Train))
	}
	return t.growers[worker]
}

// oobLabel returns the class of a row of the out-of-bag juries.
func (t *Fitter) oobLabel(row int) int32 { return t.frame.Labels[t.part.Train[t.places[row]]] }
