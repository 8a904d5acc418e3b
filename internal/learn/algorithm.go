package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/learn/model"
	"foretell/internal/learn/split"
)

// fitter trains one model on the training rows of one fold, step by step. The type
// adapter wraps the fitters of the packages boost, forest and neural to implement
// fitter.
type fitter interface {
	// Step trains for one more step. done reports whether it was the last step.
	Step(ctx context.Context) (done bool, err error)
	// Cost returns the estimated time of the steps so far, in nanoseconds of one core. It
	// is the same on every machine, because it is computed from the data and the
	// parameters.
	Cost() float64
	// Progress returns the position in the training schedule: 0 at the beginning and 1 at the end.
	// Each call of DoubleSchedule doubles the position of the end. Progress never decreases. It is
	// NaN if the fitter does not know in advance when its training ends.
	Progress() float64
	// DoubleSchedule makes the schedule twice as long. It is called only in the middle of the
	// schedule and only if algorithm.doubles is true.
	DoubleSchedule()
	// PredictValidation writes the class probabilities of the fold's Validation
	// rows to dst, row-major.
	PredictValidation(dst []float32)
	// Checkpoint saves the current model, which Model then returns.
	Checkpoint()
	// Model returns the model that the last Checkpoint saved, or the current model if
	// there is no checkpoint.
	Model() model.Predictor
}

// algorithm describes an algorithm of the race.
type algorithm struct {
	*model.Algorithm
	// newFitter returns a new fitter.
	newFitter func(ctx context.Context, t fitTask) (fitter, error)
	// patience is the number of consecutive steps without improvement after which a run has stalled
	// and its fitters stop. holdoutPatience replaces patience if there is one holdout instead of
	// folds, or if the schedule has been doubled. A holdout contains many rows, so its scores are
	// less noisy and a smaller number suffices.
	patience, holdoutPatience int
	// costRank is the rank of the algorithm by its usual cost: 1 for the cheapest.
	costRank int
	// maxFolds is the largest number of folds of a run, at least split.MinMergedFolds; 0 means no
	// limit. If the validation plan contains more folds, the run merges them; see split.MergeFolds.
	maxFolds int
	// stepGrowth determines the number of steps of a refit if the fitters' Progress is NaN: with r
	// times as many training rows as a fold, the refit does r^stepGrowth times as many steps. If
	// Progress is a number, the refit ends at the Progress that the folds had reached at their best
	// step.
	stepGrowth float64
	// rowMajor reports whether the fitters build a row-major copy of the bins. The copy is freed
	// when the run has ended.
	rowMajor bool
	// fast reports whether races of EffortFast train the algorithm by default. longer reports whether
	// races of EffortBest train it for longer.
	fast, longer bool
	// monotone reports whether the algorithm supports Params.Monotone.
	monotone bool
	// doubles reports whether the schedule may be doubled; see run.doubleIfSteep.
	doubles bool
	// smooth reports whether a logistic regression, the smooth part, is added to
	// models of small tables; see addSmoothPart.
	smooth bool
}

// fitTask holds the arguments of algorithm.newFitter.
type fitTask struct {
	data       *trainingData
	fold       split.Fold
	foldIndex  int // the index of the fold in the race, or refitFold for a refit on all rows
	seed       uint64
	workers    int
	workspaces *workspaces
}

// variant is an algorithm for two classes or for more than two.
type variant struct {
	// Name is the name in the API: BSIX01 for two classes, MSIX01 for more.
	Name      string
	algorithm *algorithm
}

// newVariants returns the variants of algorithms for the given number of
// classes, in the order of algorithms.
func newVariants(algorithms []algorithm, classes int) []variant {
	prefix := "B"
	if classes > 2 {
		prefix = "M"
	}
	variants := make([]variant, len(algorithms))
	for i := range algorithms {
		variants[i] = variant{Name: prefix + algorithms[i].Name, algorithm: &algorithms[i]}
	}
	return variants
}

// findVariant returns the variant with the given name. The error for an unknown
// name lists the known names.
func findVariant(algorithms []algorithm, name string, classes int) (variant, error) {
	known := newVariants(algorithms, classes)
	for _, v := range known {
		if v.Name == name {
			return v, nil
		}
		if base := model.BaseName(name); base != name && base == v.algorithm.Name {
			return variant{}, fmt.Errorf("algorithm=%q: a label of %d classes needs %s", name, classes, v.Name)
		}
	}
	names := make([]string, len(known))
	for i, v := range known {
		names[i] = v.Name
	}
	return variant{}, fmt.Errorf("algorithm=%q: must be one of %s", name, strings.Join(names, ", "))
}

// selectVariants returns the named variants in the order of algorithms. If
// names is empty, it returns all of them.
func selectVariants(algorithms []algorithm, names []string, classes int) ([]variant, error) {
	if len(names) == 0 {
		return newVariants(algorithms, classes), nil
	}
	for _, name := range names {
		if _, err := findVariant(algorithms, name, classes); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(newVariants(algorithms, classes), func(v variant) bool {
		return !slices.Contains(names, v.Name)
	}), nil
}
