package receipt

import (
	"reflect"
	"slices"

	"foretell/internal/api"
)

// comparedValue is a statement in two receipts: its kind, such as "scores", and its two values.
type comparedValue struct {
	kind          string
	given, stored any
}

// CompareModel compares what r says about the model with the receipt stored, which was made from
// the data of the service about the same prediction. It returns the kinds of statements that both
// receipts contain, such as "scores", and which of these kinds differ. It ignores statements that
// only one receipt contains, because receipts of other versions contain other statements.
func (r *Receipt) CompareModel(stored *Receipt) (compared, differing []string) {
	list := []comparedValue{
		{"model", r.Model.ModelKey, stored.Model.ModelKey},
		{"model", r.Model.DatasetKey, stored.Model.DatasetKey},
		{"model", r.Model.TrainingJobKey, stored.Model.TrainingJobKey},
		{"model", r.Model.Version, stored.Model.Version},
		{"algorithm", r.Model.Algorithm, stored.Model.Algorithm},
		{"algorithm", r.Model.Blend, stored.Model.Blend},
		{"seed", r.Model.Seed, stored.Model.Seed},
	}
	if given, known := r.Race, stored.Race; given != nil && known != nil {
		list = append(list, given.comparedValues(known)...)
	}
	if given, known := r.Performance, stored.Performance; given != nil && known != nil {
		list = append(list, given.comparedValues(known)...)
	}
	for _, one := range list {
		given, known := reflect.ValueOf(one.given), reflect.ValueOf(one.stored)
		if given.IsZero() || known.IsZero() {
			continue
		}
		if !slices.Contains(compared, one.kind) {
			compared = append(compared, one.kind)
		}
		if !reflect.DeepEqual(one.given, one.stored) && !slices.Contains(differing, one.kind) {
			differing = append(differing, one.kind)
		}
	}
	return compared, differing
}

// comparedValues returns the options of a race in two receipts.
func (r *Race) comparedValues(stored *Race) []comparedValue {
	const kind = "race"
	return []comparedValue{
		{kind, r.Metric, stored.Metric},
		{kind, r.Threshold, stored.Threshold},
		{kind, r.ScalingFactor, stored.ScalingFactor},
		{kind, r.Buckets, stored.Buckets},
		{kind, r.Algorithms, stored.Algorithms},
		{kind, r.GroupColumn, stored.GroupColumn},
		{kind, r.TimeColumn, stored.TimeColumn},
		{kind, r.Effort, stored.Effort},
		{kind, r.ClassWeights, stored.ClassWeights},
		{kind, r.Monotone, stored.Monotone},
		{kind, r.TimeLimitSeconds, stored.TimeLimitSeconds},
		{kind, r.Outcome, stored.Outcome},
	}
}

// comparedValues returns the measured performance in two receipts.
func (m *Metrics) comparedValues(stored *Metrics) []comparedValue {
	const kind = "scores"
	list := []comparedValue{{kind, m.Metric, stored.Metric}, {kind, m.Rows, stored.Rows}}
	for _, pair := range [][2]*Score{{m.Validation, stored.Validation}, {m.Test, stored.Test}} {
		given, known := pair[0], pair[1]
		if given == nil || known == nil {
			continue
		}
		list = append(list, comparedValue{kind, given.Rows, known.Rows}, comparedValue{kind, &given.Value, &known.Value})
		for _, metric := range api.RaceMetrics() {
			a, hasGiven := given.Scores.Value(metric)
			b, hasStored := known.Scores.Value(metric)
			if hasGiven && hasStored {
				list = append(list, comparedValue{kind, &a, &b}) // pointers, because a score may be 0
			}
		}
	}
	return list
}
