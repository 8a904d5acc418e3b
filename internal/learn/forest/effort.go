package forest

import "math/bits"

// effort counts what growing and hearing trees takes. Its counts follow from
// the data and the seed alone.
type effort struct {
	cells  int // rows × features looked at in search of splits
	leaves int
	hops   int // nodes passed by rows on their way to a leaf
	fitted int // probabilities that temperatures were fitted to
}

// add counts members that looked at visited cells each and were heard on rows.
func (e *effort) add(members []*member, visited []int, rows int) {
	for i, m := range members {
		e.cells += visited[i]
		e.leaves += m.Leaves
		e.hops += rows * bits.Len(uint(m.Leaves))
	}
}

// nanoseconds weighs the counts by what they took on one core of a
// 2 GHz server.
func (e effort) nanoseconds() float64 {
	return 5*float64(e.cells) + 100*float64(e.leaves) + 3*float64(e.hops) + 100*float64(e.fitted)
}
