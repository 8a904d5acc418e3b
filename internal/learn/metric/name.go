package metric

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/humanize"
)

// Names of the metrics as the API spells them. NameF1, NamePrecision and NameRecall are metrics of
// one class, as in f1[yes], where yes is the label of the class. NameROCAUC and NamePRAUC can be
// metrics of one class or of all classes. All other names are metrics of all classes together. A
// race can maximise all of them except NamePrecision and NameRecall.
const (
	NameAccuracy         = "accuracy"
	NameBalancedAccuracy = "balancedAccuracy"
	NameMacroF1          = "macroF1"
	NameROCAUC           = "rocAuc"
	NamePRAUC            = "prAuc"
	NameLogLoss          = "logLoss"
	NameF1               = "f1"
	NamePrecision        = "precision"
	NameRecall           = "recall"
)

// classNames are the metrics of one class that a race can maximise.
var classNames = []string{NameF1, NameROCAUC, NamePRAUC}

// RaceNames returns the metrics of all classes together that a race can maximise.
func RaceNames() []string {
	return []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC, NamePRAUC, NameLogLoss}
}

// ReportNames returns the metrics of all classes together that are in the report of a model:
// RaceNames and the metrics of calibration.
func ReportNames() []string { return append(RaceNames(), NameBrier, NameCalibrationError) }

// SplitName splits the name of a metric of one class into the metric and the label of the
// class: "f1[yes]" → "f1", "yes". For any other name it returns name and "".
func SplitName(name string) (base, class string) {
	base, rest, found := strings.Cut(name, "[")
	class, closed := strings.CutSuffix(rest, "]")
	if !found || !closed {
		return name, ""
	}
	return base, class
}

// CheckName returns an error if name is not a metric that a race can maximise, or if it
// names a class that is not in classes. If classes is nil, any class is allowed.
func CheckName(name string, classes []string) error {
	base, class := SplitName(name)
	switch {
	case base == name && slices.Contains(RaceNames(), name):
		return nil
	case base == name || !slices.Contains(classNames, base):
		return fmt.Errorf("%q: must be one of %s", name, describeNames())
	case classes != nil && !slices.Contains(classes, class):
		return fmt.Errorf("%q: unknown class %q; known classes: %s", name, class, humanize.List(classes, 20))
	}
	return nil
}

// describeNames returns all names that CheckName accepts, separated by commas.
func describeNames() string {
	names := RaceNames()
	for _, name := range classNames {
		names = append(names, name+"[CLASS]")
	}
	return strings.Join(names, ", ")
}

// UsesDecisions reports whether the named metric is computed from predicted classes.
// Other metrics are computed from probabilities.
func UsesDecisions(name string) bool {
	base, _ := SplitName(name)
	switch base {
	case NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameF1:
		return true
	}
	return false
}

// UsesCalibration reports whether the named metric measures the probabilities themselves, and is
// therefore computed from calibrated probabilities. Metrics that depend only on the order of the
// probabilities are computed from probabilities that are not calibrated.
func UsesCalibration(name string) bool {
	switch name {
	case NameLogLoss, NameBrier, NameCalibrationError:
		return true
	}
	return false
}

// parseMetricName splits the name of a metric into the metric and the index of its class: "f1[yes]" →
// "f1", 1. known is false if the class is not in p.Names, or if the metric is not a metric of one
// class. For a name without a class, class is -1 and known is true, even if there is no metric with
// this name.
func (p Predictions) parseMetricName(name string) (base string, class int, known bool) {
	base, label := SplitName(name)
	if base == name {
		return name, -1, true
	}
	class = slices.Index(p.Names, label)
	return base, class, class >= 0 && slices.Contains(classNames, base)
}
