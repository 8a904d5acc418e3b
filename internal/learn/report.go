package learn

import (
	"context"
	"math"
	"slices"
	"time"

	"foretell/internal/learn/evaluation"
	"foretell/internal/learn/explain"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/model"
	"foretell/internal/learn/split"
)

// A report uses the score types of package evaluation.
type (
	// Scores are the scores on a set of rows.
	Scores = evaluation.Scores
	// Interval is a 95 % confidence interval.
	Interval = evaluation.Interval
	// Baseline holds the scores of a model that does not use any column.
	Baseline = evaluation.Baseline
	// ClassScore holds the scores of one class against all other classes.
	ClassScore = evaluation.ClassScore
	// ClassCurve holds the curves of one class.
	ClassCurve = evaluation.ClassCurve
	// ReliabilityBin describes the rows whose probability of a class is in one of ten
	// intervals. It compares their mean probability with the fraction of these rows that are
	// of the class.
	ReliabilityBin = metric.ReliabilityBin
)

// Report holds the metrics of a model. Metrics that were not computed are NaN or nil, and
// the corresponding numbers of rows are 0.
type Report struct {
	Algorithm string
	// Shares holds the components of a blend in descending order of weight. It is nil if
	// the model is not a blend.
	Shares []BlendShare
	Metric string
	// ClassWeights are Params.ClassWeights.
	ClassWeights map[string]float64
	Seed         uint64
	// Notes are sentences about anything unusual in the model or its metrics, such as a
	// component that was not refitted. Notes is nil if there is nothing unusual.
	Notes []string
	// Rows is the number of labelled rows. TestRows, ValidationRows and TrainingRows are
	// the numbers of rows from which Test, Validation and Training were computed. A number is 0 if
	// there were no such rows or no time was left.
	Rows, TestRows, ValidationRows, TrainingRows int
	// UsedRows is the largest number of rows that a scored model was trained on. It is set only if
	// times and groups together exclude more than a third of the rows from training and scoring;
	// otherwise, it is 0.
	UsedRows int
	// SingletonRows is the number of rows that are the only row of their class and were therefore
	// not scored. It is 0 if they are less than 2 % of the rows.
	SingletonRows int
	// UntrainedClasses are the labels of the classes that have labelled rows, but no row that a
	// model of the test rows was trained on. It is nil if all these classes have such a row.
	UntrainedClasses []string
	// Features is the number of features. Screened is the number of features that each
	// fold selected for training, based on its training rows. Screened is 0 unless
	// the table is wide.
	Features, Screened int
	// Copies is the number of rows that are equal to another row in every feature. CopiesDivided
	// reports whether equal rows were divided among training, validation and test rows. This
	// happens if equal rows are common in the table, or if they have different groups or times.
	Copies        int
	CopiesDivided bool
	// HeldOut is the number of rows that were set aside for Test. If HeldOut is positive
	// and TestRows is 0, there was no time to predict these rows.
	HeldOut int
	// Validation holds the scores on the validation rows, by which the race chose the
	// model. Each row is predicted by a fold model that was not trained on it. Decision
	// weights and temperature are cross-fitted.
	Validation Scores
	// Test holds the scores of the mean of the fold models on rows that were not used
	// before the end of the race.
	Test Scores
	// Training holds the scores of the final model on rows that it was trained on, except test
	// rows. If the model consists of fold models, each of these rows was used to train only some of
	// the fold models.
	Training Scores
	// Blended is the score of the blend, whether or not the blend was chosen.
	// It is nil if there was no blend.
	Blended *Candidate
	// Baseline holds the scores of a model that uses no columns, for comparison.
	Baseline Baseline
	// Classes are the scores of each class on the test rows, in the order of
	// the schema. Without test rows, they have only labels.
	Classes []ClassScore
	// Confusion counts the test rows by true class, then by predicted class. It is nil without test
	// rows.
	Confusion [][]int
	// Reliability compares the probability of the most probable class with the
	// fraction of test rows that are of this class. It is nil without test rows.
	Reliability []ReliabilityBin
	// Curves holds the curves of the classes in CurveClasses, on the test rows. A class that no
	// test row or every test row belongs to has no curve.
	Curves []ClassCurve
	// CurveClasses are the labels of all classes or, if there are more than 20, of the 20 classes
	// with the most rows. They are in the order of the schema.
	CurveClasses []string
	// RefitInterrupted reports whether the time limit or the user ended the refit early. In that
	// case, the same data and seed may produce a different model.
	RefitInterrupted bool
	// Importances are the permutation importances of the columns on the validation rows,
	// largest first. Importances is nil if there was no time.
	Importances []explain.Importance
	// WeightedImportances reports whether Importances are decreases of the weighted accuracy
	// instead of decreases of the metric.
	WeightedImportances bool
	// PartialDependence holds the partial dependence of the predictions on the most
	// important columns, on validation rows. PartialDependence is nil if there was no
	// time.
	PartialDependence []explain.PartialDependence
	// Interactions holds the interactions of the most important columns, strongest first,
	// on validation rows. Interactions is nil if there was no time.
	Interactions []explain.Interaction
}

// BlendShare is a component of a blend.
type BlendShare struct {
	Algorithm string
	Weight    float64 // the weights of a blend add up to 1
}

// Candidate holds the scores of a model that the race could choose.
type Candidate struct {
	// Performance is the metric of the race. LogLoss is in nats; it is computed after calibration
	// unless the race was cut short. Both are scores on validation rows.
	Performance, LogLoss float64
	// Interval is the 95 % confidence interval of Performance.
	Interval Interval
}

const (
	// maxTrainingRows is the largest number of training rows that are predicted for the report. If
	// the race was cut short, the limit is maxCutShortRows, for training rows and for test rows.
	maxTrainingRows = 20000
	maxCutShortRows = 2000
	// stoppedReportTime is the time for the report after the user stopped the
	// race.
	stoppedReportTime = 300 * time.Millisecond
)

// finalize builds the chosen model from its members and adds the model and its
// report to the outcome.
func (r *race) finalize(ctx context.Context, c *candidate, members []model.Member, o *Outcome) error {
	temperature, err := metric.FitTemperature(ctx, r.evaluator.Predictions(c.probabilities))
	if err != nil {
		return err
	}
	weights, err := r.evaluator.FitClassWeights(ctx, c.probabilities, temperature)
	if err != nil {
		return err
	}
	m := model.New(model.Parts{
		Schema:      r.data.Schema,
		Algorithm:   c.name(),
		Members:     members,
		Temperature: temperature,
		Weights:     weights,
		Background:  r.sampleBackground(),
	})
	o.Model = m
	o.Algorithm = m.Algorithm()
	o.Achieved = c.performance
	if o.Report, err = r.newReport(ctx, c); err != nil {
		return err
	}
	limited, done := r.reportContext(ctx, o.Status)
	defer done()
	r.addTestMetrics(limited, c, o)
	r.addTrainingMetrics(limited, o)
	o.Test = o.Report.Test.Performance(r.evaluator.Metric)
	o.Training = o.Report.Training.Performance(r.evaluator.Metric)
	if len(c.components) == 1 {
		index := c.components[0].index
		o.Runs[index].TestPerformance = o.Test
		o.Runs[index].TrainingPerformance = o.Training
	} else {
		for _, part := range c.components {
			o.Report.Shares = append(o.Report.Shares, BlendShare{part.Name, part.weight})
		}
	}
	if o.Status != Cancelled {
		r.addImportancesAndEffects(limited, m, c, &o.Report)
	}
	r.addDroppedNote()
	o.Report.Notes = r.notes
	return ctx.Err()
}

// newReport returns a report of the chosen model with the metrics on the validation rows.
// It returns an error only if ctx is cancelled.
func (r *race) newReport(ctx context.Context, c *candidate) (Report, error) {
	validation, err := r.evaluator.ValidationScores(ctx, c.scoredProbabilities())
	if err != nil {
		return Report{}, err
	}
	baseline, err := r.evaluator.NewBaseline(ctx)
	return Report{
		Algorithm:        c.name(),
		Metric:           r.evaluator.Metric,
		ClassWeights:     r.data.params.ClassWeights,
		Seed:             r.data.params.Seed,
		Rows:             r.data.Rows,
		ValidationRows:   len(r.evaluator.Labels),
		Validation:       validation,
		Copies:           r.copies,
		CopiesDivided:    r.copiesDivided,
		HeldOut:          len(r.plan.Test),
		UsedRows:         r.usedRows(),
		SingletonRows:    r.singletonRows(),
		UntrainedClasses: r.untrainedClasses(),
		Features:         len(r.data.Columns),
		Screened:         r.data.numScreened(),
		RefitInterrupted: r.refitInterrupted,
		Blended:          r.blendScore,
		Baseline:         baseline,
		CurveClasses:     split.Gather(r.data.Schema.Classes, r.evaluator.MostFrequentClasses()),
		Test:             evaluation.NaNScores, Training: evaluation.NaNScores,
	}, err
}

// reportContext returns the context in which the report is computed. It is cancelled at
// the time limit or, if the user stopped the race, after stoppedReportTime. Metrics
// that are not computed by then are omitted from the report.
func (r *race) reportContext(ctx context.Context, status Status) (context.Context, func()) {
	if status == Cancelled {
		ctx, cancel := context.WithTimeout(ctx, stoppedReportTime)
		return ctx, cancel
	}
	return r.timer.withLimit(ctx, func() time.Duration { return 0 })
}

// addTestMetrics adds the metrics on the test rows to o, if there are test rows. The predictions are
// the mean of c's fold models.
func (r *race) addTestMetrics(ctx context.Context, c *candidate, o *Outcome) {
	if ctx.Err() != nil {
		return
	}
	if len(r.plan.Test) == 0 {
		nan := math.NaN()
		for _, label := range r.data.Schema.Classes {
			o.Report.Classes = append(o.Report.Classes, evaluation.ClassScore{Label: label, Precision: nan, Recall: nan, F1: nan, ROCAUC: nan, AveragePrecision: nan})
		}
		return
	}
	rows := o.sampleReportRows(r.plan.Test, len(r.plan.Test))
	test := r.data.selectRows(rows)
	probabilities, err := o.Model.PredictMembers(ctx, test, c.foldMembers(), r.data.params.Workers)
	if err != nil {
		r.addFailureNote(ctx, err, "the test rows were not predicted")
		return
	}
	p := o.Model.Predictions(probabilities, test.Labels)
	p.Groups, p.ClassRows = split.Gather(r.data.params.Groups, rows), r.evaluator.ClassRows
	report := o.Report
	if err := r.scoreTestRows(ctx, p, &report); err != nil {
		r.addFailureNote(ctx, err, "the metrics on the test rows were not computed")
		return
	}
	o.Report = report
}

// scoreTestRows sets the metrics of report that are computed on the test rows. p are the
// predictions of these rows. It returns an error only if ctx is cancelled.
func (r *race) scoreTestRows(ctx context.Context, p metric.Predictions, report *Report) (err error) {
	report.TestRows = len(p.Labels)
	if report.Test, err = evaluation.NewScoresWithIntervals(ctx, r.evaluator.Metric, func(string) metric.Predictions { return p }); err != nil {
		return err
	}
	if report.Baseline.Test, err = r.evaluator.ScoreBaseline(ctx, p.Labels); err != nil {
		return err
	}
	report.Confusion = slices.Collect(slices.Chunk(metric.Confusion(p), p.Classes))
	report.Reliability = metric.ConfidenceReliability(p)
	labels, classes := r.data.Schema.Classes, r.evaluator.MostFrequentClasses()
	if report.Classes, err = evaluation.NewClassScores(ctx, p, labels, classes); err != nil {
		return err
	}
	report.Curves, err = evaluation.NewClassCurves(ctx, p, labels, classes)
	return err
}

// addImportancesAndEffects adds the importances of the columns, their partial dependence
// and their interactions. They are omitted if there is no time.
func (r *race) addImportancesAndEffects(ctx context.Context, m *model.Model, c *candidate, report *Report) {
	validation := r.newValidation(m, c)
	importances, err := validation.Importances(ctx)
	if err != nil {
		r.addFailureNote(ctx, err, "the importances of the columns were not measured")
		return // importances of only some columns would be misleading
	}
	report.Importances, report.WeightedImportances = importances, r.usesWeightedAccuracy()
	dependence, interactions, err := validation.Effects(ctx, importances, r.evaluator.MostFrequentClasses())
	if err != nil {
		r.addFailureNote(ctx, err, "the partial dependence on the columns was not measured")
		return
	}
	report.PartialDependence, report.Interactions = dependence, interactions
}

// addTrainingMetrics adds to o the metrics of the final model on rows that it was trained
// on.
func (r *race) addTrainingMetrics(ctx context.Context, o *Outcome) {
	if ctx.Err() != nil {
		return
	}
	train := r.data.selectRows(o.sampleReportRows(r.finalTrainingRows(), maxTrainingRows))
	probabilities, err := o.Model.PredictMembers(ctx, train, cloneMembers(o.Model.Members()), r.data.params.Workers)
	if err != nil {
		r.addFailureNote(ctx, err, "the training rows were not predicted")
		return
	}
	p := o.Model.Predictions(probabilities, train.Labels)
	p.ClassRows = r.evaluator.ClassRows
	scores, err := evaluation.NewScores(ctx, r.evaluator.Metric, func(string) metric.Predictions { return p })
	if err != nil {
		r.addFailureNote(ctx, err, "the metrics on the training rows were not computed")
		return
	}
	o.Report.TrainingRows, o.Report.Training = train.Rows, scores
}

// finalTrainingRows returns the rows for Report.Training, usually r.plan.Rest. If the model
// contains fold models and there is a single final fold, the result is only the training rows of
// that fold, because its models were not trained on its validation rows.
func (r *race) finalTrainingRows() []int32 {
	if final := r.plan.Folds[r.firstFinalFold():]; r.keepsFoldModels && len(final) == 1 {
		return final[0].Train // a fold model was not trained on the validation rows
	}
	return r.plan.Rest
}

// sampleReportRows returns at most maxRows elements of rows, at equal distances. If the race was
// cut short, it returns at most maxCutShortRows elements, even if maxRows is larger.
func (o *Outcome) sampleReportRows(rows []int32, maxRows int) []int32 {
	if o.Status == Cancelled || o.Status == TimedOut {
		maxRows = min(maxRows, maxCutShortRows)
	}
	return split.Subsample(rows, maxRows)
}
