package learn

import (
	"context"
	"math"
	"slices"

	"foretell/internal/learn/evaluation"
	"foretell/internal/learn/explain"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/model"
	"foretell/internal/learn/split"
)

// newValidation returns the validation rows and the fold models of c for package explain. The fold
// models have the temperature and the decision weights of m.
func (r *race) newValidation(m *model.Model, c *candidate) *explain.Validation {
	return &explain.Validation{
		Schema: r.data.Schema,
		Used:   r.data.usedFeatures(),
		Sample: r.sampleValidation,
		FoldModel: func(fold int) (explain.FoldModel, error) {
			members, err := c.loadFold(fold, len(r.plan.Folds))
			if err != nil {
				return explain.FoldModel{}, err
			}
			return m.FoldModel(members), nil
		},
		Score: func(ctx context.Context, probabilities []float32, labels []int32) (float64, error) {
			p := m.Predictions(probabilities, labels)
			p.ClassRows = r.evaluator.ClassRows
			scored := evaluation.Evaluator{Metric: r.evaluator.Metric, Labels: labels, Names: p.Names}
			switch {
			case r.usesWeightedAccuracy():
				return metric.WeightedAccuracy(p), ctx.Err()
			case !scored.IsMeasurable(): // these rows may lack a class that other validation rows have
				return math.NaN(), ctx.Err()
			}
			return metric.Score(ctx, r.evaluator.Metric, p)
		},
		RareShare: r.rareClassFraction(),
		Seed:      r.data.params.Seed, Workers: r.data.params.Workers,
	}
}

// usesWeightedAccuracy reports whether importances are decreases of the weighted accuracy, as in a
// race for accuracy with class weights. In such a race, plain accuracy may even increase when a
// useful column is shuffled.
func (r *race) usesWeightedAccuracy() bool {
	return r.data.params.ClassWeights != nil && r.evaluator.Metric == metric.NameAccuracy
}

// rareClassFraction returns the fraction of the validation rows that are of the class on which the
// metric mainly depends; see explain.Validation.RareShare.
func (r *race) rareClassFraction() float64 {
	rows := make([]int, len(r.data.Schema.Classes))
	for _, label := range r.evaluator.Labels {
		rows[label]++
	}
	share := func(n int) float64 { return float64(n) / float64(max(len(r.evaluator.Labels), 1)) }
	base, label := metric.SplitName(r.evaluator.Metric)
	switch class := slices.Index(r.data.Schema.Classes, label); {
	case base != r.evaluator.Metric && class >= 0:
		return share(rows[class])
	case (base != metric.NameAccuracy || r.usesWeightedAccuracy()) && len(rows) == 2:
		return share(min(rows[0], rows[1]))
	}
	return 0
}

// sampleValidation returns at most maxRows validation rows. Each fold contributes an equal share of
// maxRows. A fold with fewer validation rows contributes all of them.
func (r *race) sampleValidation(maxRows int) explain.Sample {
	var rows []int32
	var ends []int
	for _, fold := range r.plan.Folds {
		rows = append(rows, split.Subsample(fold.Validation, maxRows/len(r.plan.Folds))...)
		ends = append(ends, len(rows))
	}
	return explain.Sample{Frame: r.data.selectRows(rows), Groups: split.Gather(r.data.params.Groups, rows), Ends: ends}
}
