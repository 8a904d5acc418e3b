package forest

import "math/rand/v2"

// recipe is how trees are to be grown.
type recipe struct {
	leaves     int  // most leaves
	minLeaf    int  // least rows of a leaf
	candidates int  // features tried at each leaf
	drawn      bool // cuts are drawn, not searched for
	byClass    bool // levels are put in order by the classes they hold, not by lot
}

// fraction of the rows that a tree learns from. It is a little more than what
// a bootstrap draws (1 - 1/e of the rows), without rows that count twice:
// subsampling as in Bühlmann and Yu, Analyzing bagging (2002).
const fraction = 0.7

// sampled is the number of rows that a tree learns from, of so many.
func sampled(rows int) int { return max(int(fraction*float64(rows)), 1) }

// sample draws that fraction of the rows, at least one, each at most once. It
// appends them to dst in their order and marks them in seen, by their place
// among rows.
func sample(dst []entry, seen []bool, rows, labels []int32, rng *rand.Rand) []entry {
	left := sampled(len(rows))
	for i, row := range rows {
		if left == 0 {
			break
		}
		if int(rng.Uint32N(uint32(len(rows)-i))) < left {
			left--
			seen[i] = true
			dst = append(dst, newEntry(row, labels[row]))
		}
	}
	return dst
}

// scope is what bounds the moves.
type scope struct {
	rows, features int
	rarest         int  // rows of the smallest class that has two or more
	categories     bool // whether a feature has levels worth ordering
}

// move changes a recipe in one direction. It returns false where there is
// nowhere to go.
type move func(r *recipe, in scope) bool

// coarser makes leaves larger: better where labels are noisy. Yet the rows of
// a class that fill no leaf are outvoted in every tree: an average loss hardly
// tells, so the rarest class bounds the leaves.
func coarser(r *recipe, in scope) bool {
	r.minLeaf = 5*r.minLeaf/2 + 1
	return 4*r.minLeaf <= in.rows && 4*r.minLeaf <= in.rarest
}

// widest is how many features a leaf may choose from where there are more:
// of thousands, most of the time would go into those that do not matter.
const widest = 160

// wider offers more features to a leaf: better where few of them matter.
func wider(r *recipe, in scope) bool {
	before := r.candidates
	r.candidates = min(2*r.candidates, in.features, max(widest, before))
	return r.candidates > before
}

// informed orders levels by their classes: better where there are many levels
// and many rows of each, worse where that is chasing noise.
func informed(r *recipe, in scope) bool {
	before := r.byClass
	r.byClass = true
	return in.categories && !before
}

// byChance draws cuts instead of searching: better where classes meet at
// smooth borders.
func byChance(r *recipe, _ scope) bool {
	before := r.drawn
	r.drawn = true
	return !before
}
