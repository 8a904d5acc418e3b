package boost

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/spill"
	"foretell/internal/table/frame"
)

// Options configure training. The zero value of every field selects its default, except that Classes
// and Bins are required.
type Options struct {
	// Classes is the number of classes, at least 2.
	Classes int
	// Seed seeds the random choices.
	Seed uint64
	// Workers is the number of goroutines. The result does not depend on it.
	// Defaults to 1.
	Workers int
	// Bins holds the bins of the frame. Fitters of the same frame may share it. It is required.
	Bins *tree.BinnedMatrix
	// Workspaces is a pool of working memory. Fitters with the same number of classes and the same
	// options may share it. Defaults to a new pool.
	Workspaces *WorkspacePool
	// Disk is the temporary file that holds the trees until the model is used. If Disk is
	// nil, they are held in memory.
	Disk *spill.File
	// Groups holds the group of each row of the frame; a negative number means no group. In
	// symmetric trees, the target statistics for a row ignore the other rows of its group. If
	// Groups is nil, no row has a group.
	Groups []int32
	// Monotone holds, for each column, the direction in which the probability of class 1 may change
	// when the value in the column increases and all other columns stay the same. It requires two
	// classes. Categorical columns must have AnyOrder. Defaults to AnyOrder for all columns.
	Monotone []tree.Direction

	// Leaves is the largest number of leaves of a leaf-wise tree. By default, the number is chosen
	// from the data and may differ from round to round; see leafCounts.
	Leaves int
	// Buckets is the largest number of bins of a target statistic, between 2 and 254. It is required
	// for symmetric trees and not used for leaf-wise trees.
	Buckets int
	// The fields below have their defaults, except in tests.

	// depth is the number of levels of a symmetric tree. Defaults to a number
	// between 4 and 7 that increases with the numbers of rows and classes.
	depth int
	// learningRate is the fraction of a Newton step that a leaf takes. Defaults
	// to a number chosen from the data.
	learningRate float64
	// l2 is the penalty on the square of a leaf's value. Defaults to 0.3 for leaf-wise trees. For
	// symmetric trees, it defaults to 3 with two classes, and to 1 with more classes.
	l2 float64
	// minRows is the smallest number of rows in a leaf of a leaf-wise tree.
	// Defaults to a number chosen from the data.
	minRows int
	// featureFraction is the fraction of the features that a tree may use. The features are drawn
	// for each tree. Defaults to 0.35 for symmetric trees if there are at least 20 features, or at
	// least 10 features and at most four classes. In all other cases, it defaults to 1 for up to 6
	// features, to 0.7 for 7 to 9, and to 0.5 for 10 or more.
	featureFraction float64
	// rowFraction is the fraction of the rows that a leaf-wise tree is grown from. The rows are
	// drawn for each tree. Defaults to 100,000/rows, but at least 0.25 and at most 1.
	rowFraction float64

	// numLeafCounts is the number of leafCounts among which the rounds of leaf-wise trees
	// alternate. If it is 0, each tree has at most Leaves leaves.
	numLeafCounts int
}

// validate returns an error if f, fold or opts are invalid. It sets opts.Workers and
// opts.Workspaces to their defaults.
func validate(f *frame.Frame, fold split.Fold, opts *Options) error {
	switch {
	case opts.Classes < 2:
		return fmt.Errorf("boost: %d classes: must be at least 2", opts.Classes)
	case len(fold.Train) == 0:
		return errors.New("boost: no training rows")
	case len(f.Labels) != f.Rows:
		return fmt.Errorf("boost: %d labels for %d rows", len(f.Labels), f.Rows)
	case opts.Groups != nil && len(opts.Groups) != f.Rows:
		return fmt.Errorf("boost: %d groups for %d rows", len(opts.Groups), f.Rows)
	case opts.Bins == nil || opts.Bins.Rows != f.Rows || len(opts.Bins.Features) != len(f.Columns):
		return errors.New("boost: Options.Bins must be the bins of the frame")
	}
	if err := tree.CheckDirections(opts.Monotone, len(f.Columns), opts.Classes); err != nil {
		return fmt.Errorf("boost: %w", err)
	}
	for _, row := range fold.Train {
		if label := f.Labels[row]; label < 0 || int(label) >= opts.Classes {
			return fmt.Errorf("boost: label %d of row %d: must be a class below %d", label, row, opts.Classes)
		}
	}
	opts.Workers = max(opts.Workers, 1)
	if opts.Workspaces == nil {
		opts.Workspaces = &WorkspacePool{}
	}
	return nil
}

// Parameters of leaf-wise trees that are not options; see tree.Params.
const (
	minHessian = 1e-3
	catL2      = 10
	catSmooth  = 10
)

// The defaults, except leafCounts, were chosen by cross-validation on ten public data sets with 114
// to 370,524 rows. Unlike the forest, boosting does not search for parameters during training: all
// trees have the same parameters, except that the number of leaves changes from round to round; see
// leafCounts.

// leafwiseDefaults sets options to the defaults of leaf-wise trees for the table f. It changes only
// the options that are not set.
func (o *Options) leafwiseDefaults(f *frame.Frame) {
	rows := f.Rows
	o.commonDefaults(rows, len(f.Columns))
	setDefault(&o.l2, 0.3)
	// A tree grown from more rows than this is not more accurate.
	const enough = 100_000
	setDefault(&o.rowFraction, min(max(enough/float64(rows), 0.25), 1))
	if o.Leaves <= 0 {
		o.Leaves = max(10, int(math.Pow(float64(rows), 0.27)))
		o.numLeafCounts = numLeafCounts(f, o.Classes)
	}
	if o.minRows <= 0 {
		o.minRows = min(max(rows/20, 3), 20)
	}
}

// leafCounts are limits on the number of leaves of a tree, which the rounds use in turn. Which
// limit is best depends on the table: small trees suit a sum of functions of single features, and
// large trees suit interactions of many features. An ensemble of trees of all these sizes has
// almost the same log loss as an ensemble of trees of the best size; see the measurements in
// docs/experiments.md.
var leafCounts = [...]int{4, 8, 16, 32, 64, 128}

// numLeafCounts returns how many of the leafCounts are used for f. It returns 0, so that all trees
// have the same size, in these cases:
//
//   - All classes but the most frequent one have fewer than 2000 rows in total. Large trees then
//     fit the noise.
//   - There are more than 128 features. Large trees then need much memory, because each leaf that
//     may be split has a histogram of all features.
//
// Otherwise it returns len(leafCounts) or, in these cases, one less, so that the largest count is
// not used:
//
//   - There are more than 64 features. Trees of 128 leaves would then need much memory.
//   - There are more than two classes. A round then has a tree for each class. With 128 leaves it
//     would take longer, and the model would not be better.
func numLeafCounts(f *frame.Frame, classes int) int {
	const minMinorityRows, maxHistograms = 2000, 64 * 128
	n := len(leafCounts)
	if classes > 2 || leafCounts[n-1]*len(f.Columns) > maxHistograms {
		n--
	}
	if minorityRows(f.Labels, classes) < minMinorityRows || leafCounts[n-1]*len(f.Columns) > maxHistograms {
		return 0
	}
	return n
}

// leavesOfRound returns how many leaves the trees of a round may have. The first round is 0.
func (o *Options) leavesOfRound(round int) int {
	if o.numLeafCounts > 0 {
		return leafCounts[round%o.numLeafCounts]
	}
	return o.Leaves
}

// minorityRows returns the number of rows that are not of the most frequent class.
func minorityRows(labels []int32, classes int) int {
	counts := make([]int, classes)
	for _, label := range labels {
		if label >= 0 && int(label) < classes {
			counts[label]++
		}
	}
	all := 0
	for _, n := range counts {
		all += n
	}
	return all - slices.Max(counts)
}

// symmetricDefaults sets the defaults of symmetric trees for a table with the given numbers of rows
// and features. Symmetric trees fit the training rows less closely than leaf-wise trees. From a few
// thousand rows on, they are as accurate with twice the learning rate, and more accurate with fewer
// features per tree. With many classes, they are fitted to random projections of the derivatives
// (see sketchSize), and need a higher learning rate to converge in reasonable time.
func (o *Options) symmetricDefaults(rows, features int) {
	manyClasses := o.Classes > sketchSize
	size := float64(rows) * float64(numOutputs(o.Classes))
	if manyClasses {
		setDefault(&o.learningRate, min(max(0.05*math.Sqrt(size/25_000), 0.15), 0.2))
	} else {
		mid := min(max(0.1*math.Pow(size/10_000, 0.2), 0.1), 0.13)
		setDefault(&o.learningRate, min(max(0.1*math.Sqrt(size/150_000), mid), 0.2))
	}
	if features >= 20 || features >= 10 && !manyClasses {
		setDefault(&o.featureFraction, 0.35)
	}
	o.commonDefaults(rows, features)
	if o.Classes == 2 {
		setDefault(&o.l2, 3)
	}
	setDefault(&o.l2, 1)
	if o.depth <= 0 {
		o.depth = symmetricDepth(rows, manyClasses)
	}
}

// symmetricDepth returns the default number of levels. It grows with the number of rows, because
// each level halves the rows of a leaf. manyClasses reports whether there are more than sketchSize
// outputs.
func symmetricDepth(rows int, manyClasses bool) int {
	switch {
	case manyClasses && rows > 10_000:
		return 7
	case manyClasses || rows >= 20_000:
		return 6
	case rows >= 2000:
		return 5
	default:
		return 4
	}
}

// commonDefaults sets the defaults that are the same for leaf-wise and symmetric trees. The
// learning rate increases with the numbers of rows and classes, because rounds then take longer and
// a higher learning rate needs fewer rounds. If there are many features, each tree uses half of
// them: the more the trees differ from each other, the more accurate they are together. If there
// are few features, each tree uses all of them, because trees with k features cannot represent
// interactions of more than k features.
func (o *Options) commonDefaults(rows, features int) {
	size := float64(rows) * float64(numOutputs(o.Classes))
	setDefault(&o.learningRate, min(max(0.05*math.Pow(size/50_000, 0.35), 0.05), 0.15))
	fraction := 0.5
	switch {
	case features <= 6:
		fraction = 1
	case features < 10:
		fraction = 0.7
	}
	setDefault(&o.featureFraction, fraction)
}

// setDefault sets *field to value if *field is zero or negative.
func setDefault(field *float64, value float64) {
	if *field <= 0 {
		*field = value
	}
}
