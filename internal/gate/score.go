package gate

import (
	"math"

	"foretell/internal/api"
)

// Score is the value of a metric on labelled rows.
type Score struct {
	// Value is nil if the metric could not be computed.
	Value *float64
	// Interval is the 95 % confidence interval of Value. It is nil if it is unknown.
	Interval *api.Interval
	Rows     int64
	// OneClass is true if all labelled rows are of one class. It is also true if all labelled rows
	// whose label is a class of the model are of one class.
	OneClass bool
}

// EvaluateScore compares the requirement with the value of its metric. If OneClass is true, the
// requirement is missed unless its metric is a recall, as in Evaluate.
func (r *Requirement) EvaluateScore(s Score) Result {
	if r.Metric != Recall && s.OneClass {
		return Result{Requirement: r.text, Reason: "not measured: the answers are all of one class"}
	}
	v := Result{Requirement: r.text, Value: s.Value, Interval: s.Interval, Rows: s.Rows}
	if s.Value == nil {
		v.Reason = "not measured: it needs rows of at least two classes and the probabilities of all classes"
		switch {
		case r.Metric == Precision:
			v.Reason = "not measured: no row was predicted as this class"
		case r.Class != "":
			v.Reason = "not measured: it needs rows of this class; areas under curves also need the probabilities of all classes"
		}
		return v
	}
	v.Holds = r.isMet(*s.Value)
	v.Reason = "holds"
	switch {
	case v.Holds:
	case *s.Value == r.Bound:
		v.Reason = "missed: equal to the bound"
	default:
		v.Reason = "missed by " + formatDistinctly(math.Abs(*s.Value-r.Bound), 0)
	}
	return v
}
