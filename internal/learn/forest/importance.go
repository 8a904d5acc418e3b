package forest

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

const (
	// importanceTrees is the number of trees from which Importance estimates the importance.
	importanceTrees = 128
	// importanceParts is the number of parts into which Importance divides the rows. The standard
	// error is computed from the sums over the parts.
	importanceParts = 64
	// importanceUnit is the integer that represents a change of a probability by 1. Sums of
	// integers do not depend on the order of the trees.
	importanceUnit = 1 << 30
)

// Importance returns the importance of each feature of f for the labels, divided by its standard
// error. It is estimated on the given rows with extremely randomised trees.
//
// The importance is a sum over the splits by the feature and over the out-of-bag rows of each tree.
// Each summand is the probability of the row's true class at the child minus that at the parent.
// The importance of a feature that is unrelated to the label is not positive on average, no matter
// how many levels the feature has. If the sums were over the rows that the tree was trained on,
// they would be positive even for such a feature. See Li et al., A debiased MDI feature importance
// measure for random forests, NeurIPS 2019.
//
// The standard error follows from the sums over 64 parts of the rows. All rows of a group are in one
// part.
func Importance(ctx context.Context, f *frame.Frame, rows []int32, opts Options) ([]float64, error) {
	fitter, err := New(f, split.Fold{Train: rows}, opts)
	if err != nil {
		return nil, err
	}
	fitter.growers = make([]*grower, fitter.opts.Workers)
	space := searchSpace{rows: len(rows), features: len(opts.Bins.Features)}
	params, _ := fitter.opts.initialParams(space)
	enableExtraTrees(&params, space)
	sums := make([]atomic.Int64, len(opts.Bins.Features)*importanceParts)
	err = parallel.ForContext(ctx, fitter.opts.Workers, importanceTrees, func(worker, i int) {
		g, rng := fitter.grower(worker), rand.New(rand.NewPCG(opts.Seed, uint64(i)))
		clear(g.inBag)
		if t, _ := g.grow(ctx, fitter.drawRows(g, params, rng), params, rng); t != nil {
			g.addImportance(0, -1, sums, fitter.outOfBagRows(g.inBag))
		}
	})
	if err != nil {
		return nil, err
	}
	importance := make([]float64, len(opts.Bins.Features))
	for i := range importance {
		importance[i] = ratioToStandardError(sums[i*importanceParts : (i+1)*importanceParts])
	}
	return importance, nil
}

// ratioToStandardError returns the sum of sums divided by its standard error, or 0 if all are 0.
func ratioToStandardError(sums []atomic.Int64) float64 {
	total, squares, n := 0.0, 0.0, float64(len(sums))
	for i := range sums {
		x := float64(sums[i].Load())
		total += x
		squares += float64(x * x) // without a fused multiply-add, for the same result on every machine
	}
	if squares == 0 {
		return 0
	}
	variance := max(squares-total*total/n, 0) / (n - 1) // of one sum
	return total / math.Sqrt(n*variance)
}

// outOfBagRow is a row that a tree was not trained on.
type outOfBagRow struct {
	sampleRow
	part        int32
	probability int64 // of the row's true class at the parent, in units of 1/importanceUnit
}

// outOfBagRows returns the training rows that are not in the sample of a tree. inBag[i] reports
// whether the i-th training row is in it.
func (f *Fitter) outOfBagRows(inBag []bool) []outOfBagRow {
	var rows []outOfBagRow
	for i, row := range f.fold.Train {
		if inBag[i] {
			continue
		}
		part := int32(i)
		if f.opts.Groups != nil && f.opts.Groups[row] >= 0 {
			part = f.opts.Groups[row]
		}
		rows = append(rows, outOfBagRow{newSampleRow(row, f.frame.Labels[row]), part % importanceParts, 0})
	}
	return rows
}

// addImportance adds the importance of the features in the most recently grown tree, at the node
// with the given index and at all nodes below it. The importance of feature i for the rows of part
// j is added to sums[i*importanceParts+j]. splitFeature is the feature by which the parent is
// split, or -1 at the root. rows are the out-of-bag rows of the node. Their order changes.
func (g *grower) addImportance(index, splitFeature int32, sums []atomic.Int64, rows []outOfBagRow) {
	if len(rows) == 0 {
		return
	}
	n := &g.nodes[index]
	g.setLeaf(g.sample[n.lo:n.hi])
	for i := range rows {
		probability := importanceUnit * g.classTotals[rows[i].class()] / g.rows
		if splitFeature >= 0 {
			sums[splitFeature*importanceParts+rows[i].part].Add(probability - rows[i].probability)
		}
		rows[i].probability = probability
	}
	if n.left == 0 {
		return
	}
	feature := int32(n.best.feature)
	data := g.bins.Features[feature].Data
	left := 0
	for i, row := range rows {
		if n.best.leftBins.contains(data[row.row()]) {
			rows[i], rows[left] = rows[left], row
			left++
		}
	}
	g.addImportance(n.left, feature, sums, rows[:left])
	g.addImportance(n.right, feature, sums, rows[left:])
}
