package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
)

// learner learns one part of a frame, step by step. The packages boost, forest
// and neural each have a type of this shape.
type learner interface {
	// Step does the next unit of learning; done tells that further ones would
	// be useless.
	Step(ctx context.Context) (done bool, err error)
	// Cost estimates the work done so far in nanoseconds of one core, from
	// the shape of the data alone.
	Cost() float64
	// EvalProbabilities writes the class probabilities of the part's Eval rows.
	EvalProbabilities(dst []float32)
	// Checkpoint remembers the present state as the one Model returns.
	Checkpoint()
	// Model returns the state last kept, the present one if there is none.
	Model() predictor
}

// predictor is what a learner has learnt: it does not change and may be used
// by any number of goroutines.
type predictor interface {
	// Predict writes the class probabilities of f's rows lo…hi-1, row major.
	Predict(dst []float32, f *frame.Frame, lo, hi int)
	// AppendBinary appends the predictor's bytes to b.
	AppendBinary(b []byte) ([]byte, error)
}

// method is one of the algorithms.
type method struct {
	// name is the algorithm's without the B or M for two or many classes.
	name string
	// kind stands for the method in model files and seeds. It never changes.
	kind uint8
	// open makes a fitter.
	open func(ctx context.Context, t task) (learner, error)
	// read is the inverse of the predictor's AppendBinary. Every malformed
	// input is an error, and nothing of b is kept.
	read func(b []byte) (predictor, error)
	// patience is the number of steps without improvement after which a run
	// has stalled; half of it where one holdout of many rows is the judge,
	// which is seldom misled.
	patience int
	// growth is by how much the number of steps grows with the rows: the
	// refit on r times as many rows as a fold does r^growth times as many.
	growth float64
}

// task is what a method makes a fitter for.
type task struct {
	table   *table
	part    split.Part
	number  int // of the part among the folds; refitPart for all rows
	seed    uint64
	workers int
	rooms   *rooms
}

// entrant is an algorithm for a number of classes.
type entrant struct {
	// Name is as in the API: BSIX01 for two classes, MSIX01 for more.
	Name string
	by   *method
}

// namesOf returns the algorithms for a number of classes, in the order in
// which they are shown and in which ties between them are decided.
func namesOf(methods []method, classes int) []entrant {
	prefix := "B"
	if classes > 2 {
		prefix = "M"
	}
	list := make([]entrant, len(methods))
	for i := range methods {
		list[i] = entrant{Name: prefix + methods[i].name, by: &methods[i]}
	}
	return list
}

func methodOf(methods []method, name string, classes int) (entrant, error) {
	known := namesOf(methods, classes)
	for _, m := range known {
		if m.Name == name {
			return m, nil
		}
		if name != "" && m.by.name == name[1:] && strings.ContainsAny(name[:1], "BM") {
			return entrant{}, fmt.Errorf("algorithm=%q: a label of %d classes needs %s", name, classes, m.Name)
		}
	}
	names := make([]string, len(known))
	for i, m := range known {
		names[i] = m.Name
	}
	return entrant{}, fmt.Errorf("algorithm=%q: must be one of %s", name, strings.Join(names, ", "))
}

// entrants returns the named methods in the order of methods; all of them for
// no names.
func entrants(methods []method, names []string, classes int) ([]entrant, error) {
	if len(names) == 0 {
		return namesOf(methods, classes), nil
	}
	for _, name := range names {
		if _, err := methodOf(methods, name, classes); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(namesOf(methods, classes), func(m entrant) bool {
		return !slices.Contains(names, m.Name)
	}), nil
}
