package smooth

import (
	"context"
	"errors"
	"math"
	"slices"

	"foretell/internal/learn/logistic"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

const (
	// MaxRows is the largest number of rows of a table for which a logistic regression is
	// fitted.
	MaxRows = 10_000
	// maxCells is the largest value of rows × classes for which a logistic regression is
	// fitted. Its time and its memory grow with both.
	maxCells = 100_000
	// maxConcurrentFits limits the memory of a search.
	maxConcurrentFits = 2
)

// numPenalties is the number of penalties that Search tries with each width.
const numPenalties = 5

// The values of Width and Penalties of logistic.Options that Search tries.
var (
	widths          = []float64{0.15, 0.5, 1.5, logistic.Linear}
	kernelPenalties = [numPenalties]float64{0.5, 0.1, 0.02, 0.004, 0.001}
	linearPenalties = [numPenalties]float64{10, 1, 0.1, 0.01, 0.001}
)

// penalties returns the penalties that Search tries with the given width.
func penalties(width float64) []float64 {
	if width == logistic.Linear {
		return linearPenalties[:]
	}
	return kernelPenalties[:]
}

// IsSmall reports whether a table is small enough for a logistic regression beside its
// networks.
func IsSmall(rows, classes int) bool { return rows <= MaxRows && rows*classes <= maxCells }

// maxCenters returns the maximum number of centres for a table with the given number of rows. With
// more centres, the scores follow the borders of the classes more closely. In a table of fewer than
// 1,000 rows, more centres take time without improving the predictions.
func maxCenters(rows int) int {
	if rows < 1000 {
		return 128
	}
	return 512
}

// searchFolds returns the number of folds on which widths are compared. folds is the number of all
// folds. One or two folds of a large table contain enough rows for this comparison.
func searchFolds(rows, folds int) int {
	switch {
	case rows <= 500:
		return folds
	case rows <= 3000:
		return min(folds, 2)
	}
	return min(folds, 1)
}

// EstimateMemory returns the estimated memory of Search for a table without texts, in bytes. levels
// is the number of levels of all columns. The result is 0 if the table is too large for a
// logistic regression.
func EstimateMemory(rows, columns, levels, classes int) float64 {
	if !IsSmall(rows, classes) || columns > logistic.MaxInputs {
		return 0
	}
	inputs := 2*columns + levels // a column of numbers with missing cells has two inputs
	return maxConcurrentFits * logistic.EstimateMemory(rows, min(inputs, logistic.MaxInputs), classes, maxCenters(rows), numPenalties)
}

// Params holds the parameters of the logistic regression in a checkpoint. Weight is its
// weight in the mean with the networks, or 0 if there is none.
type Params struct{ Width, Penalty, Weight float64 }

// Task describes the table and the folds for which Search fits logistic regressions.
type Task struct {
	// Frames holds the table for each fold: the features that the fold uses.
	Frames []*frame.Frame
	Folds  []split.Fold
	// Labels holds the class of each validation row, fold by fold.
	Labels  []int32
	Classes int
	// Workers is the number of goroutines. It does not change the result.
	Workers int
}

// Fits are the logistic regressions of all folds, for the chosen width and all penalties.
type Fits struct {
	// Width and Penalty are the chosen parameters.
	Width, Penalty float64
	// Probabilities are the class probabilities of the validation rows with these
	// parameters, row-major.
	Probabilities []float32

	folds   []*logistic.Fit
	penalty int // the index of Penalty in penalties(Width)
	cost    float64
}

// Search fits a logistic regression to each fold, and chooses the width and the penalty by the log
// loss on the validation rows. It compares the widths, each with its best penalty, on one or more
// folds; see searchFolds. It then fits the best width on the other folds, and chooses the best
// penalty on all folds. Search returns logistic.ErrTooWide if the table is too wide, and the error
// of ctx if ctx is cancelled.
func Search(ctx context.Context, t Task) (*Fits, error) {
	compared, workers := searchFolds(t.Frames[0].Rows, len(t.Folds)), min(t.Workers, maxConcurrentFits)
	fits := make([][]*logistic.Fit, len(widths))
	for i := range fits {
		fits[i] = make([]*logistic.Fit, len(t.Folds))
	}
	err := parallel.ForError(workers, len(widths)*compared, func(i int) (err error) {
		width, fold := i%len(widths), i/len(widths)
		fits[width][fold], err = t.fit(ctx, fold, widths[width])
		return err
	})
	if err != nil {
		return nil, err
	}
	best, bestLoss := 0, 0.0
	for i := range fits {
		if _, loss := t.bestPenalty(fits[i][:compared], nil); i == 0 || loss < bestLoss {
			best, bestLoss = i, loss
		}
	}
	found := &Fits{Width: widths[best], folds: fits[best], Probabilities: make([]float32, len(t.Labels)*t.Classes)}
	err = parallel.ForError(workers, len(t.Folds)-compared, func(i int) (err error) {
		found.folds[compared+i], err = t.fit(ctx, compared+i, found.Width)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range fits {
		found.cost += cost(fits[i])
	}
	found.penalty, _ = t.bestPenalty(found.folds, found.Probabilities)
	found.Penalty = penalties(found.Width)[found.penalty]
	return found, nil
}

// fit fits logistic regressions with the given width to the training rows of a fold: one for each of
// penalties(width). The result holds all of them.
func (t *Task) fit(ctx context.Context, fold int, width float64) (*logistic.Fit, error) {
	f := t.Frames[fold]
	return logistic.New(ctx, f, t.Folds[fold], logistic.Options{Classes: t.Classes, Width: width, Centers: maxCenters(f.Rows), Penalties: penalties(width)})
}

// bestPenalty returns the index of the penalty with the lowest log loss, and this loss. The loss is
// computed on the validation rows of the first len(fits) folds, to which fits belong. If dst is not
// nil, bestPenalty writes the probabilities for the best penalty to it.
func (t *Task) bestPenalty(fits []*logistic.Fit, dst []float32) (best int, loss float64) {
	rows := 0
	for _, fold := range t.Folds[:len(fits)] {
		rows += len(fold.Validation)
	}
	probabilities := make([]float32, rows*t.Classes)
	for penalty := range numPenalties {
		at := 0
		for _, fit := range fits {
			at += copy(probabilities[at:], fit.Validation(penalty))
		}
		l := metric.LogLoss(metric.Predictions{Probabilities: probabilities, Labels: t.Labels[:rows], Classes: t.Classes})
		if math.IsNaN(l) || math.IsInf(l, 0) { // there are no rows
			l = 0
		}
		if penalty == 0 || l < loss {
			best, loss = penalty, l
			copy(dst, probabilities)
		}
	}
	return best, loss
}

// Converged reports whether the fits of all folds have converged.
func (f *Fits) Converged() bool {
	return !slices.ContainsFunc(f.folds, func(fit *logistic.Fit) bool { return fit.Model(f.penalty) == nil })
}

// Model returns the logistic regression of a fold. It is nil if the fit has not converged.
func (f *Fits) Model(fold int) *logistic.Model { return f.folds[fold].Model(f.penalty) }

// Cost returns the estimated cost of Search, in nanoseconds of one core.
func (f *Fits) Cost() float64 { return f.cost }

// ChosenCost returns the part of Cost that is spent on the chosen width: on one fit for each fold.
func (f *Fits) ChosenCost() float64 { return cost(f.folds) }

// cost returns the sum of the costs of fits. Some of fits may be nil.
func cost(fits []*logistic.Fit) float64 {
	sum := 0.0
	for _, fit := range fits {
		if fit != nil {
			sum += fit.Cost()
		}
	}
	return sum
}

// ErrNotConverged is the error of Fit if the training did not converge.
var ErrNotConverged = errors.New("the training of the logistic regression did not converge")

// Fit fits a logistic regression with the width and the penalty of c to the given rows. The error
// is logistic.ErrTooWide, ErrNotConverged, or the error of ctx if ctx is cancelled.
func Fit(ctx context.Context, f *frame.Frame, rows []int32, classes int, c Params) (*logistic.Model, error) {
	fit, err := logistic.New(ctx, f, split.Fold{Train: rows}, logistic.Options{Classes: classes, Width: c.Width, Centers: maxCenters(f.Rows), Penalties: []float64{c.Penalty}})
	if err != nil {
		return nil, err
	}
	if fit.Model(0) == nil {
		return nil, ErrNotConverged
	}
	return fit.Model(0), nil
}
