package boost

import (
	"errors"
	"fmt"
	"math"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/scratch"
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
	Bins *tree.BinnedMatrix
	// Room is memory to be shared with other fitters, of the same number of
	// classes and the same options. Defaults to the fitter's own.
	Room *Room
	// Disk is where trees wait until the model is used. Defaults to memory.
	Disk *scratch.Disk

	// Leaves is the largest number of leaves of a leaf-wise tree. Defaults to
	// a number chosen from the data.
	Leaves int
	// Depth is the number of splits of a symmetric tree. Defaults to 4 up to 7,
	// more with more rows and classes.
	Depth int
	// Buckets is the number of bins of numeric features and target statistics
	// for symmetric trees, at least 2 and at most 254. Defaults to 128.
	Buckets int
	// LearningRate is what part of a Newton step a leaf takes. Defaults to a
	// number chosen from the data.
	LearningRate float64
	// L2 is the penalty on the square of a leaf's value. Defaults to 0.3 for
	// leaf-wise trees, and for symmetric ones to 3 with two classes, 1 with more.
	L2 float64
	// MinRows is the smallest number of rows in a leaf of a leaf-wise tree.
	// Defaults to a number chosen from the data.
	MinRows int
	// FeatureFraction is the part of the features that a tree may use, drawn
	// anew for each. Defaults to a half, 0.35 for symmetric trees if
	// there are at least 20 features, 10 for few classes, 0.7 if fewer than ten.
	FeatureFraction float64
	// RowFraction is the part of the rows that a leaf-wise tree is grown from,
	// drawn anew for each. Defaults to 1 up to 100,000 rows and falls to 0.25.
	RowFraction float64
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
	if opts.Room == nil {
		opts.Room = &Room{}
	}
	return nil
}

// Penalties of leaf-wise trees; see tree.Params.
const (
	minHessian = 1e-3
	catL2      = 10
	catSmooth  = 10
)

// The defaults were chosen on folds of ten public data sets of 114 to 370,524
// rows. None is critical: halving or doubling one moves the log loss by about
// one part in a hundred.

// leafwiseDefaults fills in what was left open for data of so many rows and
// features.
func (o *Options) leafwiseDefaults(rows, features int) {
	o.commonDefaults(rows, features)
	set(&o.L2, 0.3)
	// Large data is no better for seeing every row in every tree.
	const plenty = 100_000
	set(&o.RowFraction, min(max(plenty/float64(rows), 0.25), 1))
	if o.Leaves <= 0 {
		o.Leaves = max(10, int(math.Pow(float64(rows), 0.27)))
	}
	if o.MinRows <= 0 {
		o.MinRows = min(max(rows/20, 3), 20)
	}
}

// symmetricDefaults does the same for symmetric trees. They fit less closely,
// so that steps twice as long do no harm on a few thousand rows already, and
// trees that see a third of the features are better than those that see half;
// those of many classes learn from projections, and their rounds would have no
// end.
func (o *Options) symmetricDefaults(rows, features int) {
	many := o.Classes > mostSketched
	size := float64(rows) * float64(outputs(o.Classes))
	if many {
		set(&o.LearningRate, min(max(0.05*math.Sqrt(size/25_000), 0.15), 0.2))
	} else {
		middle := min(max(0.1*math.Pow(size/10_000, 0.2), 0.1), 0.13)
		set(&o.LearningRate, min(max(0.1*math.Sqrt(size/150_000), middle), 0.2))
	}
	if features >= 20 || features >= 10 && !many {
		set(&o.FeatureFraction, 0.35)
	}
	o.commonDefaults(rows, features)
	if o.Classes == 2 {
		set(&o.L2, 3)
	}
	set(&o.L2, 1)
	if o.Depth <= 0 {
		o.Depth = symmetricDepth(rows, many)
	}
	if o.Buckets <= 0 {
		o.Buckets = 128
	}
	o.Buckets = min(max(o.Buckets, 2), tree.MaxBins-1)
}

// symmetricDepth returns the number of levels for so many rows. A level more
// doubles the leaves, so that a few thousand rows are spread thin over them.
func symmetricDepth(rows int, many bool) int {
	switch {
	case many && rows > 10_000:
		return 7
	case many || rows >= 20_000:
		return 6
	case rows >= 2000:
		return 5
	default:
		return 4
	}
}

// commonDefaults fills in what both ways share: more rows and classes make
// rounds dearer, so that fewer and larger steps have to do; trees that see half
// of the features differ more, unless there are hardly any.
func (o *Options) commonDefaults(rows, features int) {
	size := float64(rows) * float64(outputs(o.Classes))
	set(&o.LearningRate, min(max(0.05*math.Pow(size/50_000, 0.35), 0.05), 0.15))
	if features < 10 {
		set(&o.FeatureFraction, 0.7)
	}
	set(&o.FeatureFraction, 0.5)
}

// set gives an open field its default.
func set(field *float64, value float64) {
	if *field <= 0 {
		*field = value
	}
}
