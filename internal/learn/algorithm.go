package learn

import (
	"cmp"
	"context"
	"encoding"

	"foretell/internal/frame"
	"foretell/internal/learn/boost"
	"foretell/internal/learn/forest"
	"foretell/internal/learn/neural"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
)

// methods are the algorithms of the engine, in the order in which they are
// shown and in which ties are decided.
var methods = []method{
	{name: "SEV01", kind: 1, patience: 25, growth: 0, open: openNeural, read: readAs[neural.Model]},
	{name: "FIF01", kind: 2, patience: 15, growth: 0, open: openForest, read: readAs[forest.Model]},
	{name: "SIX01", kind: 3, patience: 30, growth: 0.5, open: openLeafwise, read: readAs[boost.Model]},
	{name: "SEV02", kind: 4, patience: 30, growth: 0.5, open: openSymmetric, read: readAs[boost.Model]},
}

// rooms are the memory that the fitters of one run share.
type rooms struct {
	neural neural.WorkspacePool
	boost  boost.WorkspacePool
}

// openNeural makes the network on normalised and embedded columns.
func openNeural(ctx context.Context, t task) (learner, error) {
	return open(within(ctx, neural.New), t, neural.Options{
		Classes: t.table.classes(), Seed: t.seed, Workers: t.workers, Workspaces: &t.rooms.neural,
	})
}

// openForest makes the randomised forest.
func openForest(ctx context.Context, t task) (learner, error) {
	bins, err := t.table.binned(ctx, tree.MaxBins)
	if err != nil {
		return nil, err
	}
	return open(forest.New, t, forest.Options{
		Classes: t.table.classes(), Seed: t.seed, Workers: t.workers, Disk: t.table.params.Disk,
		Bins: bins, LeavesPerThousand: t.table.params.ScalingFactor,
	})
}

// openLeafwise makes the gradient boosting of trees grown leaf by leaf.
func openLeafwise(ctx context.Context, t task) (learner, error) {
	bins, err := t.table.binned(ctx, tree.MaxBins)
	if err != nil {
		return nil, err
	}
	return open(within(ctx, boost.NewLeafwise), t, boost.Options{
		Classes: t.table.classes(), Seed: t.seed, Workers: t.workers, Disk: t.table.params.Disk,
		Bins: bins, Workspaces: &t.rooms.boost, Leaves: leaves(t.table.params.ScalingFactor),
	})
}

// leaves returns the number of leaves for a scaling factor: at least the two
// without which there is no tree, 0 to choose.
func leaves(scale int) int {
	if scale > 0 {
		return max(scale, 2)
	}
	return 0
}

// defaultBuckets is the number of bins of a numeric feature where the dataset
// names none. Beyond severalRows it is as many as other algorithms use, so that
// the bins are in memory once.
const (
	defaultBuckets = 128
	severalRows    = 100_000
)

// openSymmetric makes the gradient boosting of symmetric trees.
func openSymmetric(ctx context.Context, t task) (learner, error) {
	buckets := cmp.Or(t.table.params.Buckets, defaultBuckets)
	if t.table.params.Buckets == 0 && t.table.Rows > severalRows {
		buckets = tree.MaxBins - 1
	}
	bins, err := t.table.binned(ctx, buckets+1) // one is for the missing cells
	if err != nil {
		return nil, err
	}
	return open(within(ctx, boost.NewSymmetric), t, boost.Options{
		Classes: t.table.classes(), Seed: t.seed, Workers: t.workers, Disk: t.table.params.Disk,
		Bins: bins, Workspaces: &t.rooms.boost, Buckets: buckets,
	})
}

// fitter is the shape of the packages' own types: they return their own
// models, of which a learner knows but the shape.
type fitter[M predictor] interface {
	Step(ctx context.Context) (done bool, err error)
	Cost() float64
	EvalProbabilities(dst []float32)
	Checkpoint()
	Model() M
}

// fitting is a fitter as a learner.
type fitting[M predictor] struct {
	fitter[M]
}

func (f fitting[M]) Model() predictor { return f.fitter.Model() }

// open makes a learner of what a package's New returns.
func open[O any, F fitter[M], M predictor](
	make func(*frame.Frame, split.Part, O) (F, error), t task, opts O,
) (learner, error) {
	f, err := make(t.table.Frame, t.part, opts)
	if err != nil {
		return nil, err
	}
	return fitting[M]{f}, nil
}

// within gives ctx to a package's New.
func within[O, F any](
	ctx context.Context, make func(context.Context, *frame.Frame, split.Part, O) (F, error),
) func(*frame.Frame, split.Part, O) (F, error) {
	return func(f *frame.Frame, part split.Part, opts O) (F, error) { return make(ctx, f, part, opts) }
}

// readAs reads a predictor of type T.
func readAs[T any, P interface {
	*T
	predictor
	encoding.BinaryUnmarshaler
}](b []byte) (predictor, error) {
	p := P(new(T))
	if err := p.UnmarshalBinary(b); err != nil {
		return nil, err
	}
	return p, nil
}
