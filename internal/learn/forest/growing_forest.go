package forest

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/spill"
)

// growingForest is a forest that is still growing. It holds its trees, which have the same growth
// parameters, and the votes of these trees.
type growingForest struct {
	params          growthParams
	firstTree       int           // number of the first tree, which seeds its random generator; see doubleAndEstimateError
	trees           int           // number of trees so far
	stream          *spill.Stream // the trees in binary form
	validationVotes *votes        // votes on the rows of fold.Validation
	oobVotes        *votes        // out-of-bag votes on rows of fold.Train; unused if params.allRows
	oobError        oobError      // estimated error of a large forest with these parameters
}

// oobError is the out-of-bag error of a forest. Forests are compared mainly by the Brier score,
// because it has little variance, whereas a single overconfident mistake can dominate the log loss.
type oobError struct {
	uncalibratedBrier float64
	brier, logLoss    float64 // of probabilities that are calibrated by a temperature
	logTemperature    float64 // natural logarithm of this temperature
}

// addTrees grows n trees, and adds these trees and their votes to forest. Each tree has
// its own random generator.
func (f *Fitter) addTrees(ctx context.Context, forest *growingForest, n int) error {
	first := forest.firstTree + forest.trees
	grown := make([]*forestTree, n)
	inBag := make([][]bool, n)
	nanos := make([]int, n)
	err := parallel.ForContext(ctx, f.opts.Workers, n, func(worker, i int) {
		g := f.grower(worker)
		rng := rand.New(rand.NewPCG(f.opts.Seed, uint64(first+i)))
		clear(g.inBag)
		rows := f.drawRows(g, forest.params, rng)
		if !forest.params.allRows {
			inBag[i] = make([]bool, len(f.oobIndex))
			for row, index := range f.oobIndex {
				inBag[i][row] = g.inBag[index]
			}
		}
		grown[i], nanos[i] = g.grow(ctx, rows, forest.params, rng)
	})
	if err != nil {
		return err
	}
	if err := forest.validationVotes.addTrees(ctx, f.opts.Workers, grown, nil); err != nil {
		return err
	}
	voted := len(forest.validationVotes.trees)
	if !forest.params.allRows {
		isInBag := func(i, row int) bool { return inBag[i][row] }
		if err := forest.oobVotes.addTrees(ctx, f.opts.Workers, grown, isInBag); err != nil {
			return err
		}
		voted += int((1 - sampleFraction) * float64(len(forest.oobVotes.trees)))
	}
	f.cost.add(grown, nanos, voted)
	packed := make([][]byte, n)
	err = parallel.ForContext(ctx, f.opts.Workers, n, func(worker, i int) {
		g := f.grower(worker)
		g.out.Reset()
		grown[i].write(&g.out, f.mappers)
		packed[i] = bytes.Clone(g.out.Data())
	})
	if err != nil {
		return err
	}
	for _, b := range packed {
		forest.stream.Write(b)
	}
	forest.trees += n
	return nil
}

// drawRows returns the rows that a tree is grown from: a sample of the training rows or, if
// params.allRows is set, all of them. It sets g.inBag if it draws a sample. The result uses the
// memory of g.sample.
func (f *Fitter) drawRows(g *grower, params growthParams, rng *rand.Rand) []sampleRow {
	rows, labels := f.fold.Train, f.frame.Labels
	switch {
	case params.allRows:
		dst := g.sample[:0]
		for _, row := range rows {
			dst = append(dst, newSampleRow(row, labels[row]))
		}
		return dst
	case f.opts.Groups == nil:
		return drawSample(g.sample[:0], g.inBag, rows, labels, rng)
	default:
		return drawGroups(g.sample[:0], g.inBag, rows, labels, f.opts.Groups, rng)
	}
}

// maxTreeRows returns the largest number of rows that drawRows returns.
func (f *Fitter) maxTreeRows() int {
	if f.opts.Groups == nil && !f.opts.usesExtraTrees {
		return sampleSize(len(f.fold.Train))
	}
	return len(f.fold.Train)
}

// growPilot grows a pilot forest, which must be empty, and estimates the error
// of a large forest with the same parameters.
func (f *Fitter) growPilot(ctx context.Context, forest *growingForest) error {
	if err := f.addTrees(ctx, forest, f.opts.pilotHalf); err != nil {
		return err
	}
	return f.doubleAndEstimateError(ctx, forest)
}

// doubleAndEstimateError doubles the number of trees and estimates the error of a large forest. The
// error of n trees exceeds the error of a large forest by an amount proportional to 1/n. The error
// of a large forest thus follows from the errors of all trees and of each half of the trees:
//
//	error(∞) ≈ 2 error(n) - (error(first n/2) + error(last n/2)) / 2
//
// This holds for the Brier score before calibration. After calibration, the estimate is too high,
// above all if the trees are very different from each other: the temperature hides a part of the
// error of few trees, so that adding trees seems to reduce the error less than it does. Without
// calibration, the estimate is too high for a forest that needs calibration. The lower of the two
// estimates is therefore used.
//
// Adding trees helps more if the trees are very different from each other. Without this
// extrapolation, growth parameters that produce such trees would seem worse than they are.
// Out-of-bag votes are counted separately for the two halves of the trees; validation votes are
// not.
func (f *Fitter) doubleAndEstimateError(ctx context.Context, forest *growingForest) error {
	lastHalf := &growingForest{params: forest.params, firstTree: forest.trees, stream: forest.stream, validationVotes: forest.validationVotes, oobVotes: forest.oobVotes.newEmpty(len(f.oobIndex))}
	if err := f.addTrees(ctx, lastHalf, forest.trees); err != nil {
		return err
	}
	first, err := f.estimateError(ctx, forest)
	if err != nil {
		return err
	}
	second, err := f.estimateError(ctx, lastHalf)
	if err != nil {
		return err
	}
	forest.trees += lastHalf.trees
	forest.oobVotes.merge(lastHalf.oobVotes)
	whole, err := f.estimateError(ctx, forest)
	if err != nil {
		return err
	}
	ofLargeForest := func(whole, first, second float64) float64 { return 2*whole - (first+second)/2 }
	brier := min(ofLargeForest(whole.brier, first.brier, second.brier),
		ofLargeForest(whole.uncalibratedBrier, first.uncalibratedBrier, second.uncalibratedBrier))
	forest.oobError = oobError{
		brier:          max(brier, 0), // with few rows, the estimate may be negative
		logLoss:        max(ofLargeForest(whole.logLoss, first.logLoss, second.logLoss), 0),
		logTemperature: ofLargeForest(whole.logTemperature, first.logTemperature, second.logTemperature),
	}
	return nil
}

// estimateError returns the error of the out-of-bag predictions of forest. The temperature is
// fitted to the same predictions.
func (f *Fitter) estimateError(ctx context.Context, forest *growingForest) (oobError, error) {
	p := f.outOfBagPredictions(forest, maxOOBValues)
	temperature, err := f.fitTemperature(ctx, forest)
	if err != nil {
		return oobError{}, err
	}
	uncalibrated := metric.Brier(p)
	temperature.Apply(p.Probabilities, p.Classes)
	return oobError{uncalibratedBrier: uncalibrated, brier: metric.Brier(p), logLoss: metric.LogLoss(p), logTemperature: math.Log(float64(temperature))}, nil
}

func (f *Fitter) grower(worker int) *grower {
	if f.growers[worker] == nil {
		f.growers[worker] = newGrower(f.bins, f.opts.Classes, f.maxTreeRows())
		f.growers[worker].inBag = make([]bool, len(f.fold.Train))
		f.growers[worker].monotone = f.opts.Monotone
	}
	return f.growers[worker]
}

// oobLabel returns the class of a row with out-of-bag votes. row is an index in
// f.oobIndex.
func (f *Fitter) oobLabel(row int) int32 { return f.frame.Labels[f.fold.Train[f.oobIndex[row]]] }
