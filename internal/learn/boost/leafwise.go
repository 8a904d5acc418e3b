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

// leafwiseBooster adds one leaf-wise tree for each output in each round.
type leafwiseBooster struct {
	opts   Options
	scores *outputScores
	bins   *tree.BinnedMatrix
	params tree.Params
	// leafwiseWorkspace is the working memory of a round. It is nil between rounds.
	*leafwiseWorkspace
	treeCost tree.Cost
	// stream holds the binary form of the rounds so far. ends[i] is the offset in stream
	// at which round i ends.
	stream        *spill.Stream
	ends          []int64
	out           codec.Writer
	mappers       []tree.BinMapper
	traversedRows int64 // number of rows for which a tree was traversed, summed over all trees
}

// boostedTree is a tree of an ensemble with the value of each leaf. A nil *boostedTree means that
// the output had converged: its gradients were nearly zero or no split was allowed.
type boostedTree struct {
	tree   *tree.Tree
	values []float32
}

// minMeanGradient is the mean absolute gradient of the training rows below which an
// output has converged. For a converged output, a round adds no tree.
const minMeanGradient = 1e-6

func newLeafwiseBooster(scores *outputScores, bins *tree.BinnedMatrix, opts Options) *leafwiseBooster {
	return &leafwiseBooster{opts: opts, scores: scores, bins: bins, mappers: bins.Mappers(), stream: opts.Disk.NewStream(), params: tree.Params{
		MinRows:    opts.minRows,
		MinHessian: minHessian,
		MinGain:    1e-7,
		L2:         opts.l2,
		CatL2:      catL2,
		CatSmooth:  catSmooth,
	}}
}

// numParallelTrees returns the number of trees that are grown at the same time.
func (b *leafwiseBooster) numParallelTrees() int { return min(b.opts.Workers, len(b.scores.base)) }

// acquireWorkspace takes a workspace from the pool and sets b.leafwiseWorkspace to it.
// release returns it to the pool and sets the field to nil.
func (b *leafwiseBooster) acquireWorkspace() (release func()) {
	w := b.opts.Workspaces.leafwise.Acquire()
	w.prepare(b.bins, b.params, b.numParallelTrees(), b.workersPerTree())
	for _, sampler := range w.samplers {
		sampler.resize(b.bins.Rows, len(b.scores.train))
	}
	if b.scores.classes > 2 {
		w.maxScores, w.normalizers = workspace.Resize(w.maxScores, b.bins.Rows), workspace.Resize(w.normalizers, b.bins.Rows)
	}
	b.scores.maxScores, b.scores.normalizers = w.maxScores, w.normalizers
	b.leafwiseWorkspace = w
	before := w.cost()
	return func() {
		b.treeCost = b.treeCost.AddScaled(w.cost(), 1).AddScaled(before, -1)
		b.leafwiseWorkspace = nil
		b.scores.maxScores, b.scores.normalizers = nil, nil
		b.opts.Workspaces.leafwise.Release(w)
	}
}

// workersPerTree returns the number of workers for each tree that is grown at
// the same time.
func (b *leafwiseBooster) workersPerTree() int {
	return (b.opts.Workers + b.numParallelTrees() - 1) / b.numParallelTrees()
}

// round adds a tree for each output that has not converged. done reports whether all
// outputs have converged, so that no tree was added.
func (b *leafwiseBooster) round(ctx context.Context) (done bool, err error) {
	defer b.acquireWorkspace()()
	if err := b.scores.updateSoftmax(ctx, b.opts.Workers); err != nil {
		return false, err
	}
	outputs := len(b.scores.base)
	trees := make([]*boostedTree, outputs)
	applied := make([]int64, outputs)
	errs := make([]error, outputs)
	err = parallel.ForContext(ctx, len(b.samplers), outputs, func(worker, k int) {
		trees[k], applied[k], errs[k] = b.growAndAddScores(ctx, worker, k)
	})
	for k := range trees {
		if err == nil {
			err = errs[k]
		}
		b.traversedRows += applied[k]
	}
	if err != nil {
		return false, err
	}
	done = true
	b.out.Reset()
	for _, grown := range trees {
		done = done && grown == nil
		grown.write(&b.out, b.mappers)
	}
	b.stream.Write(b.out.Data())
	b.ends = append(b.ends, b.stream.Len())
	return done, nil
}

// growAndAddScores grows the tree of an output and adds the values of its leaves to the scores of
// all rows. It uses the sampler and the grower of the given worker. The tree is nil if the output
// has converged. traversed is the number of rows outside the tree's sample: their leaves are found
// by traversing the tree.
func (b *leafwiseBooster) growAndAddScores(ctx context.Context, worker, output int) (boosted *boostedTree, traversed int64, err error) {
	sampler, grower := b.samplers[worker], b.growers[worker]
	draw := rand.New(rand.NewPCG(b.opts.Seed, uint64(b.treeCount()+output)))
	mass, err := sampler.computeGradientsAndSample(ctx, b.workersPerTree(), b.scores, output, sampleParams{b.opts.rowFraction, draw.Uint64()})
	if err != nil || mass < minMeanGradient*float64(len(b.scores.train)) || len(sampler.kept) == 0 {
		return nil, 0, err
	}
	sample := tree.Sample{
		Rows:      sampler.kept,
		Gradients: sampler.gradients,
		Features:  sampleFeatures(len(b.bins.Features), b.opts.featureFraction, draw),
		Monotone:  b.opts.Monotone,
	}
	leaves := b.opts.leavesOfRound(b.rounds())
	sample.Scale, err = tree.Quantise(ctx, b.workersPerTree(), sampler.gradients, sampler.kept)
	if err != nil {
		return nil, 0, err
	}
	grown, err := grower.Grow(ctx, sample, leaves)
	if err == nil && grown.Leaves < 2 && sample.Features != nil {
		sample.Features = nil // no split by the drawn features is allowed, but other features may have allowed splits
		grown, err = grower.Grow(ctx, sample, leaves)
	}
	if err != nil || grown.Leaves < 2 {
		return nil, 0, err
	}
	boosted = &boostedTree{tree: grown, values: make([]float32, grown.Leaves)}
	for leaf := range boosted.values {
		g, h := grower.LeafSum(leaf)
		boosted.values[leaf] = newtonStep(g, h, b.scores.classes, &b.opts)
		if b.opts.Monotone != nil {
			low, high := grower.LeafBounds(leaf)
			boosted.values[leaf] = b.opts.scaleLeafValue(min(max(-g/(h+b.opts.l2), low), high))
		}
	}
	err = sampler.applyTree(ctx, b.workersPerTree(), b.bins, grown, grower, func(leaf int, rows []int32) {
		b.scores.add(output, rows, boosted.values[leaf])
	})
	return boosted, int64(len(sampler.others)), err
}

func (b *leafwiseBooster) rounds() int { return len(b.ends) }

// treeCount returns the number of trees so far, including the nil trees of converged
// outputs.
func (b *leafwiseBooster) treeCount() int { return len(b.ends) * len(b.scores.base) }

func (b *leafwiseBooster) cost() float64 {
	rows := float64(b.rounds()) * float64(len(b.scores.base)) * float64(len(b.scores.train))
	return treeNanos(b.treeCost, b.treeCount(), 2.5) + 10*float64(b.traversedRows) + 14*rows
}

func (b *leafwiseBooster) predictValidation(dst []float32) { b.scores.predictValidation(dst) }

func (b *leafwiseBooster) ensemble(rounds int) ensemble {
	outputs, mappers := len(b.scores.base), b.mappers
	return newSpilledEnsemble(spilledEnsemble{
		formatKind: kindLeafwise, stream: b.stream, size: roundsSize(b.ends, rounds),
		writeHead: func(w *codec.Writer) { writeMappersAndTreeCount(w, mappers, rounds*outputs) },
	}, func(r *codec.Reader) ensemble { return readLeafwiseModel(r, outputs) })
}
