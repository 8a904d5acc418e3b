package report

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/api"
	"foretell/internal/humanize"
)

// The limits at which a report has a caution.
const (
	fewTestRows           = 200
	fewRowsOfClass        = 20   // test rows
	largeTrainingGap      = 0.1  // accuracy on the training rows minus accuracy on the scored rows
	largeCalibrationError = 0.1  // mean error of a probability
	minGain               = 0.1  // minimum gain over the baseline for a caution about one dominant column
	dominantShare         = 0.8  // importance of one column, as a share of the gain over the baseline
	suspiciousAccuracy    = 0.99 // so high that a column may contain the label
	highBaselineAccuracy  = 0.9  // a baseline so good that a high accuracy is not suspicious
	manyDuplicates        = 0.05 // share of the labelled rows
	mostlyMissing         = 0.5  // share of the cells of a column
)

// Cautions returns sentences on what could be wrong with the model or its scores.
func (d *Document) Cautions() []string {
	c := &cautions{Document: d, r: d.Report, list: []string{}} // an array in JSON, even if it is empty
	c.scores, c.baseline, c.kind, c.rows = testOrValidationScores(d.Report)
	if text := describeUsedRows(d.Report); text != "" {
		c.add("%s", humanize.Sentence(text))
	}
	if text := describeSingletons(d.Report); text != "" {
		c.add("%s", humanize.Sentence(text))
	}
	if c.scores != nil {
		c.checkRows()
		c.checkClasses()
		c.checkLeakage()
		c.checkScores()
	}
	if text := describeUnpredicted(d.Report); text != "" {
		c.add("%s", humanize.Sentence(text))
	}
	c.checkData()
	for _, note := range d.Report.Notes {
		if note != "" {
			c.add("%s.", strings.ToUpper(note[:1])+note[1:])
		}
	}
	return c.list
}

type cautions struct {
	*Document
	r                *api.ModelReport
	scores, baseline *api.Scores
	kind             string // test or validation: the kind of rows that scores are computed from
	rows             int64
	list             []string
}

func (c *cautions) add(format string, args ...any) {
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

// checkRows adds a caution if there are no test rows, or fewer than fewTestRows.
func (c *cautions) checkRows() {
	switch {
	case c.kind != "test":
		c.add("There are no scores on test rows (%s). The validation rows also decided which model was kept, so most of their scores are too good, and their intervals are too narrow.", c.r.TestMissingReason())
	case c.rows < fewTestRows:
		c.add("Only %s: the scores are uncertain. Trust the intervals more than the values.", humanize.Count(c.rows, "test row"))
	}
}

// checkClasses adds a caution if classes have fewer than fewRowsOfClass test rows.
func (c *cautions) checkClasses() {
	var rare []string
	for _, class := range c.r.Classes {
		if c.r.TestRows > 0 && class.Rows < fewRowsOfClass {
			rare = append(rare, fmt.Sprintf("%q", api.AbbreviateValue(class.Label)))
		}
	}
	if len(rare) == 0 {
		return
	}
	more := ""
	if len(rare) > 5 {
		rare, more = rare[:5], ", …"
	}
	c.add("Fewer than %d test rows have the class %s%s. The scores of such a class are hardly more than a guess.", fewRowsOfClass, strings.Join(rare, ", "), more)
}

// checkLeakage adds a caution if the model may depend on a column that is known only after the
// label (leakage).
func (c *cautions) checkLeakage() {
	if text := describeDominantColumn(c.r); text != "" {
		c.add("%s If its value is known only after the label, the model will fail in use.", humanize.Sentence(text))
		return
	}
	if c.baseline != nil && c.scores.Accuracy >= suspiciousAccuracy && c.baseline.Accuracy < highBaselineAccuracy {
		c.add("The model is almost always right, which is rare. Check that no column is known only after the label.")
	}
}

// describeDominantColumn returns a sentence, without a full stop, that says that the predictions
// depend almost entirely on one column. It returns "" if they do not.
func describeDominantColumn(r *api.ModelReport) string {
	if len(r.Importances) < 2 {
		return ""
	}
	first, second := r.Importances[0], r.Importances[1]
	if gain := gainOfColumns(r); gain > minGain && first.Importance > dominantShare*gain && second.Importance < 0.2*first.Importance {
		return fmt.Sprintf("the predictions depend almost entirely on the column %q", api.AbbreviateValue(first.Column))
	}
	return ""
}

// gainOfColumns returns a number with which the importances of single columns are compared. It is
// the score of the model minus the score of the baseline, or 0 if one of them is unknown. If the
// importances are losses of another metric than that of the race (ImportanceMetric), it is the sum
// of the positive importances instead.
func gainOfColumns(r *api.ModelReport) (gain float64) {
	if r.ImportanceMetric != "" {
		for _, i := range r.Importances {
			gain += max(i.Importance, 0)
		}
		return gain
	}
	scores, baseline, _, _ := testOrValidationScores(r)
	score, known := scores.Performance(r.Metric)
	least, compared := baseline.Performance(r.Metric)
	if !known || !compared {
		return 0
	}
	return score - least
}

// checkScores adds a caution if the model may be no better than the baseline, if its accuracy is
// much higher on the training rows, or if its probabilities are poorly calibrated. If the scored
// models were trained on few of the rows, the accuracy on the training rows, which is that of the
// final model, is not compared.
func (c *cautions) checkScores() {
	if text, _ := compareWithBaseline(c.r); text != "" {
		c.add("%s", humanize.Sentence(text))
	}
	if c.r.Training != nil && c.r.UsedRows == 0 && c.r.Training.Accuracy-c.scores.Accuracy > largeTrainingGap {
		c.add("On the rows that the model was trained on, its accuracy is much higher: %s. This is normal for trees, but more training rows may help.", formatPercentage(c.r.Training.Accuracy))
	}
	// The interval contains 0 if calibrated probabilities could have the same error by chance.
	if i := c.scores.Interval(api.MetricCalibrationError); i != nil && i.Low > 0 && c.scores.CalibrationError != nil && *c.scores.CalibrationError > largeCalibrationError {
		c.add("The probabilities are off by %s on average. Use the classes rather than the probabilities.", formatPercentage(*c.scores.CalibrationError))
	}
}

// checkData adds a caution if many labelled rows are equal in every feature, if columns are mostly
// empty, or if another file differs from the training file.
func (c *cautions) checkData() {
	part := float64(c.r.Copies) / float64(max(c.r.Rows, 1))
	switch {
	case c.r.CopiesDivided && part >= manyDuplicates:
		c.add("%s of the labelled rows are equal to another row in every feature. Some scored rows are equal to a training row, so they are easy to predict. If fewer new rows are equal to training rows, the model predicts new rows less well than the scores say.", humanize.Percent(part))
	case part >= manyDuplicates:
		c.add("%s of the labelled rows are equal to another row in every feature. Equal rows were either all trained on or all scored. They add little information.", humanize.Percent(part))
	}
	if c.Dataset != nil {
		var empty []string
		for _, column := range c.Dataset.Columns {
			if float64(column.Missing) > mostlyMissing*float64(c.Dataset.Rows) {
				empty = append(empty, fmt.Sprintf("%q", api.AbbreviateValue(column.Name)))
			}
		}
		if len(empty) > 0 {
			c.add("More than half of the cells are missing in %s: %s.", humanize.Count(len(empty), "column"), strings.Join(empty[:min(len(empty), 5)], ", "))
		}
	}
	d := c.Drift
	if d == nil {
		return
	}
	if slices.ContainsFunc(d.Columns, func(column api.DriftColumn) bool { return column.Level == api.DriftLarge }) {
		c.add("The rows of %s differ from the rows of the training file; see Drift.", d.File)
	}
	for _, warning := range d.Warnings {
		c.add("%s", humanize.Sentence(fmt.Sprintf("In %s, %s", d.File, warning)))
	}
}
