package boost

import (
	"errors"
	"fmt"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
)

// Options choose how to learn. Zero is the default of every field but Classes.
type Options struct {
	// Classes is the number of classes, at least 2.
	Classes int
	// Seed makes the random choices.
	Seed uint64
	// Workers is the number of goroutines to use; the result does not depend
	// on it. Defaults to 1.
	Workers int
	// Bins is the frame cut into bins, to be shared by the fitters of one
	// frame. Defaults to bins of the fitter's own.
	Bins *tree.Bins

	// Leaves is the largest number of leaves of a leaf-wise tree. Defaults to
	// a number chosen from the data.
	Leaves int
	// Depth is the number of splits of a symmetric tree. Defaults to 6.
	Depth int
	// Buckets is the number of bins of numeric features and target statistics
	// for symmetric trees, at least 2 and at most 254. Defaults to 128.
	Buckets int
	// LearningRate is what part of a Newton step a leaf takes. Defaults to a
	// number chosen from the data.
	LearningRate float64
	// L2 is the penalty on the square of a leaf's value. Defaults to 1 for
	// leaf-wise trees and 3 for symmetric ones.
	L2 float64
	// MinRows is the smallest number of rows in a leaf of a leaf-wise tree.
	// Defaults to a number chosen from the data.
	MinRows int
	// RowFraction and FeatureFraction are the parts of the rows and of the
	// features that a tree may see, drawn anew for each round. They default to
	// numbers chosen from the data.
	RowFraction, FeatureFraction float64

	// bootstrap is the power to which the exponential weights of the rows are
	// raised when symmetric trees are grown.
	bootstrap float64
}

// check tells what is wrong with what a fitter is made of.
func check(f *frame.Frame, part split.Part, opts *Options) error {
	switch {
	case opts.Classes < 2:
		return fmt.Errorf("boost: %d classes: must be at least 2", opts.Classes)
	case len(part.Train) == 0:
		return errors.New("boost: no rows to learn from")
	case len(f.Labels) != f.Rows:
		return fmt.Errorf("boost: %d labels for %d rows", len(f.Labels), f.Rows)
	case opts.Bins != nil && (opts.Bins.Rows != f.Rows || len(opts.Bins.Features) != len(f.Columns)):
		return errors.New("boost: the bins are those of another frame")
	}
	for _, row := range part.Train {
		if label := f.Labels[row]; label < 0 || int(label) >= opts.Classes {
			return fmt.Errorf("boost: label %d of row %d: must be a class below %d", label, row, opts.Classes)
		}
	}
	opts.Workers = max(opts.Workers, 1)
	return nil
}

const (
	minHessian = 1e-3
	catL2      = 10
	catSmooth  = 10
)

// leafwiseDefaults fills in what was left open for rows rows.
func (o *Options) leafwiseDefaults(rows int) {
	set(&o.LearningRate, 0.1)
	set(&o.L2, 1)
	set(&o.RowFraction, 1)
	set(&o.FeatureFraction, 1)
	if o.Leaves <= 0 {
		o.Leaves = 31
	}
	if o.MinRows <= 0 {
		o.MinRows = 20
	}
}

// symmetricDefaults fills in what was left open for rows rows.
func (o *Options) symmetricDefaults(rows int) {
	set(&o.LearningRate, 0.1)
	set(&o.L2, 3)
	set(&o.FeatureFraction, 1)
	o.bootstrap = 1
	if o.Depth <= 0 {
		o.Depth = 6
	}
	if o.Buckets <= 0 {
		o.Buckets = 128
	}
	o.Buckets = min(max(o.Buckets, 2), tree.MaxBins-1)
}

// set gives an open field its default.
func set(field *float64, value float64) {
	if *field <= 0 {
		*field = value
	}
}
