package boost

import (
	"context"
	"math/rand/v2"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/tree"
	"foretell/internal/learn/workspace"
	"foretell/internal/spill"
)

// symmetricBooster adds one tree a round, with a leaf value for each output.
type symmetricBooster struct {
	opts     Options
	scores   rowScores
	features *featureSet
	// symmetricWorkspace is nil between rounds.
	*symmetricWorkspace
	treeCost tree.Cost
	// projections is nil if there are at most sketchSize outputs. If the odds
	// are too many to keep, they are computed twice.
	projections []projection
	keepsOdds   bool
	// stream holds the binary form of the trees so far. ends holds the offset of
	// each tree's end.
	stream *spill.Stream
	ends   []int64
	out    codec.Writer
	used   usedFeatures
}

// maxOdds is the largest number of odds that are kept.
const maxOdds = 1 << 22

func newSymmetricBooster(p objective, in *featureSet, opts Options) *symmetricBooster {
	rows, outputs := in.bins[0].Rows, len(p.base)
	t := &symmetricBooster{
		opts: opts, scores: newRowScores(p, rows), features: in, keepsOdds: rows*outputs <= maxOdds,
		stream: opts.Disk.NewStream(), used: usedFeatures{index: make(map[int32]int32)},
	}
	if outputs > sketchSize {
		t.projections = make([]projection, outputs)
	}
	return t
}

// acquireWorkspace sets t.symmetricWorkspace until release is called.
func (t *symmetricBooster) acquireWorkspace() (release func()) {
	rows, outputs := t.features.bins[0].Rows, len(t.scores.base)
	w := t.opts.Workspaces.symmetric.Acquire()
	if w.grower == nil {
		w.grower = tree.NewSymmetricGrower(t.features.bins[0], t.opts.Depth, t.opts.L2, t.opts.Workers)
	}
	w.grower.SetBins(t.features.bins[0])
	w.gradients = workspace.Resize(w.gradients, min(outputs, sketchSize))
	for o := range w.gradients {
		w.gradients[o] = workspace.Resize(w.gradients[o], rows)
	}
	w.odds = w.odds[:0]
	if t.projections != nil {
		if t.keepsOdds {
			w.odds = workspace.Resize(w.odds, rows*outputs)
		}
		w.scales = workspace.Resize(w.scales, rows)
	}
	for len(w.gradSums) < t.opts.Workers {
		w.gradSums = append(w.gradSums, newGradSums(outputs))
	}
	w.values = workspace.Resize(w.values, outputs<<tree.MaxSymmetricDepth)
	w.eval, w.scratch = workspace.Resize(w.eval, len(t.scores.validation)), workspace.Resize(w.scratch, len(t.scores.validation))
	t.symmetricWorkspace = w
	before := w.grower.Cost()
	return func() {
		t.treeCost = t.treeCost.Plus(w.grower.Cost(), 1).Plus(before, -1)
		t.symmetricWorkspace = nil
		t.opts.Workspaces.symmetric.Release(w)
	}
}

// round adds a tree. done reports whether no split was worth its cost.
func (t *symmetricBooster) round(ctx context.Context) (done bool, err error) {
	defer t.acquireWorkspace()()
	number := uint64(len(t.ends))
	draw := rand.New(rand.NewPCG(t.opts.Seed, number))
	if err := t.computeGradients(ctx, draw); err != nil {
		return false, err
	}
	bins := t.features.bins[int(number)%len(t.features.bins)]
	sample := tree.SymmetricSample{
		Bins:      bins,
		Rows:      t.scores.train,
		Gradients: t.gradients,
		Scales:    make([]tree.Scale, len(t.gradients)),
		Features:  t.drawFeatures(draw),
	}
	for o, gradients := range t.gradients {
		sample.Scales[o], err = tree.Quantise(ctx, t.opts.Workers, gradients, sample.Rows)
		if err != nil {
			return false, err
		}
	}
	splits, err := t.grower.Grow(ctx, sample)
	if err != nil {
		return false, err
	}
	if len(splits) == 0 {
		return true, nil
	}
	if err := t.fitLeafValues(ctx, 1<<len(splits)); err != nil {
		return false, err
	}
	copy(t.eval, t.scores.validation)
	tree.ApplySymmetric(splits, bins, t.eval, t.scratch, func(leaf int, rows []int32) {
		t.scores.add(rows, t.leafValues(leaf))
	})
	t.record(splits)
	return false, nil
}

// record writes the tree with the current leaf values to the stream. It
// replaces the features of splits by their indices in used.
func (t *symmetricBooster) record(splits []tree.LevelSplit) {
	outputs := len(t.scores.base)
	for i := range splits {
		splits[i].Feature = t.used.indexOf(splits[i].Feature, t.rounds())
	}
	grown := newSymmetricTree(splits, t.values, outputs)
	t.out.Reset()
	grown.write(&t.out, outputs)
	t.stream.Write(t.out.Data())
	t.ends = append(t.ends, t.stream.Len())
}

// leafValues returns the values of a leaf, one for each output.
func (t *symmetricBooster) leafValues(leaf int) []float32 {
	width := len(t.scores.base)
	return t.values[leaf*width:][:width]
}

// drawFeatures returns the features that a tree may use.
func (t *symmetricBooster) drawFeatures(draw *rand.Rand) []int32 {
	usable := t.features.usable
	drawn := sampleFeatures(len(usable), t.opts.FeatureFraction, draw)
	if drawn == nil {
		return usable
	}
	for i, at := range drawn {
		drawn[i] = usable[at]
	}
	return drawn
}

func (t *symmetricBooster) rounds() int { return len(t.ends) }

func (t *symmetricBooster) cost() float64 {
	sweeps := float64(t.rounds()) * float64(len(t.scores.base)) * float64(len(t.scores.train))
	return treeNanos(t.treeCost, len(t.ends), 1.5) + 10*sweeps
}

func (t *symmetricBooster) predictValidation(dst []float32) { t.scores.predictValidation(dst) }

func (t *symmetricBooster) ensemble(n int) ensemble {
	outputs := len(t.scores.base)
	var sources []featureSource
	for _, feature := range t.used.before(n) {
		sources = append(sources, t.features.sourceOf(feature))
	}
	return newSpilledEnsemble(spilledEnsemble{
		kindByte: kindSymmetric, stream: t.stream, size: roundsSize(t.ends, n),
		writeHead: func(w *codec.Writer) { writeFeatureSources(w, sources, n) },
	}, func(r *codec.Reader) ensemble { return readSymmetricModel(r, outputs) })
}
