package metric

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/humanize"
)

// Names of the metrics as the API spells them. NameROCAUC and NamePRAUC are also
// metrics of one class, as in rocAuc[yes]; NameF1 is only a metric of one class, as in
// f1[yes]. The class is its label.
const (
	NameAccuracy         = "accuracy"
	NameBalancedAccuracy = "balancedAccuracy"
	NameMacroF1          = "macroF1"
	NameROCAUC           = "rocAuc"
	NamePRAUC            = "prAuc"
	NameLogLoss          = "logLoss"
	NameF1               = "f1"
)

var (
	overallNames = []string{NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC, NamePRAUC, NameLogLoss}
	classNames   = []string{NameF1, NameROCAUC, NamePRAUC}
)

// SplitName divides the name of a metric of one class, such as f1[yes], into the name of
// the metric and the label of the class. It returns name and "" for another metric.
func SplitName(name string) (base, class string) {
	base, rest, found := strings.Cut(name, "[")
	class, closed := strings.CutSuffix(rest, "]")
	if !found || !closed {
		return name, ""
	}
	return base, class
}

// CheckName returns an error if no race can be run for the named metric on a label of
// the given classes. If classes is nil, only the form of the name is checked.
func CheckName(name string, classes []string) error {
	base, class := SplitName(name)
	switch {
	case base == name && slices.Contains(overallNames, name):
		return nil
	case base == name || !slices.Contains(classNames, base):
		return fmt.Errorf("%q: must be one of %s", name, describeNames())
	case classes != nil && !slices.Contains(classes, class):
		return fmt.Errorf("%q: unknown class %q; known classes: %s", name, class, humanize.List(classes, 20))
	}
	return nil
}

// describeNames returns the list of all names.
func describeNames() string {
	names := slices.Clone(overallNames)
	for _, name := range classNames {
		names = append(names, name+"[CLASS]")
	}
	return strings.Join(names, ", ")
}

// UsesDecisions reports whether the named metric is computed from predicted classes. The
// others are computed from probabilities.
func UsesDecisions(name string) bool {
	base, _ := SplitName(name)
	switch base {
	case NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameF1:
		return true
	}
	return false
}

// resolve returns the metric and the class, an index, of a name. The class is -1 for a
// metric of all classes. The result known is false if p has no such class or the name is
// unknown.
func (p Predictions) resolve(name string) (base string, class int, known bool) {
	base, label := SplitName(name)
	if base == name {
		return name, -1, true
	}
	class = slices.Index(p.Names, label)
	return base, class, class >= 0 && slices.Contains(classNames, base)
}
