package boost

import (
	"context"

	"foretell/internal/learn/tree"
)

// duplicates maps rows to scores. Rows whose bins are all equal always have the
// same scores, which are stored once.
type duplicates struct {
	// index is the score index of each row; nil if it is the row's number. n is
	// the number of score indices.
	index []int32
	n     int
	// trainIndex are the score indices of the training rows, and firstRows one
	// row of each index in use.
	trainIndex, firstRows []int32
}

// dedupMinScores is the number of scores from which on they need so much memory
// that duplicate rows are looked for.
const dedupMinScores = 1 << 22

// findDuplicates returns the duplicates of the rows of bins, if there are
// enough scores and classes for it to pay off.
func findDuplicates(ctx context.Context, p *objective, bins *tree.BinnedMatrix, workers int) (duplicates, error) {
	if len(p.base) == 1 || bins.Rows*len(p.base) < dedupMinScores {
		return noDuplicates(p, bins.Rows), nil
	}
	index, n, err := bins.DuplicateRows(ctx, workers)
	if index == nil {
		return noDuplicates(p, bins.Rows), err
	}
	return newDuplicates(p, index, n), nil
}

func noDuplicates(p *objective, rows int) duplicates { return duplicates{n: rows, trainIndex: p.train} }

// newDuplicates returns the mapping of rows to n score indices.
func newDuplicates(p *objective, index []int32, n int) duplicates {
	t := duplicates{index: index, n: n}
	seen := make([]bool, n)
	addFirst := func(rows []int32) {
		for _, row := range rows {
			if at := index[row]; !seen[at] {
				seen[at] = true
				t.firstRows = append(t.firstRows, row)
			}
		}
	}
	addFirst(p.train)
	for _, row := range t.firstRows {
		t.trainIndex = append(t.trainIndex, index[row])
	}
	addFirst(p.eval)
	return t
}

// indexOf returns the score index of a row.
func (t *duplicates) indexOf(row int32) int32 {
	if t.index == nil {
		return row
	}
	return t.index[row]
}
