package forest

import "math/bits"

// cost counts the operations of growing trees and voting. It depends only on the data,
// the options and the seed.
type cost struct {
	growNanos    int // nanoseconds
	nodeVisits   int // number of nodes that rows passed through on the way to a leaf, to vote
	fittedValues int // number of probabilities to which temperatures were fitted
}

// add adds the cost of growing trees and of their votes on the given number of rows. nanos holds,
// for each tree, the estimated time to find its splits.
func (c *cost) add(trees []*forestTree, nanos []int, rows int) {
	for i, t := range trees {
		c.growNanos += nanos[i] + 300*t.Leaves
		c.nodeVisits += rows * bits.Len(uint(t.Leaves))
	}
}

// nanos converts the counts to the estimated time in nanoseconds of one core of a 2-core
// server. The time to find splits was measured on leaves of 10 to 100,000 rows; the times of the
// other operations were measured on whole forests.
func (c cost) nanos() float64 {
	return float64(c.growNanos) + 8*float64(c.nodeVisits) + 180*float64(c.fittedValues)
}
