package learn

import (
	"cmp"
	"context"

	"foretell/internal/learn/boost"
	"foretell/internal/learn/forest"
	"foretell/internal/learn/model"
	"foretell/internal/learn/neural"
	"foretell/internal/learn/tree"
)

// algorithms are the algorithms of a race, in the order in which they are shown. If several reach
// the threshold at the same virtual time, the first of them wins.
var algorithms = []algorithm{
	{Algorithm: model.SEV01, patience: 8, holdoutPatience: 4, costRank: 4, maxFolds: 5, stepGrowth: 0, newFitter: newNeuralFitter, longer: true, doubles: true, smooth: true},
	{Algorithm: model.FIF01, patience: 15, holdoutPatience: 8, costRank: 3, maxFolds: 5, stepGrowth: 0, newFitter: newForestFitter, monotone: true},
	{Algorithm: model.SIX01, patience: 15, holdoutPatience: 15, costRank: 2, stepGrowth: 0.5, newFitter: newLeafwiseFitter, fast: true, rowMajor: true, monotone: true},
	{Algorithm: model.SEV02, patience: 15, holdoutPatience: 15, costRank: 1, stepGrowth: 0.5, newFitter: newSymmetricFitter, fast: true, monotone: true},
}

// workspaces holds the working memory that the fitters of one run share.
type workspaces struct {
	neural neural.WorkspacePool
	boost  boost.WorkspacePool
}

// newNeuralFitter returns a fitter of a neural network.
func newNeuralFitter(ctx context.Context, t fitTask) (fitter, error) {
	return adapt(neural.New(ctx, t.data.Frame, t.fold, neural.Options{
		Classes: t.data.classes(), Seed: t.seed, Workers: t.workers, Workspaces: &t.workspaces.neural,
		ScheduleFactor: t.data.params.Effort.scheduleFactor(),
	}))
}

// newForestFitter returns a fitter of a randomised forest.
func newForestFitter(ctx context.Context, t fitTask) (fitter, error) {
	bins, err := t.data.binnedMatrix(ctx, tree.MaxBins)
	if err != nil {
		return nil, err
	}
	return adapt(forest.New(t.data.Frame, t.fold, forest.Options{
		Classes: t.data.classes(), Seed: t.seed, Workers: t.workers, Disk: t.data.params.Disk,
		Bins: bins, LeavesPerThousand: t.data.params.ScalingFactor, Groups: t.data.params.Groups, Monotone: t.data.monotone,
	}))
}

// newLeafwiseFitter returns a fitter of gradient boosting with leaf-wise trees.
func newLeafwiseFitter(ctx context.Context, t fitTask) (fitter, error) {
	bins, err := t.data.binnedMatrix(ctx, tree.MaxBins)
	if err != nil {
		return nil, err
	}
	return adapt(boost.NewLeafwise(t.data.Frame, t.fold, boost.Options{
		Classes: t.data.classes(), Seed: t.seed, Workers: t.workers, Disk: t.data.params.Disk,
		Bins: bins, Workspaces: &t.workspaces.boost, Leaves: leavesForScale(t.data.params.ScalingFactor), Monotone: t.data.monotone,
	}))
}

// leavesForScale converts a scaling factor to a number of leaves, at least 2. If scale is 0, it
// returns 0, which selects the default.
func leavesForScale(scale int) int {
	if scale > 0 {
		return max(scale, 2)
	}
	return 0
}

// defaultBuckets is the default number of bins of a numeric feature for SEV02. It is also the default
// of datasets.
const defaultBuckets = 64

// newSymmetricFitter returns a fitter of gradient boosting with symmetric trees.
func newSymmetricFitter(ctx context.Context, t fitTask) (fitter, error) {
	buckets := cmp.Or(t.data.params.Buckets, defaultBuckets)
	bins, err := t.data.binnedMatrix(ctx, buckets+1) // plus one bin for missing cells
	if err != nil {
		return nil, err
	}
	return adapt(boost.NewSymmetric(ctx, t.data.Frame, t.fold, boost.Options{
		Classes: t.data.classes(), Seed: t.seed, Workers: t.workers, Disk: t.data.params.Disk,
		Bins: bins, Workspaces: &t.workspaces.boost, Buckets: buckets, Groups: t.data.params.Groups, Monotone: t.data.monotone,
	}))
}

// typedFitter is fitter with one difference: Model returns the concrete type M. The fitters of
// boost, forest and neural implement it.
type typedFitter[M model.Predictor] interface {
	Step(ctx context.Context) (done bool, err error)
	Cost() float64
	Progress() float64
	PredictValidation(dst []float32)
	Checkpoint()
	Model() M
}

// adapter converts a typedFitter to a fitter.
type adapter[M model.Predictor] struct {
	typedFitter[M]
}

func (f adapter[M]) Model() model.Predictor { return f.typedFitter.Model() }

// DoubleSchedule panics if the fitter does not have this method. TestDoublingAlgorithms checks that
// each algorithm with doubles has it.
func (f adapter[M]) DoubleSchedule() {
	f.typedFitter.(interface{ DoubleSchedule() }).DoubleSchedule()
}

// adapt returns f in an adapter. f and err are the results of a constructor such as forest.New.
func adapt[F typedFitter[M], M model.Predictor](f F, err error) (fitter, error) {
	if err != nil {
		return nil, err
	}
	return adapter[M]{f}, nil
}
