package boost

import (
	"context"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
)

// Fitter learns a model round by round. It is not safe for concurrent use.
type Fitter struct {
	problem problem
	grower  grower
	// kept is the number of rounds of the model to return, -1 for all.
	kept int
	// stride is the number of rounds a step takes.
	stride int
}

// stride returns how many rounds a step takes: several where one is over
// before its effect could be measured. It depends on the whole frame, not on
// the part to learn from, so that steps found on a part hold for all rows.
func stride(rows, classes int) int {
	const enough = 200_000
	return min(max(enough/max(rows*outputs(classes), 1), 1), 5)
}

// grower is one of the two ways to add trees.
type grower interface {
	// round adds trees to the ensemble and their values to the scores.
	round(ctx context.Context) (done bool, err error)
	// rounds is the number of rounds so far.
	rounds() int
	// work estimates the nanoseconds spent.
	work() float64
	// evaluate writes the probabilities of the rows to evaluate, row major.
	evaluate(dst []float32)
	// ensemble returns that of the first n rounds.
	ensemble(n int) ensemble
}

// NewLeafwise prepares a fitter that learns f's rows part.Train by leaf-wise
// trees and scores part.Eval.
func NewLeafwise(ctx context.Context, f *frame.Frame, part split.Part, opts Options) (*Fitter, error) {
	if err := check(f, part, &opts); err != nil {
		return nil, err
	}
	bins := opts.Bins
	if bins == nil {
		var err error
		if bins, err = tree.NewBinnedMatrix(ctx, f, tree.MaxBins, opts.Workers); err != nil {
			return nil, err
		}
	}
	opts.leafwiseDefaults(f.Rows, len(f.Columns))
	p := newProblem(f, part, opts.Classes)
	twins, err := findTwins(ctx, &p, bins, opts.Workers)
	if err != nil {
		return nil, err
	}
	return &Fitter{problem: p, grower: newLeafwise(newLoss(p, twins), bins, opts), kept: -1, stride: stride(f.Rows, opts.Classes)}, nil
}

// NewSymmetric prepares a fitter that learns f's rows part.Train by symmetric
// trees and scores part.Eval. If bins are given they should be cut into
// opts.Buckets buckets, that of the missing cells not counted.
func NewSymmetric(ctx context.Context, f *frame.Frame, part split.Part, opts Options) (*Fitter, error) {
	if err := check(f, part, &opts); err != nil {
		return nil, err
	}
	opts.symmetricDefaults(f.Rows, len(f.Columns))
	bins := opts.Bins
	if bins == nil {
		var err error
		if bins, err = tree.NewBinnedMatrix(ctx, f, opts.Buckets+1, opts.Workers); err != nil {
			return nil, err
		}
	}
	in, err := newInput(ctx, f, part.Train, bins, &opts)
	if err != nil {
		return nil, err
	}
	p := newProblem(f, part, opts.Classes)
	return &Fitter{problem: p, grower: newSymmetric(p, in, opts), kept: -1, stride: stride(f.Rows, opts.Classes)}, nil
}

// Step does a round of boosting, or a few on small data. done tells that no
// further round could improve on the rows to learn from. After an error the
// fitter is of no more use but for its Model.
func (t *Fitter) Step(ctx context.Context) (done bool, err error) {
	for range t.stride {
		if done, err = t.grower.round(ctx); done || err != nil {
			break
		}
	}
	return done, err
}

// Rounds returns the number of rounds done.
func (t *Fitter) Rounds() int { return t.grower.rounds() }

// Work estimates the work done so far in nanoseconds of one core, from the
// numbers of cells counted, bins scanned and rows moved alone: it is the same
// on every machine and in every run. Its factors were fitted to the shortest
// times of single rounds, one worker on an x86-64 server core of 2026.
func (t *Fitter) Work() float64 { return t.grower.work() }

// treeTime is the part of Work spent in growing n trees, of which a bin takes
// so long to scan.
func treeTime(w tree.Cost, n int, bin float64) float64 {
	return 0.8*float64(w.Counted) + bin*float64(w.Scanned) + 3*float64(w.Moved) + 15_000*float64(n)
}

// Probabilities writes the class probabilities of the rows to evaluate after
// the last step to dst: len(part.Eval) × classes, row major.
func (t *Fitter) Probabilities(dst []float32) { t.grower.evaluate(dst) }

// Keep remembers the present state as the one Model returns.
func (t *Fitter) Keep() { t.kept = t.grower.rounds() }

// Model returns the model as last kept, or as it is if Keep was never called.
func (t *Fitter) Model() *Model {
	n := t.kept
	if n < 0 {
		n = t.grower.rounds()
	}
	return &Model{classes: t.problem.classes, base: t.problem.base, ensemble: t.grower.ensemble(n)}
}
