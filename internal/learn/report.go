package learn

import (
	"context"
	"slices"
	"time"

	"foretell/internal/learn/metric"
)

// Report holds the figures of a model. Where a set of rows is empty its
// figures are 0.
type Report struct {
	Algorithm string
	// Shares are the parts of a blend, the heaviest first; nil if the model is
	// that of one algorithm.
	Shares []Share
	Metric string
	Seed   uint64
	// Rows is the number of labelled rows, the others those of the rows behind
	// the figures of the same name: 0 where there were none, or where no time
	// was left for the figures.
	Rows, TestRows, ValidationRows, TrainingRows int
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

// Share is an algorithm's part of a blend.
type Share struct {
	Algorithm string
	Weight    float64 // those of a blend add up to 1
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

// scoresOf returns all scores of p.
func scoresOf(p metric.Predictions) Scores {
	return Scores{
		Accuracy:         finite(metric.Accuracy(p)),
		BalancedAccuracy: finite(metric.BalancedAccuracy(p)),
		MacroF1:          finite(metric.MacroF1(p)),
		ROCAUC:           finite(metric.ROCAUC(p)),
		LogLoss:          finite(metric.LogLoss(p)),
	}
}

// How many rows the figures are of at most, and how long they may take when a
// person waits for the end.
const (
	mostTraining = 20000
	mostHasty    = 2000
	patienceLeft = 300 * time.Millisecond
)

// crown makes the chosen model of its members and fills the outcome with its
// figures.
func (r *race) crown(ctx context.Context, c *choice, members []member, o *Outcome) error {
	m := &Model{
		schema:      r.table.Schema,
		algorithm:   c.name(),
		temperature: metric.FitTemperature(r.judge.predictions(c.probabilities)),
		weights:     r.judge.weights(c.probabilities),
	}
	o.Model = m.with(members...)
	o.Algorithm = m.algorithm
	o.Achieved = c.performance
	o.Report = Report{
		Algorithm:      m.algorithm,
		Metric:         r.judge.metric,
		Seed:           r.table.params.Seed,
		Rows:           r.table.Rows,
		ValidationRows: len(r.judge.labels),
		Validation:     r.judge.validation(c.judged()),
	}
	hurried, done := r.hurry(ctx, o.Status)
	defer done()
	r.testFigures(hurried, m, c, o)
	r.trainingFigures(hurried, c, o)
	o.Test = o.Report.Test.of(r.judge.metric)
	o.Training = o.Report.Training.of(r.judge.metric)
	if len(c.shares) == 1 {
		lane := c.shares[0].lane
		o.Runs[lane].TestPerformance = o.Test
		o.Runs[lane].TrainingPerformance = o.Training
	} else {
		for _, s := range c.shares {
			o.Report.Shares = append(o.Report.Shares, Share{s.Name, s.weight})
		}
	}
	if o.Status != Cancelled {
		o.Report.Importances = r.importances(hurried, m, c)
	}
	return ctx.Err()
}

// hurry returns the context of the figures. They are left out when it ends:
// the model is worth more than they are.
func (r *race) hurry(ctx context.Context, status Status) (context.Context, func()) {
	if status == Cancelled {
		ctx, cancel := context.WithTimeout(ctx, patienceLeft)
		return ctx, cancel
	}
	return r.timer.within(ctx, func() time.Duration { return 0 })
}

// validation scores the probabilities of the validation rows as the report
// gives them. Cross-fitting changes the two halves by different numbers, so
// each score is taken where only what it needs has been changed.
func (j *judge) validation(probabilities []float32) Scores {
	decided := j.predictions(probabilities)
	if j.weighs() {
		decided.Probabilities = j.weighted(probabilities)
	}
	scores := scoresOf(decided)
	scores.ROCAUC = finite(metric.ROCAUC(j.predictions(probabilities)))
	scores.LogLoss = finite(metric.LogLoss(j.predictions(j.tempered(probabilities))))
	return scores
}

// testFigures judges the mean of the choice's fold models on the test rows.
func (r *race) testFigures(ctx context.Context, m *Model, c *choice, o *Outcome) {
	test := pick(r.table.Frame, o.sample(r.plan.Test, len(r.plan.Test)))
	probabilities, err := m.predictEach(ctx, test, c.folds(), r.table.params.Workers)
	if err != nil {
		return
	}
	p := m.decisions(probabilities, test.Labels)
	o.Report.TestRows = test.Rows
	o.Report.Test = scoresOf(p)
	for c, s := range metric.ByClass(p) {
		o.Report.Classes = append(o.Report.Classes, ClassScore{
			Label: r.table.Schema.Classes[c], Rows: s.Support,
			Precision: s.Precision, Recall: s.Recall, F1: s.F1,
		})
	}
	o.Report.Confusion = slices.Collect(slices.Chunk(metric.Confusion(p), p.Classes))
}

// trainingFigures judges the shipped model on rows it has learnt from, also
// if it is made of fold models.
func (r *race) trainingFigures(ctx context.Context, c *choice, o *Outcome) {
	learnt := pick(r.table.Frame, o.sample(r.plan.Rest, mostTraining))
	probabilities, err := o.Model.predictEach(ctx, learnt, c.reread(o.Model.members), r.table.params.Workers)
	if err != nil {
		return
	}
	p := o.Model.decisions(probabilities, learnt.Labels)
	o.Report.TrainingRows = learnt.Rows
	o.Report.Training = scoresOf(p)
}

// sample returns every n-th of the rows such that most are left, fewer where
// time is short.
func (o *Outcome) sample(rows []int32, most int) []int32 {
	if o.Status == Cancelled || o.Status == TimedOut {
		most = min(most, mostHasty)
	}
	return thin(rows, most)
}

// thin returns every n-th of the rows such that most are left.
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
