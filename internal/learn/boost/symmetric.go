package boost

import (
	"context"
	"math/rand/v2"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/tree"
	"foretell/internal/learn/workspace"
	"foretell/internal/spill"
)

// symmetricBooster adds one symmetric tree in each round. The leaves of the tree have a
// value for each output.
type symmetricBooster struct {
	opts     Options
	scores   rowScores
	features *featureSet
	// symmetricWorkspace is the working memory of a round. It is nil between rounds.
	*symmetricWorkspace
	treeCost tree.Cost
	// projections holds the projection of each output. It is nil if there are at most
	// sketchSize outputs.
	projections []projection
	// keepsOdds reports whether the odds of all rows, computed with the gradients, are stored for
	// the leaf values. If they would need too much memory, the odds are computed twice instead; see
	// maxOdds.
	keepsOdds bool
	// stream holds the binary form of the trees so far. ends[i] is the offset in stream
	// at which tree i ends.
	stream *spill.Stream
	ends   []int64
	out    codec.Writer
	used   usedFeatures
}

// maxOdds is the largest number of odds, rows × outputs, that are kept in memory.
const maxOdds = 1 << 22

func newSymmetricBooster(objective objective, features *featureSet, opts Options) *symmetricBooster {
	rows, outputs := features.bins[0].Rows, len(objective.base)
	b := &symmetricBooster{
		opts: opts, scores: newRowScores(objective, rows), features: features, keepsOdds: rows*outputs <= maxOdds,
		stream: opts.Disk.NewStream(), used: usedFeatures{index: make(map[int32]int32)},
	}
	if outputs > sketchSize {
		b.projections = make([]projection, outputs)
	}
	return b
}

// acquireWorkspace takes a workspace from the pool and sets b.symmetricWorkspace to it.
// release returns it to the pool and sets the field to nil.
func (b *symmetricBooster) acquireWorkspace() (release func()) {
	rows, outputs := b.features.bins[0].Rows, len(b.scores.base)
	w := b.opts.Workspaces.symmetric.Acquire()
	if w.grower == nil {
		w.grower = tree.NewSymmetricGrower(b.features.bins[0], b.opts.depth, b.opts.l2, b.opts.Workers)
	}
	w.grower.SetBins(b.features.bins[0])
	w.gradients = workspace.Resize(w.gradients, min(outputs, sketchSize))
	for o := range w.gradients {
		w.gradients[o] = workspace.Resize(w.gradients[o], rows)
	}
	w.odds = w.odds[:0]
	if b.projections != nil {
		if b.keepsOdds {
			w.odds = workspace.Resize(w.odds, rows*outputs)
		}
		w.scales = workspace.Resize(w.scales, rows)
	}
	for len(w.gradSums) < b.opts.Workers {
		w.gradSums = append(w.gradSums, newGradSums(outputs))
	}
	w.values = workspace.Resize(w.values, outputs<<tree.MaxSymmetricDepth)
	w.validationRows, w.scratch = workspace.Resize(w.validationRows, len(b.scores.validation)), workspace.Resize(w.scratch, len(b.scores.validation))
	b.symmetricWorkspace = w
	before := w.grower.Cost()
	return func() {
		b.treeCost = b.treeCost.AddScaled(w.grower.Cost(), 1).AddScaled(before, -1)
		b.symmetricWorkspace = nil
		b.opts.Workspaces.symmetric.Release(w)
	}
}

// round adds a tree. If no split of any feature improves the score, no tree is added and
// done is true.
func (b *symmetricBooster) round(ctx context.Context) (done bool, err error) {
	defer b.acquireWorkspace()()
	number := uint64(len(b.ends))
	draw := rand.New(rand.NewPCG(b.opts.Seed, number))
	if err := b.computeGradients(ctx, draw); err != nil {
		return false, err
	}
	bins := b.features.bins[int(number)%len(b.features.bins)]
	sample := tree.SymmetricSample{
		Bins:      bins,
		Rows:      b.scores.train,
		Gradients: b.gradients,
		Scales:    make([]tree.Scale, len(b.gradients)),
		Features:  b.drawFeatures(draw),
		Monotone:  b.opts.Monotone,
	}
	for o, gradients := range b.gradients {
		sample.Scales[o], err = tree.Quantise(ctx, b.opts.Workers, gradients, sample.Rows)
		if err != nil {
			return false, err
		}
	}
	splits, err := b.grower.Grow(ctx, sample)
	if err == nil && len(splits) == 0 && len(sample.Features) < len(b.features.usable) {
		sample.Features = b.features.usable // no split by the drawn features is allowed, but other features may have allowed splits
		splits, err = b.grower.Grow(ctx, sample)
	}
	if err != nil {
		return false, err
	}
	if len(splits) == 0 {
		return true, nil
	}
	if b.opts.Monotone != nil {
		err = b.fitMonotoneValues(ctx, splits, bins)
	} else {
		err = b.fitLeafValuesAndAddScores(ctx, 1<<len(splits))
	}
	if err != nil {
		return false, err
	}
	copy(b.validationRows, b.scores.validation)
	tree.PartitionSymmetric(splits, bins, b.validationRows, b.scratch, func(leaf int, rows []int32) {
		b.scores.add(rows, b.leafValues(leaf))
	})
	b.reindexAndWriteTree(splits)
	return false, nil
}

// reindexAndWriteTree writes a tree with the given splits and the current leaf values to the
// stream. In splits, it replaces the index of each feature with the index in b.used.
func (b *symmetricBooster) reindexAndWriteTree(splits []tree.LevelSplit) {
	outputs := len(b.scores.base)
	for i := range splits {
		splits[i].Feature = b.used.indexOrAdd(splits[i].Feature, b.rounds())
	}
	grown := newSymmetricTree(splits, b.values, outputs)
	b.out.Reset()
	grown.write(&b.out, outputs)
	b.stream.Write(b.out.Data())
	b.ends = append(b.ends, b.stream.Len())
}

// leafValues returns the values of a leaf, one for each output.
func (b *symmetricBooster) leafValues(leaf int) []float32 {
	width := len(b.scores.base)
	return b.values[leaf*width:][:width]
}

// drawFeatures draws the features that a tree may use.
func (b *symmetricBooster) drawFeatures(draw *rand.Rand) []int32 {
	usable := b.features.usable
	drawn := sampleFeatures(len(usable), b.opts.featureFraction, draw)
	if drawn == nil {
		return usable
	}
	for i, at := range drawn {
		drawn[i] = usable[at]
	}
	return drawn
}

func (b *symmetricBooster) rounds() int { return len(b.ends) }

func (b *symmetricBooster) cost() float64 {
	sweeps := float64(b.rounds()) * float64(len(b.scores.base)) * float64(len(b.scores.train))
	return treeNanos(b.treeCost, len(b.ends), 1.5) + 10*sweeps
}

func (b *symmetricBooster) predictValidation(dst []float32) { b.scores.predictValidation(dst) }

func (b *symmetricBooster) ensemble(rounds int) ensemble {
	outputs := len(b.scores.base)
	var sources []featureSource
	for _, feature := range b.used.usedByFirstTrees(rounds) {
		sources = append(sources, b.features.sourceOf(feature))
	}
	return newSpilledEnsemble(spilledEnsemble{
		formatKind: symmetricKind(sources), stream: b.stream, size: roundsSize(b.ends, rounds),
		writeHead: func(w *codec.Writer) { writeSourcesAndTreeCount(w, sources, rounds) },
	}, func(r *codec.Reader) ensemble { return readSymmetricModel(r, outputs) })
}
