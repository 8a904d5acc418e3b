package forest

import "math/bits"

// effort estimates what growing and hearing trees takes. It follows from the
// data and the seed alone.
type effort struct {
	growing int // nanoseconds
	hops    int // nodes passed by rows on their way to a leaf
	fitted  int // probabilities that temperatures were fitted to
}

// add counts members that took spent nanoseconds each to grow and were heard
// on rows.
func (e *effort) add(members []*member, spent []int, rows int) {
	for i, m := range members {
		e.growing += spent[i] + 300*m.Leaves
		e.hops += rows * bits.Len(uint(m.Leaves))
	}
}

// nanoseconds is what all of it takes on one core of the 2-core server whose
// times were used: per split search as benchmarked on leaves of 10 to 100,000
// rows, the rest on whole forests.
func (e effort) nanoseconds() float64 {
	return float64(e.growing) + 8*float64(e.hops) + 180*float64(e.fitted)
}
