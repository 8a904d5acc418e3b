package learn

import (
	"foretell/internal/learn/explain"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// backgroundSeed distinguishes the random numbers that choose the background from the random
// numbers that choose folds and test rows.
const backgroundSeed = 0xb6a2

// sampleBackground returns a sample of the labelled rows, with the class proportions of all rows.
// Explanations compare the explained row with this sample.
func (r *race) sampleBackground() *frame.Frame {
	classes := r.data.classes()
	sample := split.Sample{Labels: r.data.Labels, Classes: classes}
	_, rows := split.Holdout(sample, float64(explain.BackgroundRows(classes))/float64(r.data.Rows), r.data.params.Seed^backgroundSeed)
	if len(rows) == 0 { // every class has only one row
		rows = []int32{0}
	}
	return r.data.Take(rows)
}
