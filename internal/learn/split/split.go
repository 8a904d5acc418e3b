// Package split divides labelled rows for training and validation: stratified holdouts, folds and
// parts, and the validation plan of a race, which uses holdouts and folds.
//
// All results depend only on the arguments: the same sample and seed produce the same rows on every
// machine. The order of the rows in a sample does not matter.
//
// If a class has a single row, this row is a training row of every fold and never a validation row,
// because otherwise no row of the class would be left to train on. This does not apply to a sample
// that is divided by time: classes play no role there, and even the only row of a class may be a
// validation row.
//
// Rows that belong together, such as the rows of one customer, are kept together if they have the
// same group in Sample.Groups. Rows that are ordered in time are divided by time if their times are
// in Sample.Times.
package split

import (
	"math/rand/v2"
	"slices"
)

// Fold is a division of rows into training and validation rows. Both slices
// hold row indices in ascending order. No row is in both.
type Fold struct {
	// Train are the rows to train on.
	Train []int32
	// Validation are the rows that are scored after each step and not trained
	// on. If it is empty, there are no scores.
	Validation []int32
}

// Sample is a set of labelled rows to divide. It is read-only.
type Sample struct {
	// Rows are the indices of the rows, each at most once, in any order; nil
	// means every row of Labels.
	Rows []int32
	// Labels holds the class of each row of the table, indexed by row; each
	// is in [0, Classes).
	Labels []int32
	// Classes is the number of classes, with or without rows in the sample.
	Classes int
	// Groups holds the group of each row of the table; a negative number means no group.
	// All rows of a group are on the same side of every division. If Groups is nil, no
	// rows belong together.
	Groups []int32
	// Times holds the time of each row of the table, in any unit, NaN if unknown. Only
	// NewValidationPlan and AssignCrossFitFolds use Times. In the plan of NewValidationPlan,
	// validation and test rows are then later than the rows to train on. If Times is nil, the order
	// of the rows does not matter.
	Times []float64
}

// shuffledRowsByClass returns the sample's rows class by class, each list in an order
// drawn from rng.
func (s Sample) shuffledRowsByClass(rng *rand.Rand) [][]int32 {
	lists := make([][]int32, s.Classes)
	for _, row := range s.sortedRows() {
		class := s.Labels[row]
		lists[class] = append(lists[class], row)
	}
	for _, rows := range lists {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	return lists
}

// sortedRows returns a new slice of the sample's rows in ascending order.
func (s Sample) sortedRows() []int32 {
	if s.Rows != nil {
		rows := slices.Clone(s.Rows)
		slices.Sort(rows)
		return rows
	}
	return Range(0, len(s.Labels))
}

// holdoutStream and foldStream select the random stream of Holdout and of Folds, so that
// one seed may be used for both.
const (
	holdoutStream = 0x686f6c64
	foldStream    = 0x666f6c64
)

func newGenerator(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream))
}
