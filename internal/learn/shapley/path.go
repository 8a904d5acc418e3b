// Package shapley explains predictions by Shapley values (Lundberg and Lee, "A
// unified approach to interpreting model predictions", NeurIPS 2017).
//
// The value of a set of columns is the mean prediction of the rows that have
// these columns from the explained row and the others from a background row. The
// contribution of a column is the increase of the value when the column joins
// the set, averaged over the orders in which columns can join. This is the
// interventional form, which needs no assumption on how columns depend on each
// other.
//
// A [Path] is one such order: it leads from a background row to the explained
// row. Models predict all rows of a path at once, which takes a small part of
// the time that the rows would take one by one, because most trees change their
// leaf only in a few steps.
package shapley

// Path is a sequence of rows. It begins with the row From. In each step, some of
// its features are replaced by those of the row To, and it ends with the row To.
type Path struct {
	From, To int
	// Steps is the number of steps. The path has one row more.
	Steps int
	// Step holds, for each feature, the number of the step that replaces it, from 1 to
	// Steps. The number is 0 if the model does not distinguish From and To in the feature.
	Step []int32
}

// Rows are rows of a table, encoded for one model. They are not safe for
// concurrent use.
type Rows interface {
	// MarkDifferent sets different[j] to true for each feature j in which the
	// model distinguishes rows a and b.
	MarkDifferent(different []bool, a, b int)
	// PredictPath writes the class probabilities of the rows of p to dst,
	// row-major.
	PredictPath(dst []float32, p *Path)
}
