package learn

import "strings"

// Effort determines how many algorithms and folds a race trains. The empty string means
// [EffortDefault].
type Effort string

// The efforts, spelt as in the API.
const (
	EffortFast    Effort = "fast"
	EffortDefault Effort = "default"
)

// Includes reports whether a race of this effort trains the named algorithm by default,
// when Params.Algorithms is empty. EffortFast includes only the two kinds of boosting.
func (e Effort) Includes(algorithm string) bool {
	if e != EffortFast {
		return true
	}
	name := strings.TrimLeft(algorithm, "BM")
	return name == "SIX01" || name == "SEV02"
}

// fastFolds is the largest number of folds of a run in a fast race without Params.Times.
const fastFolds = 3

// maxFolds returns the maximum number of folds in a run of algorithm a; 0 means no limit.
func (e Effort) maxFolds(a *algorithm) int {
	if e == EffortFast {
		return fastFolds
	}
	return a.maxFolds
}
