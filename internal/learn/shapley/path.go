// Package shapley explains predictions by Shapley values (Lundberg and Lee, "A unified approach to
// interpreting model predictions", NeurIPS 2017).
//
// The value of a set of columns is the mean prediction for rows that combine the cells of the
// explained row in these columns with the cells of a background row in all other columns. The
// contribution of a column is the increase of this value when the column is added, averaged over
// all orders of the columns. This is the interventional form, which assumes nothing about how
// columns depend on each other.
//
// A [Path] follows one order from a background row to the explained row. Models predict all rows of
// a path at once. This is much faster than predicting them one by one, because most steps of a path
// do not change the leaf of most trees.
package shapley

// Path is a sequence of rows. It begins with the row From. Each step replaces some features with
// those of the row To, until all features that differ are replaced.
type Path struct {
	From, To int
	// Steps is the number of steps. The path has Steps+1 rows.
	Steps int
	// Step holds, for each feature, the number of the step that replaces it, from 1 to
	// Steps. The number is 0 if the model does not distinguish From and To in the feature.
	Step []int32
}

// Rows are rows of a table, encoded for one model. A row is identified by its index. Rows is not
// safe for concurrent use.
type Rows interface {
	// MarkDifferent sets different[j] to true for each feature j in which the
	// model distinguishes rows a and b.
	MarkDifferent(different []bool, a, b int)
	// PredictPath writes the class probabilities of the rows of p to dst,
	// (p.Steps+1) × classes, row-major.
	PredictPath(dst []float32, p *Path)
}
