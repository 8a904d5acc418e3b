package learn

import (
	"slices"
	"time"

	"foretell/internal/learn/model"
	"foretell/internal/learn/split"
	"foretell/internal/spill"
)

// Params are the parameters of a race. The zero value of a field selects its default.
type Params struct {
	// Algorithms are the names of the algorithms to train: BSIX01 for two classes, MSIX01
	// for more, and so on. Their order does not matter. Defaults to the algorithms of
	// Effort.
	Algorithms []string
	// Effort is how much the race trains. Defaults to EffortDefault.
	Effort Effort
	// ScalingFactor is the number of leaves of a tree in SIX01, boosting with leaf-wise trees. In
	// FIF01, a forest, a tree has ScalingFactor leaves per thousand training rows. If ScalingFactor
	// is 0, the sizes are chosen from the data.
	ScalingFactor int
	// Buckets is the number of bins of a numeric feature for SEV02, boosting with symmetric trees.
	// Defaults to 64.
	Buckets int
	// Groups holds the group of each row, such as a customer; -1 means no group. If Groups is nil,
	// no row has a group. Rows of a group are never divided between training, validation and test
	// rows. Unless Times is set, this also holds for rows that are equal in every feature.
	Groups []int32
	// Times holds the time of each row, in any unit; NaN means unknown. If Times is set, models are
	// scored only on rows that are later than the rows that they were trained on, and rows without
	// a time are used only by the refit. If Times is nil, the order of the rows does not matter.
	Times []float64
	// GroupColumn and TimeColumn are the names of the columns from which Groups and Times were
	// read. They are used only in the notes of the report.
	GroupColumn, TimeColumn string
	// Threshold is the performance, from 0 to 1, at which a run wins the race. If it is 0, the
	// first score wins. If Threshold is nil, every run trains until it no longer improves.
	Threshold *float64
	// Metric is the metric by which models are compared: accuracy, balancedAccuracy,
	// macroF1, rocAuc, prAuc, logLoss, or rocAuc, prAuc or f1 of one class, such as
	// f1[yes]. Its value is the performance of a model; for logLoss the performance is
	// metric.Likelihood. Defaults to accuracy.
	Metric string
	// ClassWeights maps the label of each class to the cost of a wrong prediction for a
	// row of this class, a positive number. The class with the highest product of
	// probability and weight is predicted. The weights do not change the probabilities.
	// If ClassWeights is nil and Metric depends on decisions, such as macroF1, the race
	// fits decision weights that maximise Metric.
	ClassWeights map[string]float64
	// Monotone maps names of columns of the file to directions. With the direction 1, the
	// probability of the second class never decreases when the value in the column increases and
	// all other columns stay the same. With -1, this probability never increases. Missing cells of
	// the column are exempt. There must be two classes, and Schema.OrderedFeature must not return
	// an error for the column. Algorithms that do not support directions do not take part; it is an
	// error if Algorithms names one of them.
	Monotone map[string]int
	// Seed is the seed of all random numbers.
	Seed uint64
	// Workers is the number of goroutines that train. It does not change the
	// model. Defaults to GOMAXPROCS.
	Workers int
	// TimeLimit is the maximum duration of Race, including the refit; 0 means no limit.
	// It requires Now.
	TimeLimit time.Duration
	// Now is the clock for TimeLimit and Run.Seconds. If it is nil, there is no limit and
	// Run.Seconds is nil.
	Now func() time.Time
	// Closing Stop ends the race at once, without a refit: the model is then the mean of the fold
	// models of the best candidate. Stop may be nil.
	Stop <-chan struct{}
	// Disk is a temporary file for trees and models that are not needed before the end of the race.
	// It does not change the model. It must stay open until the outcome's model has been written.
	// If Disk is nil, this data is held in memory.
	Disk *spill.File
	// Remote lets other machines train some of the algorithms. It does not change the
	// model. It may be nil.
	Remote *RemoteRuns
	// Progress is called for each score and change of status, by one goroutine
	// at a time. It must return quickly. It may be nil.
	Progress func(Event)
}

// clock returns the current time, or the zero time without a clock.
func (p *Params) clock() time.Time {
	if p.Now == nil {
		return time.Time{}
	}
	return p.Now()
}

// Event is a new score of an algorithm or a change of its status.
type Event struct {
	Algorithm string
	Status    Status
	// Performance is the performance after the last step, or 0 before the first score.
	Performance float64
	// BestPerformance and BestLogLoss are the scores of the best step so far. They are NaN before
	// the first score and if the metric cannot be computed on the validation rows.
	BestPerformance, BestLogLoss float64
	// Step is the number of steps scored so far. It is 0 if the metric cannot be computed on the
	// validation rows.
	Step int
}

// Effort determines how many algorithms and folds a race trains, and for how long the network
// trains. The empty string means [EffortDefault].
type Effort string

// The efforts, spelt as in the API.
const (
	EffortFast    Effort = "fast"
	EffortDefault Effort = "default"
	EffortBest    Effort = "best"
)

// Includes reports whether a race of this effort trains the named algorithm by default,
// when Params.Algorithms is empty. EffortFast includes only the two kinds of boosting.
func (e Effort) Includes(name string) bool {
	return slices.ContainsFunc(algorithms, func(a algorithm) bool { return a.Name == model.BaseName(name) && e.includes(&a) })
}

// includes does the same as Includes for an algorithm that is not given by name.
func (e Effort) includes(a *algorithm) bool { return a.fast || e != EffortFast }

// fastFolds is the largest number of folds of a run in a fast race without Params.Times.
const fastFolds = split.MinMergedFolds

// maxFolds returns the maximum number of folds in a run of algorithm a; 0 means no limit.
func (e Effort) maxFolds(a *algorithm) int {
	if e == EffortFast {
		return fastFolds
	}
	return a.maxFolds
}

// scheduleFactor returns the factor by which the network's default number of epochs is multiplied.
// Four times as many epochs lowered the log loss of the blend on some tables of about 10,000 rows,
// on which the network is better than the trees; see docs/experiments.md.
func (e Effort) scheduleFactor() int {
	if e == EffortBest {
		return 4
	}
	return 1
}
