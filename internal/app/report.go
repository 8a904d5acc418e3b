package app

import (
	"foretell/internal/api"
	"foretell/internal/learn"
)

// reportOf puts the figures of a race into the form of the contract.
func reportOf(modelKey string, o *learn.Outcome) api.ModelReport {
	r := o.Report
	out := api.ModelReport{
		ModelKey: modelKey, Algorithm: o.Algorithm, Metric: r.Metric, Seed: int64(r.Seed),
		Rows: int64(r.Rows), TestRows: int64(r.TestRows), ValidationRows: int64(r.ValidationRows), TrainingRows: int64(r.TrainingRows),
		Validation: api.Scores(r.Validation), Test: api.Scores(r.Test), Training: api.Scores(r.Training),
		Classes: []api.ClassReport{}, Confusion: [][]int64{}, Importances: []api.Importance{}, Algorithms: []api.AlgorithmReport{},
	}
	for _, share := range r.Shares {
		out.Blend = append(out.Blend, api.BlendShare(share))
	}
	for _, c := range r.Classes {
		out.Classes = append(out.Classes, api.ClassReport{
			Label: c.Label, Rows: int64(c.Rows), Precision: c.Precision, Recall: c.Recall, F1: c.F1,
		})
	}
	for _, row := range r.Confusion {
		counts := make([]int64, len(row))
		for i, n := range row {
			counts[i] = int64(n)
		}
		out.Confusion = append(out.Confusion, counts)
	}
	for _, i := range r.Importances {
		out.Importances = append(out.Importances, api.Importance{Column: i.Column, Importance: i.Importance})
	}
	for _, run := range o.Runs {
		out.Algorithms = append(out.Algorithms, api.AlgorithmReport{
			Algorithm: run.Algorithm, Status: string(run.Status), Performance: run.Performance, LogLoss: run.LogLoss,
			Curve: append([]float64{}, run.Curve...),
		})
	}
	return out
}
