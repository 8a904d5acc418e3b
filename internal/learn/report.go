package learn

import (
	"context"
	"slices"
	"time"

	"foretell/internal/learn/metric"
)

// Report holds the figures of a model. What was not measured is NaN, nil or of
// 0 rows.
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
	// Features is the number of features, Screened how many of them every algorithm
	// learnt from, those that tell most of the label on the training rows of each
	// fold; 0 if all.
	Features, Screened int
	// HeldOut is the number of rows that were set aside for Test. Where TestRows is
	// 0 and this is not, there was no time for them.
	HeldOut int
	// Validation is on rows that the judged models did not learn from but that
	// steered the race: each row is judged by a model of a fold without it.
	// Its decision weights and temperature are cross-fitted.
	Validation Scores
	// Test is on rows that nothing looked at, by the mean of the fold models.
	Test Scores
	// Training is the shipped model's on rows it has learnt from, a sample of
	// them where there are many.
	Training Scores
	// Blended is the blend of the runs as it was compared with them, whether or
	// not it was kept; nil if none was made.
	Blended *Candidate
	// Baseline is what the figures are compared with.
	Baseline Baseline
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

// Candidate is what a race chose among at its end.
type Candidate struct {
	// Performance is by the metric of the race, LogLoss in nats, after calibration
	// unless the race was cut short. Both are on validation rows.
	Performance, LogLoss float64
	// Interval is the 95 % confidence interval of Performance.
	Interval Interval
}

// ClassScore is how well one class is told from the others.
type ClassScore struct {
	Label                 string
	Rows                  int
	Precision, Recall, F1 float64
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
		HeldOut:        len(r.plan.Test),
		Features:       len(r.table.Columns),
		Screened:       r.table.screens(),
		Blended:        r.blended,
		Baseline:       r.baseline(nil),
		Test:           noScores, Training: noScores,
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

// validation returns the scores of the validation rows for the report. Cross-fitting changes the two halves by different numbers, so
// each score is taken where only what it needs has been changed.
func (j *judge) validation(probabilities []float32) Scores {
	plain, decided := j.predictions(probabilities), j.decided(probabilities)
	tempered := j.predictions(j.tempered(probabilities))
	return scoredBy(func(name string) metric.Predictions {
		switch name {
		case metric.NameROCAUC:
			return plain
		case metric.NameLogLoss:
			return tempered
		}
		return decided
	})
}

// testFigures judges the mean of the choice's fold models on the test rows.
func (r *race) testFigures(ctx context.Context, m *Model, c *choice, o *Outcome) {
	if ctx.Err() != nil {
		return
	}
	test := r.table.pick(o.sample(r.plan.Test, len(r.plan.Test)))
	probabilities, err := m.predictEach(ctx, test, c.folds(), r.table.params.Workers)
	if err != nil {
		return
	}
	p := m.decisions(probabilities, test.Labels)
	o.Report.TestRows = test.Rows
	o.Report.Test = scoredBy(func(string) metric.Predictions { return p })
	o.Report.Baseline = r.baseline(test.Labels)
	for c, s := range metric.PerClass(p) {
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
	if ctx.Err() != nil {
		return
	}
	learnt := r.table.pick(o.sample(r.plan.Rest, mostTraining))
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
