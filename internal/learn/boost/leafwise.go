package boost

import (
	"context"
	"math/rand/v2"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
	"foretell/internal/learn/workspace"
	"foretell/internal/spill"
)

// leafwiseBooster adds one leaf-wise tree for each output and round.
type leafwiseBooster struct {
	opts   Options
	scores *outputScores
	bins   *tree.BinnedMatrix
	params tree.Params
	// leafwiseWorkspace is nil between rounds.
	*leafwiseWorkspace
	treeCost tree.Cost
	// stream holds the binary form of the rounds so far. ends holds the offset of
	// each round's end.
	stream      *spill.Stream
	ends        []int64
	out         codec.Writer
	mappers     []tree.BinMapper
	appliedRows int64
}

// boostedTree is a tree of an ensemble with the value of each leaf. A nil
// boostedTree stands for an output that had converged.
type boostedTree struct {
	tree   *tree.Tree
	values []float32
}

// minMeanGradient is the mean absolute gradient below which an output has
// converged.
const minMeanGradient = 1e-6

// newLeafwiseBooster returns a booster before its first round.
func newLeafwiseBooster(l *outputScores, bins *tree.BinnedMatrix, opts Options) *leafwiseBooster {
	return &leafwiseBooster{opts: opts, scores: l, bins: bins, mappers: bins.Mappers(), stream: opts.Disk.NewStream(), params: tree.Params{
		MaxLeaves:  opts.Leaves,
		MinRows:    opts.MinRows,
		MinHessian: minHessian,
		MinGain:    1e-7,
		L2:         opts.L2,
		CatL2:      catL2,
		CatSmooth:  catSmooth,
	}}
}

// parallelTrees returns the number of trees that are grown at the same time.
func (t *leafwiseBooster) parallelTrees() int { return min(t.opts.Workers, len(t.scores.base)) }

// acquireWorkspace sets t.leafwiseWorkspace until release is called.
func (t *leafwiseBooster) acquireWorkspace() (release func()) {
	w := t.opts.Workspaces.leafwise.Acquire()
	w.prepare(t.bins, t.params, t.parallelTrees(), t.workersPerTree())
	for _, sampler := range w.samplers {
		sampler.resize(t.bins.Rows, len(t.scores.train))
	}
	if t.scores.classes > 2 {
		w.maxScores, w.normalizers = workspace.Resize(w.maxScores, t.bins.Rows), workspace.Resize(w.normalizers, t.bins.Rows)
	}
	t.scores.maxScores, t.scores.normalizers = w.maxScores, w.normalizers
	t.leafwiseWorkspace = w
	before := w.cost()
	return func() {
		t.treeCost = t.treeCost.Plus(w.cost(), 1).Plus(before, -1)
		t.leafwiseWorkspace = nil
		t.scores.maxScores, t.scores.normalizers = nil, nil
		t.opts.Workspaces.leafwise.Release(w)
	}
}

// workersPerTree returns the number of workers for each tree that is grown at
// the same time.
func (t *leafwiseBooster) workersPerTree() int {
	return (t.opts.Workers + t.parallelTrees() - 1) / t.parallelTrees()
}

// round adds a tree for each output. done reports whether no output was
// improved.
func (t *leafwiseBooster) round(ctx context.Context) (done bool, err error) {
	defer t.acquireWorkspace()()
	if err := t.scores.updateSoftmax(ctx, t.opts.Workers); err != nil {
		return false, err
	}
	outputs := len(t.scores.base)
	grown := make([]*boostedTree, outputs)
	applied := make([]int64, outputs)
	errs := make([]error, outputs)
	err = parallel.ForContext(ctx, len(t.samplers), outputs, func(worker, k int) {
		grown[k], applied[k], errs[k] = t.grow(ctx, worker, k)
	})
	for k := range grown {
		if err == nil {
			err = errs[k]
		}
		t.appliedRows += applied[k]
	}
	if err != nil {
		return false, err
	}
	done = true
	t.out.Reset()
	for _, m := range grown {
		done = done && m == nil
		m.write(&t.out, t.mappers)
	}
	t.stream.Write(t.out.Data())
	t.ends = append(t.ends, t.stream.Len())
	return done, nil
}

// grow grows the tree of output k and adds its values to the scores of all
// rows. It returns nil if the output has converged. It also returns the number
// of rows to which the tree was applied besides those it was grown from.
func (t *leafwiseBooster) grow(ctx context.Context, worker, k int) (*boostedTree, int64, error) {
	sampler, grower := t.samplers[worker], t.growers[worker]
	draw := rand.New(rand.NewPCG(t.opts.Seed, uint64(t.treeCount()+k)))
	mass, err := sampler.sample(ctx, t.workersPerTree(), t.scores, k, sampleParams{t.opts.RowFraction, draw.Uint64()})
	if err != nil || mass < minMeanGradient*float64(len(t.scores.train)) || len(sampler.keep) == 0 {
		return nil, 0, err
	}
	sample := tree.Sample{
		Rows:      sampler.keep,
		Gradients: sampler.gradients,
		Features:  sampleFeatures(len(t.bins.Features), t.opts.FeatureFraction, draw),
	}
	sample.Scale, err = tree.Quantise(ctx, t.workersPerTree(), sampler.gradients, sampler.keep)
	if err != nil {
		return nil, 0, err
	}
	grown, err := grower.Grow(ctx, sample)
	if err != nil || grown.Leaves < 2 {
		return nil, 0, err
	}
	m := &boostedTree{tree: grown, values: make([]float32, grown.Leaves)}
	for leaf := range m.values {
		g, h := grower.LeafSum(leaf)
		m.values[leaf] = newtonStep(g, h, t.scores.classes, &t.opts)
	}
	err = sampler.applyTree(ctx, t.workersPerTree(), t.bins, grown, grower, func(leaf int, rows []int32) {
		t.scores.add(k, rows, m.values[leaf])
	})
	return m, int64(len(sampler.rest)), err
}

func (t *leafwiseBooster) rounds() int { return len(t.ends) }

// treeCount returns the number of trees so far, including nil ones.
func (t *leafwiseBooster) treeCount() int { return len(t.ends) * len(t.scores.base) }

func (t *leafwiseBooster) cost() float64 {
	rows := float64(t.rounds()) * float64(len(t.scores.base)) * float64(len(t.scores.train))
	return treeNanos(t.treeCost, t.treeCount(), 2.5) + 10*float64(t.appliedRows) + 14*rows
}

func (t *leafwiseBooster) predictValidation(dst []float32) { t.scores.predictValidation(dst) }

func (t *leafwiseBooster) ensemble(n int) ensemble {
	outputs, mappers := len(t.scores.base), t.mappers
	return newSpilledEnsemble(spilledEnsemble{
		kindByte: kindLeafwise, stream: t.stream, size: roundsSize(t.ends, n),
		writeHead: func(w *codec.Writer) { writeMappers(w, mappers, n*outputs) },
	}, func(r *codec.Reader) ensemble { return readLeafwiseModel(r, outputs) })
}
