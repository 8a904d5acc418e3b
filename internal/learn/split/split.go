// Package split divides labelled rows into parts to learn from and parts to
// be judged on: stratified holdouts and folds.
package split

// Part is one division of rows. Both slices hold row indices in ascending
// order; no row is in both.
type Part struct {
	// Train are the rows to learn from.
	Train []int32
	// Eval are the rows the learner must not learn from, scored after each
	// step. It may be empty: then nothing is scored.
	Eval []int32
}
