package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// fitter trains on one fold, step by step. The types of the packages boost,
// forest and neural implement it by adapter.
type fitter interface {
	// Step does the next unit of training. done reports that there is no
	// further one.
	Step(ctx context.Context) (done bool, err error)
	// Cost returns the estimated cost of the steps so far in nanoseconds of one
	// core. It depends on the shape of the data only.
	Cost() float64
	// PredictValidation writes the class probabilities of the fold's Validation
	// rows to dst, row-major.
	PredictValidation(dst []float32)
	// Checkpoint saves the current state as the one that Model returns.
	Checkpoint()
	// Model returns the state of the last Checkpoint, or the current state if
	// there is none.
	Model() predictor
}

// predictor is the model of a fitter. It is immutable and safe for concurrent
// use.
type predictor interface {
	// Predict writes the class probabilities of f's rows lo…hi-1 to dst,
	// row-major.
	Predict(dst []float32, f *frame.Frame, lo, hi int)
	// AppendBinary appends the predictor's binary form to b.
	AppendBinary(b []byte) ([]byte, error)
}

// algorithm describes one of the algorithms.
type algorithm struct {
	// name is the algorithm's name without the prefix B (two classes) or M
	// (more).
	name string
	// kind identifies the algorithm in model files and seeds. It never changes.
	kind uint8
	// newFitter returns a new fitter.
	newFitter func(ctx context.Context, t fitTask) (fitter, error)
	// read is the inverse of the predictor's AppendBinary. Malformed input is an
	// error. read does not retain b.
	read func(b []byte) (predictor, error)
	// patience is the number of steps without improvement after which a run has
	// stalled. It is halved for a single holdout: its many rows have less noise.
	patience int
	// stepGrowth is the exponent by which the number of steps grows with the
	// rows: a refit on r times the rows of a fold does r^stepGrowth times the
	// steps.
	stepGrowth float64
}

// fitTask holds the arguments of algorithm.newFitter.
type fitTask struct {
	data       *trainingData
	fold       split.Fold
	foldIndex  int // refitFold for all rows
	seed       uint64
	workers    int
	workspaces *workspaces
}

// variant is an algorithm for two classes or for more.
type variant struct {
	// Name is the name in the API: BSIX01 for two classes, MSIX01 for more.
	Name      string
	algorithm *algorithm
}

// variantsOf returns the variants of algorithms for a number of classes, in the
// same order.
func variantsOf(algorithms []algorithm, classes int) []variant {
	prefix := "B"
	if classes > 2 {
		prefix = "M"
	}
	list := make([]variant, len(algorithms))
	for i := range algorithms {
		list[i] = variant{Name: prefix + algorithms[i].name, algorithm: &algorithms[i]}
	}
	return list
}

func variantNamed(algorithms []algorithm, name string, classes int) (variant, error) {
	known := variantsOf(algorithms, classes)
	for _, m := range known {
		if m.Name == name {
			return m, nil
		}
		if name != "" && m.algorithm.name == name[1:] && strings.ContainsAny(name[:1], "BM") {
			return variant{}, fmt.Errorf("algorithm=%q: a label of %d classes needs %s", name, classes, m.Name)
		}
	}
	names := make([]string, len(known))
	for i, m := range known {
		names[i] = m.Name
	}
	return variant{}, fmt.Errorf("algorithm=%q: must be one of %s", name, strings.Join(names, ", "))
}

// selectVariants returns the named variants in the order of algorithms, all of
// them if names is empty.
func selectVariants(algorithms []algorithm, names []string, classes int) ([]variant, error) {
	if len(names) == 0 {
		return variantsOf(algorithms, classes), nil
	}
	for _, name := range names {
		if _, err := variantNamed(algorithms, name, classes); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(variantsOf(algorithms, classes), func(m variant) bool {
		return !slices.Contains(names, m.Name)
	}), nil
}
