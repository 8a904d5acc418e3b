package explain

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// Interaction describes how much the effect of one column on the mean prediction depends
// on the value of another column.
type Interaction struct {
	Columns [2]string
	// Class is the label of the class whose probability has the strongest interaction. The
	// other fields describe the interaction for this class.
	Class string
	// Strength is the standard deviation of the interaction, which is what remains of the mean
	// probability after the effect of each column alone has been subtracted. Share is the variance
	// of the interaction divided by the variance of the mean probability, from 0 to 1.
	Strength, Share float64
	// Values holds the values of each column as text; see PartialDependencePoint.Value.
	Values [2][]string
	// Probabilities[i][j] is the mean probability if all rows had the i-th value of the
	// first column and the j-th value of the second.
	Probabilities [][]float64
}

// Limits of the interactions. The interactions of all pairs of maxInteractionColumns
// columns are computed from about maxInteractionRows rows, for maxInteractionPoints values
// of each column.
const (
	maxInteractionColumns = 4
	maxInteractionPoints  = 6
	maxInteractionRows    = 30
)

// tableAxis holds the values of one column of a pair. donors[i] is a row with the value of
// points[i], and weights[i] is the fraction of the rows that this value represents.
type tableAxis struct {
	frame.SourceColumn
	points  []PartialDependencePoint
	donors  []int32
	weights []float64 // add up to 1
}

// pairTable adds up predictions by the values of two columns.
type pairTable struct {
	axes [2]*tableAxis
	rows int
	// sums[i] holds the sums of the probability of the i-th class, by the value of the
	// first axis, then by the value of the second.
	sums [][][]float64
}

// newPairTables returns a table for each pair of columns. It uses the first maxInteractionColumns
// columns that have at least two values on their axis.
func newPairTables(e *effects) []pairTable {
	var axes []*tableAxis
	for i := range e.columns {
		if axis := newTableAxis(&e.columns[i], e.donors); len(axis.points) > 1 && len(axes) < maxInteractionColumns {
			axes = append(axes, axis)
		}
	}
	var pairs []pairTable
	for i, first := range axes {
		for _, second := range axes[i+1:] {
			pair := pairTable{axes: [2]*tableAxis{first, second}}
			for range e.classes {
				table := make([][]float64, len(first.donors))
				for at := range table {
					table[at] = make([]float64, len(second.donors))
				}
				pair.sums = append(pair.sums, table)
			}
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// newTableAxis returns an axis with at most maxInteractionPoints values of a column. For a
// categorical column, these are the most frequent levels. For numbers, the rows of donors are
// divided into groups of equal size, and the values are the medians of the groups.
func newTableAxis(column *dependentColumn, donors *frame.Frame) *tableAxis {
	axis := &tableAxis{SourceColumn: column.SourceColumn}
	if math.IsNaN(column.points[0].Number) {
		n := min(len(column.points), maxInteractionPoints)
		axis.points, axis.donors = column.points[:n], column.donors[:n]
		for _, point := range axis.points {
			axis.weights = append(axis.weights, float64(point.Rows))
		}
	} else {
		axis.addQuantiles(column, donors)
	}
	sum := 0.0
	for _, weight := range axis.weights {
		sum += weight
	}
	for i := range axis.weights {
		axis.weights[i] /= sum
	}
	return axis
}

// addQuantiles divides the rows of donors into groups of equal size, and adds the median of each
// group to the axis of a column of numbers. Equal medians become one value.
func (a *tableAxis) addQuantiles(column *dependentColumn, donors *frame.Frame) {
	numeric := firstNumericFeature(donors, column.Features)
	values := donors.Columns[numeric].Values(make([]float64, donors.Rows), 0, donors.Rows)
	order := argsortWithoutNaN(values)
	for i := range maxInteractionPoints {
		row := order[(2*i+1)*len(order)/(2*maxInteractionPoints)]
		if n := len(a.points); n > 0 && a.points[n-1].Number == values[row] {
			a.weights[n-1]++
			continue
		}
		date := donors.Schema.Columns[numeric].Feature == frame.ExtractTime
		a.points = append(a.points, PartialDependencePoint{Value: formatNumber(values[row], date), Number: values[row]})
		a.donors, a.weights = append(a.donors, row), append(a.weights, 1)
	}
}

// substitute chooses some of the rows lo…hi-1 of the sample, the validation rows of one fold. All
// folds together have about maxInteractionRows chosen rows. substitute returns each chosen row once
// for each pair of values, with the cells of both columns replaced by these values. It adds the
// number of chosen rows to g.rows.
func (g *pairTable) substitute(e *effects, lo, hi int) substitution {
	rows := split.Subsample(split.Range(lo, hi), max(maxInteractionRows/len(e.sample.Ends), 1))
	g.rows += len(rows)
	s := substitution{columns: make([]replacedColumn, 2)}
	for side, axis := range g.axes {
		s.columns[side] = replacedColumn{features: axis.Features, donors: e.donors}
	}
	for _, first := range g.axes[0].donors {
		for _, second := range g.axes[1].donors {
			s.rows = append(s.rows, rows...)
			s.columns[0].rows = append(s.columns[0].rows, slices.Repeat([]int32{first}, len(rows))...)
			s.columns[1].rows = append(s.columns[1].rows, slices.Repeat([]int32{second}, len(rows))...)
		}
	}
	return s
}

// add adds to g.sums the predictions for the rows that the method substitute returned.
// predictions is row-major, with one probability per class. classes is the number of classes, and
// shown holds the classes whose probabilities are added.
func (g *pairTable) add(predictions []float32, classes int, shown []int) {
	second := len(g.axes[1].donors)
	rows := len(predictions) / classes / (len(g.axes[0].donors) * second)
	for at := range len(predictions) / classes {
		a, b := at/rows/second, at/rows%second
		for i, class := range shown {
			g.sums[i][a][b] += float64(predictions[at*classes+class])
		}
	}
}

// interactions returns the interactions, strongest first. labels are the labels of all
// classes.
func (e *effects) interactions(labels []string) []Interaction {
	shown := make([]string, len(e.classes))
	for i, class := range e.classes {
		shown[i] = labels[class]
	}
	var list []Interaction
	for i := range e.pairs {
		if g := &e.pairs[i]; g.rows > 0 {
			list = append(list, g.interaction(shown))
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return cmp.Less(list[j].Strength, list[i].Strength) })
	return list
}

// equalStrengthTolerance is the relative difference below which two classes count as equally
// strong, because the difference may be due to rounding. In that case, the later class is chosen,
// because it is also the class that the plots show.
const equalStrengthTolerance = 1e-3

// interaction returns the interaction of the two columns. Share is the statistic H² of Friedman and
// Popescu (Annals of Applied Statistics 2, 2008, section 8.1), except that means are computed over
// the cells of the table instead of over the rows. The interaction of a cell, which is a mean
// probability, is: cell − mean of its table row − mean of its table column + mean of the table.
func (g *pairTable) interaction(labels []string) Interaction {
	x := Interaction{Columns: [2]string{g.axes[0].Name, g.axes[1].Name}, Strength: -1}
	for side, axis := range g.axes {
		for _, point := range axis.points {
			x.Values[side] = append(x.Values[side], point.Value)
		}
	}
	for class, table := range g.sums {
		for _, row := range table {
			for b := range row {
				row[b] /= float64(g.rows)
			}
		}
		cells, interactions := g.variances(table)
		strength := math.Sqrt(interactions)
		if strength < x.Strength*(1-equalStrengthTolerance) {
			continue
		}
		x.Class, x.Strength, x.Share, x.Probabilities = labels[class], strength, 0, table
		if cells > 0 {
			x.Share = interactions / cells
		}
	}
	return x
}

// variances returns the variance of the cells of a table, and the variance of their
// interactions; see interaction.
func (g *pairTable) variances(table [][]float64) (cells, interactions float64) {
	first, second := g.axes[0].weights, g.axes[1].weights
	rows, columns, mean := make([]float64, len(first)), make([]float64, len(second)), 0.0
	for a := range first {
		for b := range second {
			rows[a] += second[b] * table[a][b]
			columns[b] += first[a] * table[a][b]
			mean += first[a] * second[b] * table[a][b]
		}
	}
	for a := range first {
		for b := range second {
			weight, v := first[a]*second[b], table[a][b]
			cells += weight * (v - mean) * (v - mean)
			rest := v - rows[a] - columns[b] + mean
			interactions += weight * rest * rest
		}
	}
	return cells, interactions
}
