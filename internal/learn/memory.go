package learn

import (
	"foretell/internal/learn/split"
)

// Shape is the size of a training table: its rows, its features (the columns of the
// schema) and its classes.
type Shape struct{ Rows, Features, Classes int }

// The parts of EstimateMemory, in bytes. They were fitted to measured peaks, see
// docs/benchmarks.md.
const (
	// processBytes is the memory of the process without a race.
	processBytes = 85e6
	// featureBytes is for a feature: histograms and parameters of networks.
	featureBytes = 100e3
	// cellBytes is for a feature of a row: 1 to 8 bytes in the frame, and the bins.
	cellBytes = 9
	// tableBytes is for a class of a validation row. It covers the tables of
	// probabilities of an algorithm: the current and the best step, and its part in the
	// blend and the calibration.
	tableBytes = 8
	// sharedTableBytes is for a class of a validation row, for the tables that do not
	// depend on the number of algorithms.
	sharedTableBytes = 12
)

// scoreBytes is for a class of a row, by the name of an algorithm without its prefix:
// scores and gradients of boosting, and votes of a forest. The networks keep none.
var scoreBytes = map[string]float64{"SIX01": 6, "SEV02": 7, "FIF01": 4}

// EstimateMemory returns the estimated peak memory, in bytes, of a race of the named
// algorithms on a table of shape s. It includes the table and the process.
func EstimateMemory(s Shape, algorithms []string) int64 {
	rows, classes := float64(s.Rows), float64(s.Classes)
	folds, validation := split.PlanSize(s.Rows)
	bytes := processBytes + rows*float64(s.Features)*cellBytes + float64(min(s.Features, maxFeatures))*featureBytes + float64(validation)*classes*sharedTableBytes
	for _, name := range algorithms {
		bytes += float64(validation) * classes * tableBytes
		for algorithm, perScore := range scoreBytes {
			if len(name) > 0 && name[1:] == algorithm {
				bytes += float64(folds) * rows * classes * perScore
			}
		}
	}
	return int64(bytes)
}
