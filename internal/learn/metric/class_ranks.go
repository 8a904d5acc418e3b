package metric

import (
	"context"
	"math"
	"slices"
)

// classRanks holds the ranks from which the areas under the curves of consecutive classes are
// computed. For each different probability that the rows of a class have, it counts the rows of the
// rest, the other classes. restRows.equal counts the rows of the rest with this probability.
// restRows.below counts the rows of the rest between this probability and the next lower
// probability of a row of the class:
//
//	probability          0.1   0.2   0.3   0.4   0.5   0.6   0.7
//	rows of the class           1           2     1
//	rows of the rest      5     3     2     1           4     6
//	below, equal              5, 3        2, 1  0, 0
//
// Only the rows of each class are sorted. With many classes, this is much faster than sorting all
// rows for each class.
type classRanks struct {
	first int // the first class
	// keys are the rank keys of the rows of the classes, in ascending order of the class and then
	// of the probability of the class; see classKey. The keys of class first+i begin at starts[i].
	keys   []uint64
	starts []int
	rest   []restRows // of each key
	rows   int        // number of rows of the table
}

// restRows counts rows of other classes for one row of the class; see classRanks. If several rows
// of the class have equal probabilities, only the first of them has counts.
type restRows struct {
	below int32 // rows whose probability is between the probability of the key before and the probability of this key
	equal int32 // rows with the same probability
}

// rankBlockRows is the number of rows that are compared with one class after another. It is small, so
// that both the rows and the keys of the class are in the cache.
const rankBlockRows = 64

// newClassRanks returns the ranks of n classes, beginning with the class first. newClassRanks
// returns an error only if ctx is cancelled.
func newClassRanks(ctx context.Context, p Predictions, first, n int) (classRanks, error) {
	r := classRanks{first: first, starts: make([]int, n+1), rows: len(p.Labels)}
	r.setKeys(p)
	for begin := 0; begin < r.rows; begin += rankBlockRows {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		for class := first; class < first+n; class++ {
			r.addRest(p, class, begin, min(begin+rankBlockRows, r.rows))
		}
	}
	return r, ctx.Err()
}

// setKeys sets r.keys and r.starts from the rows of p, and sets all counts in r.rest to 0.
func (r *classRanks) setKeys(p Predictions) {
	classes := len(r.starts) - 1
	for _, label := range p.Labels {
		if i := int(label) - r.first; i >= 0 && i < classes {
			r.starts[i+1]++
		}
	}
	for i := range classes {
		r.starts[i+1] += r.starts[i]
	}
	r.keys, r.rest = make([]uint64, 0, r.starts[classes]), make([]restRows, r.starts[classes])
	for row, label := range p.Labels {
		if class := int(label); class >= r.first && class < r.first+classes {
			r.keys = append(r.keys, classKey(class, p.row(row)[class]))
		}
	}
	slices.Sort(r.keys)
}

// classKey returns a number below 2⁶³ by which the rows of the classes are sorted in ascending
// order of the class and then of the probability.
func classKey(class int, probability float32) uint64 {
	// See Predictions.rankKey.
	return uint64(class)<<32 | uint64(math.Float32bits(max(probability, 0)))
}

// addRest adds the rows begin…end-1 to the counts of the class in r.rest, except the rows that are
// of this class.
func (r *classRanks) addRest(p Predictions, class, begin, end int) {
	keys, rest := r.of(class)
	if len(keys) == 0 {
		return
	}
	labels, probabilities := p.Labels[begin:end], p.Probabilities[begin*p.Classes+class:]
	for i, label := range labels {
		key := classKey(class, probabilities[i*p.Classes])
		if int(label) == class {
			continue
		}
		at := 0
		if key > keys[0] { // for a good model, this is rare
			at = searchKeys(keys, key)
		}
		switch {
		case at == len(keys):
		case keys[at] == key:
			rest[at].equal++
		default:
			rest[at].below++
		}
	}
}

// searchKeys returns the index of the first key that is at least key, or len(keys). All keys must
// be below 2⁶³. It does a binary search without branches, because a processor could not predict
// them.
func searchKeys(keys []uint64, key uint64) (at int) {
	for n := len(keys); n > 0; {
		half := (n + 1) / 2
		below := int(int64(keys[at+half-1]-key) >> 63) // -1 if the key in the middle is below key, or else 0
		at += half & below
		n -= half
	}
	return at
}

// of returns the keys of class and the counts of each key.
func (r *classRanks) of(class int) (keys []uint64, rest []restRows) {
	begin, end := r.starts[class-r.first], r.starts[class-r.first+1]
	return r.keys[begin:end], r.rest[begin:end]
}

// areaUnderROC computes the same as rocAreaOfClass for class.
func (r *classRanks) areaUnderROC(class int) float64 {
	keys, rest := r.of(class)
	positive, negative := len(keys), r.rows-len(keys)
	if positive == 0 || negative == 0 {
		return math.NaN()
	}
	won, below := 0.0, int64(0) // below is the number of rows of the rest with lower probabilities
	for i := 0; i < len(keys); {
		first := i
		for i < len(keys) && keys[i] == keys[first] {
			i++
		}
		below += int64(rest[first].below)
		won += float64(i-first) * (float64(below) + float64(rest[first].equal)/2)
		below += int64(rest[first].equal)
	}
	return won / (float64(positive) * float64(negative))
}

// averagePrecision computes the same as AveragePrecision for class.
func (r *classRanks) averagePrecision(class int) float64 {
	keys, rest := r.of(class)
	predicted, right, sum := float64(r.rows-len(keys)), 0.0, 0.0
	for _, n := range rest {
		predicted -= float64(n.below) + float64(n.equal)
	}
	for end := len(keys); end > 0; {
		begin := end - 1
		for begin > 0 && keys[begin-1] == keys[begin] {
			begin--
		}
		run := float64(end - begin) // rows of the class in the current tie
		predicted += run + float64(rest[begin].equal)
		right += run
		sum += run * right / predicted
		predicted += float64(rest[begin].below)
		end = begin
	}
	if right == 0 || right == float64(r.rows) {
		return math.NaN()
	}
	return sum / right
}
