package learn

import (
	"context"
	"slices"

	"foretell/internal/learn/metric"
)

// Report holds the figures of a model. Where a set of rows is empty its
// figures are 0.
type Report struct {
	Algorithm string
	Metric    string
	Seed      uint64
	// Rows is the number of labelled rows, TestRows and ValidationRows that of
	// the rows behind the figures of the same name.
	Rows, TestRows, ValidationRows int
	// Validation is on rows that the judged models did not learn from but that
	// steered the race: each row is judged by a model of a fold without it.
	// Its decision weights and temperature are cross-fitted.
	Validation Scores
	// Test is on rows that nothing looked at, by the mean of the fold models.
	Test Scores
	// Training is the shipped model's on rows it has learnt from, a sample of
	// them where there are many.
	Training Scores
	// Classes are the scores of each class on the test rows, in the order of
	// the schema.
	Classes []ClassScore
	// Confusion counts the test rows: true class down, decided across.
	Confusion [][]int
	// Importances tell by how much the metric falls on the validation rows
	// when the values of a column are shuffled, largest first. It is nil when
	// there was no time to find out.
	Importances []Importance
}

// Scores are all the scores of one set of rows.
type Scores struct {
	Accuracy, BalancedAccuracy, MacroF1, ROCAUC, LogLoss float64
}

// ClassScore is how well one class is told from the others.
type ClassScore struct {
	Label                 string
	Rows                  int
	Precision, Recall, F1 float64
}

// of returns the score of the given name.
func (s Scores) of(name string) float64 {
	switch name {
	case metric.NameBalancedAccuracy:
		return s.BalancedAccuracy
	case metric.NameMacroF1:
		return s.MacroF1
	case metric.NameROCAUC:
		return s.ROCAUC
	}
	return s.Accuracy
}

// scoresOf scores the decisions and the probabilities, which differ where
// decisions are weighted row by row.
func scoresOf(decided, p metric.Predictions) Scores {
	return Scores{
		Accuracy:         finite(metric.Accuracy(decided)),
		BalancedAccuracy: finite(metric.BalancedAccuracy(decided)),
		MacroF1:          finite(metric.MacroF1(decided)),
		ROCAUC:           finite(metric.ROCAUC(p)),
		LogLoss:          finite(metric.LogLoss(p)),
	}
}

// Figures on more training rows than this would cost more than they tell.
const (
	mostTraining = 20000
	// hastyRows bounds the figures of a race that was stopped.
	hastyRows = 2000
)

// crown makes the lead's model of its members and fills the outcome with its
// figures.
func (r *race) crown(ctx context.Context, lead *run, members []predictor, o *Outcome) error {
	validated := r.judge.predictions(lead.kept.probabilities)
	m := &Model{
		schema:      r.table.Schema,
		algorithm:   lead.Name,
		temperature: metric.FitTemperature(validated),
		weights:     r.judge.weights(lead.kept.probabilities),
	}
	o.Model = m.with(lead.by.kind, members...)
	o.Algorithm = lead.Name
	o.Report = Report{
		Algorithm:      lead.Name,
		Metric:         r.judge.metric,
		Seed:           r.table.params.Seed,
		Rows:           r.table.Rows,
		TestRows:       len(r.plan.Test),
		ValidationRows: len(r.judge.labels),
		Validation:     r.judge.validation(lead.kept.probabilities),
	}
	folds := lead.models()
	if err := r.testFigures(ctx, m.with(lead.by.kind, folds...), o); err != nil {
		return err
	}
	if err := r.trainingFigures(ctx, o); err != nil {
		return err
	}
	o.Achieved = lead.kept.performance
	o.Test = o.Report.Test.of(r.judge.metric)
	o.Training = o.Report.Training.of(r.judge.metric)
	o.Runs[lead.lane].TestPerformance = o.Test
	o.Runs[lead.lane].TrainingPerformance = o.Training
	if o.Status == Cancelled {
		return nil
	}
	var err error
	o.Report.Importances, err = r.importances(ctx, m, lead.by.kind, folds)
	return err
}

// validation scores the probabilities of the validation rows as the report
// gives them.
func (j *judge) validation(probabilities []float32) Scores {
	calibrated := j.predictions(j.tempered(probabilities))
	decided := j.predictions(probabilities)
	if j.weighs() {
		decided.Probabilities = j.weighted(probabilities)
	}
	return scoresOf(decided, calibrated)
}

// testFigures judges m on the test rows.
func (r *race) testFigures(ctx context.Context, m *Model, o *Outcome) error {
	test := pick(r.table.Frame, r.sample(r.plan.Test, len(r.plan.Test), o))
	probabilities, err := m.predictAll(ctx, test, r.table.params.Workers)
	if err != nil {
		return err
	}
	p := m.decisions(probabilities, test.Labels)
	o.Report.TestRows = test.Rows
	o.Report.Test = scoresOf(p, p)
	for c, s := range metric.ByClass(p) {
		o.Report.Classes = append(o.Report.Classes, ClassScore{
			Label: r.table.Schema.Classes[c], Rows: s.Support,
			Precision: s.Precision, Recall: s.Recall, F1: s.F1,
		})
	}
	o.Report.Confusion = slices.Collect(slices.Chunk(metric.Confusion(p), p.Classes))
	return nil
}

// trainingFigures judges the shipped model on rows it has learnt from.
func (r *race) trainingFigures(ctx context.Context, o *Outcome) error {
	rows := r.plan.Rest
	learnt := pick(r.table.Frame, r.sample(rows, mostTraining, o))
	probabilities, err := o.Model.predictAll(ctx, learnt, r.table.params.Workers)
	if err != nil {
		return err
	}
	p := o.Model.decisions(probabilities, learnt.Labels)
	o.Report.Training = scoresOf(p, p)
	return nil
}

// sample returns most of the rows at most, fewer when a race was stopped, with
// the class mix of all of them.
func (r *race) sample(rows []int32, most int, o *Outcome) []int32 {
	if o.Status == Cancelled {
		most = min(most, hastyRows)
	}
	return thin(rows, most)
}

// thin returns every n-th of the rows such that about most are left.
func thin(rows []int32, most int) []int32 {
	if len(rows) <= most {
		return rows
	}
	thinned := make([]int32, most)
	for i := range thinned {
		thinned[i] = rows[i*len(rows)/most]
	}
	return thinned
}
