package learn

import (
	"math"

	"foretell/internal/learn/explain"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// backgroundSeed distinguishes the random numbers that choose the background from those
// that choose folds and test rows.
const backgroundSeed = 0xb6a2

// newBackground returns a sample of the labelled rows. Explanations compare the explained
// row with this sample. The class proportions of the sample are those of all rows. If
// features are screened, only features that a member of the model may use have cells.
func (r *race) newBackground(members []member) *frame.Frame {
	classes := r.data.classes()
	sample := split.Sample{Labels: r.data.Labels, Classes: classes}
	_, rows := split.Holdout(sample, float64(explain.BackgroundRows(classes))/float64(r.data.Rows), r.data.params.Seed^backgroundSeed)
	if len(rows) == 0 { // every class has only one row
		rows = []int32{0}
	}
	all := r.data.Frame
	background := &frame.Frame{Schema: all.Schema, Rows: len(rows), Columns: make([]frame.Column, len(all.Columns))}
	selected := selectedFeatures(members, all.Schema)
	for i := range all.Columns {
		if selected == nil || selected[i] {
			background.Columns[i] = all.Columns[i].Take(rows)
		}
	}
	return background
}

// BackgroundRange returns the lowest and the highest number of a numeric feature in the background, and
// in how many rows the feature has a number. rows is 0 if the background has no numbers of the feature.
func (m *Model) BackgroundRange(feature int) (lowest, highest float64, rows int) {
	if m.background == nil || !m.background.Columns[feature].IsNumeric() {
		return 0, 0, 0
	}
	lowest, highest = math.Inf(1), math.Inf(-1)
	for _, value := range m.background.Columns[feature].Values(make([]float64, m.background.Rows), 0, m.background.Rows) {
		if !math.IsNaN(value) {
			lowest, highest, rows = min(lowest, value), max(highest, value), rows+1
		}
	}
	return lowest, highest, rows
}

// selectedFeatures reports for each feature of schema whether any member may use it, or
// may use a feature that is computed from it. It returns nil if a member may use all
// features.
func selectedFeatures(members []member, schema *frame.Schema) []bool {
	selected := make([]bool, len(schema.Columns))
	for _, one := range members {
		_, own := unwrapFeatures(one.predictor)
		if own == nil {
			return nil
		}
		own.markUsed(selected)
	}
	schema.MarkDifferenceDates(selected)
	return selected
}
