// Package modelreport converts the outcome of a race to the report of its model: the API's type, and
// the JSON that the database stores.
package modelreport

import (
	"encoding/json"
	"slices"

	"foretell/internal/api"
	"foretell/internal/learn"
	"foretell/internal/store"
)

// New returns the report of the model that a race has produced. modelKey is the key of the model,
// and o the outcome of the race.
func New(modelKey string, race *store.Training, o *learn.Outcome) *api.ModelReport {
	r := o.Report
	out := &api.ModelReport{
		ModelKey: modelKey, Algorithm: o.Algorithm, Metric: r.Metric, Seed: int64(r.Seed), TargetPerformance: race.Threshold, Notes: r.Notes, RefitInterrupted: r.RefitInterrupted, GroupColumn: race.GroupColumn, TimeColumn: race.TimeColumn, Effort: race.Effort, ClassWeights: r.ClassWeights, Monotone: race.Monotone,
		Rows: int64(r.Rows), TestRows: int64(r.TestRows), ValidationRows: int64(r.ValidationRows), TrainingRows: int64(r.TrainingRows), UsedRows: int64(r.UsedRows), SingletonRows: int64(r.SingletonRows), UntrainedClasses: r.UntrainedClasses,
		Validation: toScores(r.Validation, r.ValidationRows), Test: toScores(r.Test, r.TestRows), Training: toScores(r.Training, r.TrainingRows),
		Baseline: &api.Baseline{
			Label:      r.Baseline.Label,
			Validation: toScores(r.Baseline.Validation, r.ValidationRows), Test: toScores(r.Baseline.Test, r.TestRows),
		},
		Features: int64(r.Features), ScreenedFeatures: int64(r.Screened), Copies: int64(r.Copies), CopiesDivided: r.CopiesDivided,
		Classes: []api.ClassReport{}, Confusion: [][]int64{}, Algorithms: []api.AlgorithmReport{},
	}
	switch {
	case r.TestRows > 0:
	case r.HeldOut > 0:
		out.TestMissing = api.TestMissingNoTime
	default:
		out.TestMissing = api.TestMissingTooFewRows
	}
	for _, share := range r.Shares {
		out.Blend = append(out.Blend, api.BlendShare(share))
	}
	if b := r.Blended; b != nil {
		out.Blended = &api.Candidate{Performance: b.Performance, LogLoss: b.LogLoss, Interval: toInterval(b.Interval)}
	}
	for _, c := range r.Classes {
		out.Classes = append(out.Classes, api.ClassReport{
			Label: c.Label, Rows: int64(c.Rows), Precision: api.NumberOrNil(c.Precision), Recall: api.NumberOrNil(c.Recall), F1: api.NumberOrNil(c.F1),
			ROCAUC: api.NumberOrNil(c.ROCAUC), AveragePrecision: api.NumberOrNil(c.AveragePrecision), Intervals: toIntervals(c.Intervals),
		})
	}
	addCurves(out, &r)
	for _, row := range r.Confusion {
		counts := make([]int64, len(row))
		for i, n := range row {
			counts[i] = int64(n)
		}
		out.Confusion = append(out.Confusion, counts)
	}
	if r.WeightedImportances {
		out.ImportanceMetric = api.MetricWeightedAccuracy
	}
	for _, i := range r.Importances {
		out.Importances = append(out.Importances, api.Importance{Column: i.Column, Importance: i.Importance, Interval: toInterval(i.Interval)})
	}
	for _, run := range o.Runs {
		out.Algorithms = append(out.Algorithms, toAlgorithmReport(run, race, o))
	}
	return out
}

// toAlgorithmReport converts the results of one run to the report on its algorithm.
func toAlgorithmReport(run learn.Run, race *store.Training, o *learn.Outcome) api.AlgorithmReport {
	out := api.AlgorithmReport{
		Algorithm: run.Algorithm, Status: string(run.Status), Curve: append([]float64{}, run.Curve...), Seconds: run.Seconds,
		Outcome: api.OutcomeFromStatus(string(run.Status), race.Threshold, o.Status == learn.Completed),
	}
	if isScored := len(run.Curve) > 0 || run.LogLoss > 0; isScored && o.Report.ValidationRows > 0 {
		out.Performance, out.LogLoss, out.Interval = api.NumberOrNil(run.Performance), &run.LogLoss, toInterval(run.Interval)
	}
	return out
}

// toScores converts the scores of a model on the given number of rows. It returns nil if rows is 0.
func toScores(s learn.Scores, rows int) *api.Scores {
	if rows == 0 {
		return nil
	}
	out := &api.Scores{
		Accuracy: s.Accuracy, BalancedAccuracy: s.BalancedAccuracy, MacroF1: s.MacroF1, ROCAUC: api.NumberOrNil(s.ROCAUC), PRAUC: api.NumberOrNil(s.PRAUC), LogLoss: s.LogLoss, OfClass: s.OfClass,
		Brier: api.NumberOrNil(s.Brier), CalibrationError: api.NumberOrNil(s.CalibrationError), Intervals: toIntervals(s.Intervals),
	}
	return out
}

// toIntervals converts the confidence intervals of metrics, by name of the metric. It returns nil
// if there are none.
func toIntervals(intervals map[string]learn.Interval) map[string]api.Interval {
	if len(intervals) == 0 {
		return nil
	}
	out := make(map[string]api.Interval, len(intervals))
	for name, interval := range intervals {
		out[name] = api.Interval(interval)
	}
	return out
}

// toInterval converts an interval. It returns nil if the interval is unknown.
func toInterval(i learn.Interval) *api.Interval {
	if !i.Known() {
		return nil
	}
	return &api.Interval{Low: i.Low, High: i.High}
}

// Encode returns a report and its summary as JSON.
func Encode(r *api.ModelReport) (report, summary []byte, err error) {
	if report, err = json.Marshal(r); err != nil {
		return nil, nil, err
	}
	summary, err = json.Marshal(Summarize(r))
	return report, summary, err
}

// Summarize returns a copy of a report without its long parts, whose size grows with the number of
// columns or steps.
func Summarize(r *api.ModelReport) *api.ModelReport {
	short := *r
	short.Importances, short.PartialDependence, short.Curves, short.Confusion = nil, nil, nil, nil
	short.Algorithms = slices.Clone(r.Algorithms)
	for i := range short.Algorithms {
		short.Algorithms[i].Curve, short.Algorithms[i].Seconds = nil, nil
	}
	return &short
}

// Parse decodes a report or a summary that Encode has encoded. Reports of early releases have the
// scores 0 for a set without rows, such as missing test rows, and for an algorithm that was never scored.
// Parse replaces these scores by nil.
func Parse(stored []byte) (*api.ModelReport, error) {
	var r api.ModelReport
	if err := json.Unmarshal(stored, &r); err != nil {
		return nil, err
	}
	for rows, scores := range map[*int64]**api.Scores{
		&r.TestRows: &r.Test, &r.ValidationRows: &r.Validation, &r.TrainingRows: &r.Training,
	} {
		if *rows == 0 {
			*scores = nil
		}
	}
	r.AlgorithmName = api.AlgorithmKind(r.Algorithm)
	for i := range r.Algorithms {
		a := &r.Algorithms[i]
		a.AlgorithmName = api.AlgorithmKind(a.Algorithm)
		if a.Performance != nil && *a.Performance == 0 && a.LogLoss != nil && *a.LogLoss == 0 {
			a.Performance, a.LogLoss = nil, nil
		}
	}
	return &r, nil
}
