package forest

import (
	"context"
	"math/rand/v2"

	"foretell/internal/learn/tree"
)

// crowd is a forest while it grows: trees of one recipe and their votes.
type crowd struct {
	recipe  recipe
	first   int // number of the first member in the forest
	members []*member
	eval    *jury   // the rows of part.Eval
	oob     *jury   // rows of part.Train, on which only those trees vote that have not seen them
	error   float64 // expected of a large forest like this
}

// join grows more trees and lets them vote. Each tree draws from a generator
// of its own.
func (t *Fitter) join(ctx context.Context, c *crowd, trees int) error {
	first := c.first + len(c.members)
	members := make([]*member, trees)
	seen := make([][]bool, trees)
	spent := make([]int, trees)
	err := tree.Parallel(ctx, t.opts.Workers, trees, func(worker, i int) {
		g := t.grower(worker)
		rng := rand.New(rand.NewPCG(t.opts.Seed, uint64(first+i)))
		seen[i] = make([]bool, len(t.part.Train))
		rows := sample(g.sample[:0], seen[i], t.part.Train, t.frame.Labels, rng)
		members[i], spent[i] = g.grow(ctx, rows, c.recipe, rng)
	})
	if err != nil {
		return err
	}
	if err := c.eval.hear(ctx, t.opts.Workers, members, nil); err != nil {
		return err
	}
	learned := func(i, row int) bool { return seen[i][t.places[row]] }
	if err := c.oob.hear(ctx, t.opts.Workers, members, learned); err != nil {
		return err
	}
	c.members = append(c.members, members...)
	t.effort.add(members, spent, len(c.eval.size)+int((1-fraction)*float64(len(c.oob.size))))
	return nil
}

// audition grows a small forest and estimates the error of a large one. What
// the error of n trees has in excess falls as 1/n, so from the whole and its
// halves
//
//	error(∞) ≈ 2 error(n) - (error(first n/2) + error(last n/2)) / 2
//
// Without this a recipe whose trees differ much would seem worse than it is.
func (t *Fitter) audition(ctx context.Context, c *crowd) error {
	if err := t.join(ctx, c, t.opts.half); err != nil {
		return err
	}
	last := t.newCrowd(c.recipe)
	last.first = len(c.members)
	if err := t.join(ctx, last, t.opts.half); err != nil {
		return err
	}
	halves := t.brier(c) + t.brier(last)
	c.members = append(c.members, last.members...)
	c.eval.merge(last.eval)
	c.oob.merge(last.oob)
	c.error = 2*t.brier(c) - halves/2
	return nil
}

// brier returns the Brier score of the out-of-bag votes at the temperature
// that suits them: the mean squared distance between probabilities and truth.
func (t *Fitter) brier(c *crowd) float64 {
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
	return sum / float64(max(len(p.Labels), 1))
}

// grower returns the one of a worker.
func (t *Fitter) grower(worker int) *grower {
	if t.growers[worker] == nil {
		t.growers[worker] = newGrower(t.bins, t.opts.Classes, len(t.part.Train))
	}
	return t.growers[worker]
}

// oobLabel returns the class of a row of the out-of-bag juries.
func (t *Fitter) oobLabel(row int) int32 { return t.frame.Labels[t.part.Train[t.places[row]]] }
