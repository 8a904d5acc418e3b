package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/humanize"
)

// ClassWeightsBalanced selects weights that are inversely proportional to the number of rows of
// each class.
const ClassWeightsBalanced = "balanced"

// MaxClassWeight is the largest class weight. The smallest is 1/MaxClassWeight.
const MaxClassWeight = 1e6

// ClassWeights has the cost of a wrong prediction for each true class. In the zero value, all costs
// are 1.
type ClassWeights struct {
	// Balanced selects, for class c with n_c of n rows and k classes, the weight n/(k·n_c), as
	// in scikit-learn.
	Balanced bool
	// ByClass has the weights by label. A class that is not in ByClass has the weight 1.
	ByClass map[string]float64
}

// IsZero reports whether no weights were chosen, so that all classes have the weight 1.
func (w ClassWeights) IsZero() bool { return !w.Balanced && len(w.ByClass) == 0 }

// MarshalJSON returns "balanced", or an object with the weights by label.
func (w ClassWeights) MarshalJSON() ([]byte, error) {
	if w.Balanced {
		return json.Marshal(ClassWeightsBalanced)
	}
	return json.Marshal(w.ByClass)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (w *ClassWeights) UnmarshalJSON(b []byte) error {
	*w = ClassWeights{}
	var text string
	if json.Unmarshal(b, &text) == nil {
		if w.Balanced = text == ClassWeightsBalanced; !w.Balanced && text != "" {
			return fmt.Errorf("%q: must be %q or an object with a number for each class", text, ClassWeightsBalanced)
		}
		return nil
	}
	return json.Unmarshal(b, &w.ByClass)
}

// String returns the weights as ParseClassWeights reads them: balanced, or a list such as
// no=1,yes=5, in the order of the labels.
func (w ClassWeights) String() string {
	if w.Balanced {
		return ClassWeightsBalanced
	}
	var parts []string
	for _, label := range slices.Sorted(maps.Keys(w.ByClass)) {
		parts = append(parts, label+"="+strconv.FormatFloat(w.ByClass[label], 'g', -1, 64))
	}
	return strings.Join(parts, ",")
}

// ParseClassWeights parses balanced, or a list such as no=1,yes=5. A label may contain commas
// and equals signs. Spaces around a label are kept, see [ClassWeights.Resolve].
func ParseClassWeights(text string) (ClassWeights, error) {
	if text == "" || text == ClassWeightsBalanced {
		return ClassWeights{Balanced: text != ""}, nil
	}
	w := ClassWeights{ByClass: map[string]float64{}}
	pending := ""
	for _, part := range strings.Split(text, ",") {
		pending += part
		at := strings.LastIndex(pending, "=")
		value, err := strconv.ParseFloat(strings.TrimSpace(pending[at+1:]), 64)
		if at <= 0 || err != nil { // the comma belongs to the label
			pending += ","
			continue
		}
		label := pending[:at]
		if _, repeated := w.ByClass[label]; repeated {
			return ClassWeights{}, fmt.Errorf("%q: class %q has two weights", text, label)
		}
		w.ByClass[label] = value
		pending = ""
	}
	if pending != "" {
		return ClassWeights{}, fmt.Errorf("%q: must be balanced or CLASS=NUMBER, such as yes=5", strings.TrimSuffix(pending, ","))
	}
	return w, nil
}

// Resolve returns the weight of each class, or nil if the weights are equal. If no class is named
// exactly like a label in ByClass, Resolve ignores the spaces around this label. Resolve returns
// an error if a label is unknown, if a class has two weights, or if a weight is not from
// 1/MaxClassWeight to MaxClassWeight.
func (w ClassWeights) Resolve(classes []Class) ([]float64, error) {
	if w.IsZero() {
		return nil, nil
	}
	labels, quoted, weights := make([]string, len(classes)), make([]string, len(classes)), make([]float64, len(classes))
	given := make([]bool, len(classes))
	var rows int64
	for i, class := range classes {
		labels[i], quoted[i], weights[i] = class.Label, strconv.Quote(class.Label), 1
		rows += class.Rows
	}
	for _, label := range slices.Sorted(maps.Keys(w.ByClass)) {
		at, weight := slices.Index(labels, label), w.ByClass[label]
		if at < 0 {
			at = slices.Index(labels, strings.TrimSpace(label))
		}
		switch {
		case at < 0:
			return nil, fmt.Errorf("unknown class %q; known classes: %s", label, humanize.List(quoted, 20))
		case given[at]:
			return nil, fmt.Errorf("class %q has two weights", labels[at])
		case math.IsNaN(weight) || weight > MaxClassWeight || weight < 1/MaxClassWeight:
			return nil, fmt.Errorf("%v is the weight of class %q: must be between %g and %g", weight, label, 1.0/MaxClassWeight, float64(MaxClassWeight))
		}
		weights[at], given[at] = weight, true
	}
	if w.Balanced {
		for i, class := range classes {
			weights[i] = float64(rows) / (float64(len(classes)) * float64(max(class.Rows, 1)))
		}
	}
	return weights, nil
}
