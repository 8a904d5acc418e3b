package shapley

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// TableInfo describes the rows and columns that an Explainer works on.
type TableInfo struct {
	// Background is the number of background rows, which come first.
	Background int
	// Columns holds the indices of the features of each column. All features of a column
	// are replaced together.
	Columns [][]int
	// Joint holds the features that are computed from two columns.
	Joint []JointFeature
	// Features is the number of features, Classes the number of classes.
	Features, Classes int
}

// JointFeature is a feature that is computed from two other features, the Sources. Along a path, it
// keeps the value of the background row until both sources have been replaced, and is replaced in
// the same step as the later of them. It is therefore never computed from two different rows.
type JointFeature struct {
	Feature int
	Sources [2]int
}

// Explainer computes the contributions of columns to predictions. It is not safe for
// concurrent use.
type Explainer struct {
	table  TableInfo
	rows   Rows
	orders *ColumnOrders
	// The rest is scratch space.
	different     []bool
	columns       []int
	order         []int
	values        []float64 // the predicted probability of each set of columns, in addExactValues
	path          Path
	probabilities []float32
}

// maxExactColumns is the largest number of columns in which two rows may differ for which all sets
// of these columns are predicted.
const maxExactColumns = 6

// ColumnOrders holds, for each background row, a permutation of the columns: the order in which
// their cells are replaced. It is immutable.
type ColumnOrders struct{ list [][]int }

// NewColumnOrders returns the orders for a table: random permutations of the columns, each followed
// by its rotations. In a permutation and its rotations, each column is once at each position (a
// Latin square), so no column comes early more often than other columns. The orders depend only on
// t, so equal rows have equal explanations.
func NewColumnOrders(t TableInfo) *ColumnOrders {
	n := len(t.Columns)
	rng := rand.New(rand.NewPCG(uint64(n), uint64(t.Background)))
	o := &ColumnOrders{list: make([][]int, t.Background)}
	var first []int
	for i := range o.list {
		shift := i % max(n, 1)
		if shift == 0 {
			first = rng.Perm(n)
		}
		o.list[i] = append(slices.Clone(first[shift:]), first[:shift]...)
	}
	return o
}

// NewExplainer returns an explainer of rows, which must begin with the background rows.
// orders must be the result of NewColumnOrders(t).
func NewExplainer(t TableInfo, rows Rows, orders *ColumnOrders) *Explainer {
	return &Explainer{
		table: t, rows: rows, orders: orders, different: make([]bool, t.Features),
		values: make([]float64, 1<<maxExactColumns), path: Path{Step: make([]int32, t.Features)},
	}
}

// Explain sets dst to the contributions of the columns to the probability of class in the given
// row. They add up to the difference between this probability and the mean probability of class
// over the background rows, up to rounding. Explain returns an error only if ctx is cancelled.
//
// The contributions are means over the background rows. For a background row that differs from the
// explained row in at most six columns, the contributions are exact. For other background rows,
// they are computed from one random order and its reverse, which is exact if only pairs of columns
// interact (Mitchell, Cooper, Frank and Holmes, "Sampling permutations for Shapley value
// estimation", JMLR 23, 2022).
func (e *Explainer) Explain(ctx context.Context, dst []float64, row, class int) error {
	clear(dst)
	for background := range e.table.Background {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.path.From, e.path.To = background, row
		e.findDifferent()
		if len(e.columns) <= maxExactColumns {
			e.addExactValues(dst, class)
			continue
		}
		e.order = e.order[:0]
		for _, column := range e.orders.list[background] {
			if e.isDifferent(column) {
				e.order = append(e.order, column)
			}
		}
		e.addOrderContributions(dst, class, e.order)
		slices.Reverse(e.order)
		e.addOrderContributions(dst, class, e.order)
	}
	for i := range dst {
		dst[i] /= float64(e.table.Background)
	}
	return nil
}

// findDifferent sets e.columns to the columns in which the model distinguishes the first
// and the last row of the path.
func (e *Explainer) findDifferent() {
	clear(e.different)
	e.rows.MarkDifferent(e.different, e.path.From, e.path.To)
	e.columns = e.columns[:0]
	for column := range e.table.Columns {
		if e.isDifferent(column) {
			e.columns = append(e.columns, column)
		}
	}
}

func (e *Explainer) isDifferent(column int) bool {
	for _, feature := range e.table.Columns[column] {
		if e.different[feature] {
			return true
		}
	}
	return false
}

// predict sets e.probabilities to the predictions of the path that replaces the given
// columns in order.
func (e *Explainer) predict(order []int) {
	clear(e.path.Step)
	e.path.Steps = len(order)
	for i, column := range order {
		for _, feature := range e.table.Columns[column] {
			e.path.Step[feature] = int32(i + 1)
		}
	}
	for _, joint := range e.table.Joint {
		e.path.Step[joint.Feature] = max(e.path.Step[joint.Sources[0]], e.path.Step[joint.Sources[1]])
	}
	if need := (len(order) + 1) * e.table.Classes; cap(e.probabilities) < need {
		e.probabilities = make([]float32, need)
	}
	e.probabilities = e.probabilities[:(len(order)+1)*e.table.Classes]
	e.rows.PredictPath(e.probabilities, &e.path)
}

// addOrderContributions adds to dst the contributions that result from one order of the columns.
// It divides them by two, because Explain averages over an order and its reverse.
func (e *Explainer) addOrderContributions(dst []float64, class int, order []int) {
	e.predict(order)
	before := float64(e.probabilities[class])
	for i, column := range order {
		after := float64(e.probabilities[(i+1)*e.table.Classes+class])
		dst[column] += (after - before) / 2
		before = after
	}
}

// addExactValues adds to dst the exact Shapley values of e.columns. A set of columns is a
// bit mask: bit i stands for e.columns[i].
func (e *Explainer) addExactValues(dst []float64, class int) {
	n := len(e.columns)
	if n == 0 {
		return
	}
	for _, order := range coveringOrders[n] {
		e.order = e.order[:0]
		for _, i := range order {
			e.order = append(e.order, e.columns[i])
		}
		e.predict(e.order)
		set := 0
		for k := 0; ; k++ {
			e.values[set] = float64(e.probabilities[k*e.table.Classes+class])
			if k == n {
				break
			}
			set |= 1 << order[k]
		}
	}
	for set := range 1 << n {
		weight := coalitionWeight(n, set)
		for i, column := range e.columns {
			if set>>i&1 == 0 {
				dst[column] += weight * (e.values[set|1<<i] - e.values[set])
			}
		}
	}
}

// coalitionWeight returns the fraction of the orders of n columns in which exactly the
// columns of coalition precede a given other column: |coalition|! (n-|coalition|-1)! / n!.
func coalitionWeight(n, coalition int) float64 {
	size := bits.OnesCount(uint(coalition))
	binomial := 1.0
	for i := range size {
		binomial = math.Round(binomial * float64(n-1-i) / float64(i+1))
	}
	return 1 / (float64(n) * binomial)
}

// coveringOrders[n] holds permutations of n columns, such that each set of columns is the
// beginning of at least one permutation.
var coveringOrders = func() (list [maxExactColumns + 1][][]int) {
	for n := range list {
		list[n] = newCoveringOrders(n)
	}
	return list
}()

// newCoveringOrders returns the element of coveringOrders for n columns. The first k columns of an
// order, for each k, are one of the sets of size k. Most sets have about n/2 columns. Sets of about
// this size are therefore covered first: each set that is not yet the beginning of an order gets a
// new order.
func newCoveringOrders(n int) (orders [][]int) {
	covered := make([]bool, 1<<n)
	for _, size := range sizesFromMiddle(n) {
		for set := range 1 << n {
			if bits.OnesCount(uint(set)) == size && !covered[set] {
				orders = append(orders, newOrderAndMarkCovered(set, n, covered))
			}
		}
	}
	return orders
}

// sizesFromMiddle returns the numbers 0…n, those nearest to n/2 first.
func sizesFromMiddle(n int) []int {
	sizes := []int{n / 2}
	for distance := 1; len(sizes) <= n; distance++ {
		if size := n/2 + distance; size <= n {
			sizes = append(sizes, size)
		}
		if size := n/2 - distance; size >= 0 {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// newOrderAndMarkCovered returns an order of n columns that begins with set, and marks the sets
// with which the order begins as covered.
func newOrderAndMarkCovered(set, n int, covered []bool) []int {
	order := make([]int, n)
	covered[set] = true
	for at, size := set, bits.OnesCount(uint(set)); size > 0; size-- { // remove columns from the set
		i := firstPreferred(n, func(i int) (possible, better bool) { return at>>i&1 == 1, !covered[at&^(1<<i)] })
		order[size-1], at = i, at&^(1<<i)
		covered[at] = true
	}
	for at, size := set, bits.OnesCount(uint(set)); size < n; size++ { // add columns to the set
		i := firstPreferred(n, func(i int) (possible, better bool) { return at>>i&1 == 0, !covered[at|1<<i] })
		order[size], at = i, at|1<<i
		covered[at] = true
	}
	return order
}

// firstPreferred returns the first number i below n for which rate(i) reports possible and better.
// If no i is both, it returns the first i that is possible, or -1 if no i is possible.
func firstPreferred(n int, rate func(i int) (possible, better bool)) int {
	first := -1
	for i := range n {
		possible, better := rate(i)
		if possible && better {
			return i
		}
		if possible && first < 0 {
			first = i
		}
	}
	return first
}
