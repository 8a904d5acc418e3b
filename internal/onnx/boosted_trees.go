package onnx

// BoostedTreesBuilder collects the trees of gradient boosting. The graph adds their scores one tree
// after another in float32, as the engine does. A single TreeEnsemble would add them in float64,
// which changes the scores by a few millionths.
//
// A round adds a number to each score. A group of rounds is one ensemble, which has an
// output for each round and score. CumSum adds these outputs in order:
//
//	rows × rounds·scores → rows × rounds × scores → sums of the first 1, 2, 3 … rounds
type BoostedTreesBuilder struct {
	scores         int
	groups         []*TreeEnsemble
	roundsPerGroup int // number of rounds in a group
	rounds         int
}

// maxGroupTargets is the maximum number of outputs of an ensemble of several rounds. With more
// outputs, each row needs more memory. With fewer outputs, there are more ensembles, and ONNX
// Runtime 1.16 to 1.19 take seconds to optimise a graph that adds the scores of many ensembles.
const maxGroupTargets = 2048

// NewBoostedTreesBuilder returns a builder with one round, which adds base to the scores. base
// holds the scores before the first round of boosting.
func NewBoostedTreesBuilder(base []float32) *BoostedTreesBuilder {
	b := &BoostedTreesBuilder{scores: len(base), roundsPerGroup: max(1, maxGroupTargets/len(base))}
	e, first := b.NextRound()
	weights := make([]Weight, len(base))
	for k, score := range base {
		weights[k] = Weight{first + k, float64(score)}
	}
	e.EndTree(e.AddLeaf(weights...))
	return b
}

// NextRound begins a round. The caller must add the trees of the round to e. A leaf must add its
// value for score i to the output firstOutput+i of e.
func (b *BoostedTreesBuilder) NextRound() (e *TreeEnsemble, firstOutput int) {
	at := b.rounds % b.roundsPerGroup
	if at == 0 {
		b.groups = append(b.groups, NewTreeEnsemble(0))
	}
	b.rounds++
	e = b.groups[len(b.groups)-1]
	e.targets += b.scores
	return e, at * b.scores
}

// AddBoostedTrees adds trees to the graph and returns the scores of the rows of x as float64.
// b must not be used afterwards.
func (g *Graph) AddBoostedTrees(b *BoostedTreesBuilder, x Value) Value {
	var scores Value // the scores after the groups so far: rows × 1 × scores
	axis := []Attribute{IntAttribute("axis", 1)}
	for i, e := range b.groups {
		rounds := g.Op("Reshape", g.AddTrees(e, x), g.ConstInt64s([]int{-1, e.targets / b.scores, b.scores}, 3))
		last := e.targets/b.scores - 1
		if i > 0 {
			rounds = g.OpWithAttributes("Concat", axis, scores, rounds)
			last++
		}
		sums := g.Op("CumSum", rounds, g.ConstInt64s([]int{1}))
		scores = g.OpWithAttributes("Gather", axis, sums, g.ConstInt64s([]int{last}, 1))
	}
	return g.ToFloat64(g.ToMatrix(scores, b.scores))
}
