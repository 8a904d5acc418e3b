package boost

import (
	"context"

	"foretell/internal/learn/tree"
)

// twins tells which rows always have the same scores, because no tree tells them
// apart: they have one place.
type twins struct {
	// places are the rows' own, nil if each row's is its number; there are n.
	places []int32
	n      int
	// learnt are the places of the rows to learn from, and leaders one row of
	// each place in use.
	learnt, leaders []int32
}

// manyScores is the number of scores from which on they take so much memory that
// twins are looked for.
const manyScores = 1 << 22

// findTwins returns the twins of a problem's rows in bins, if there are so many
// scores that it pays.
func findTwins(ctx context.Context, p *problem, bins *tree.BinnedMatrix, workers int) (twins, error) {
	if len(p.base) == 1 || bins.Rows*len(p.base) < manyScores {
		return noTwins(p, bins.Rows), nil
	}
	places, n, err := bins.DuplicateRows(ctx, workers)
	if places == nil {
		return noTwins(p, bins.Rows), err
	}
	return newTwins(p, places, n), nil
}

func noTwins(p *problem, rows int) twins { return twins{n: rows, learnt: p.train} }

// newTwins returns the twins of a problem whose rows have n places.
func newTwins(p *problem, places []int32, n int) twins {
	t := twins{places: places, n: n}
	led := make([]bool, n)
	lead := func(rows []int32) {
		for _, row := range rows {
			if place := places[row]; !led[place] {
				led[place] = true
				t.leaders = append(t.leaders, row)
			}
		}
	}
	lead(p.train)
	for _, row := range t.leaders {
		t.learnt = append(t.learnt, places[row])
	}
	lead(p.eval)
	return t
}

// place returns that of a row.
func (t *twins) place(row int32) int32 {
	if t.places == nil {
		return row
	}
	return t.places[row]
}
