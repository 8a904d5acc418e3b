package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// PartialDependence shows how the mean prediction depends on one column.
type PartialDependence struct {
	Column string
	// Points are in ascending order of Number or, for a categorical column, in
	// descending order of Rows.
	Points []PartialDependencePoint
}

// PartialDependencePoint holds the mean probabilities that the model would predict if
// every row had the same value in a column.
type PartialDependencePoint struct {
	// Value is the value as text: a number, a date or a category.
	Value string
	// Number is the number, the date in days since 1 January 1970, or NaN for a category.
	Number float64
	// Rows is the number of validation rows with the value, among those that
	// were sampled.
	Rows int
	// Probabilities are the means for the classes passed to Effects.
	Probabilities []float64
}

// Limits of the partial dependence: the numbers of columns, of points of a column, and of
// validation rows from which the means are computed.
const (
	maxDependenceColumns = 6
	maxDependencePoints  = 20
	maxDependenceRows    = 100
)

// effects adds up the predictions of the fold models. The sums determine the partial
// dependence of columns and the interactions of pairs of columns.
type effects struct {
	sample  *sample
	donors  *frame.Frame // rows whose cells replace the cells of the sample
	classes []int        // the classes of the result
	columns []dependentColumn
	pairs   []pairTable
}

// dependentColumn is a column whose partial dependence is computed. donors[i] is a row with the
// value of point i in this column.
type dependentColumn struct {
	frame.SourceColumn
	points []PartialDependencePoint
	donors []int32
}

// Effects returns the partial dependence of the most important columns, and the interactions
// between the first few of them (Friedman, Annals of Statistics 29, 2001, section 8.2). For each
// value of a column, the model of each fold predicts the fold's validation rows as if all of them
// had this value. importances must be in descending order. classes holds the classes whose
// probabilities are returned. Columns of free text and columns with only one value are left out.
func (v *Validation) Effects(ctx context.Context, importances []Importance, classes []int) (dependences []PartialDependence, interactions []Interaction, err error) {
	e := &effects{sample: v.drawSample(maxDependenceRows), donors: v.Sample(maxImportanceRows).Frame, classes: classes}
	features := make(map[string]frame.SourceColumn)
	for _, column := range v.Schema.SourceColumns() {
		features[column.Name] = column
	}
	for _, importance := range importances {
		if len(e.columns) == maxDependenceColumns || importance.Importance <= 0 {
			break
		}
		column := dependentColumn{SourceColumn: features[importance.Column]}
		column.points, column.donors = newDependencePoints(e.donors, column.Features)
		if len(column.points) < 2 {
			continue
		}
		for i := range column.points {
			column.points[i].Probabilities = make([]float64, len(classes))
		}
		e.columns = append(e.columns, column)
	}
	e.pairs = newPairTables(e)
	if err := e.sample.eachFold(func(fold FoldModel, lo, hi int) error { return e.addFold(ctx, fold, lo, hi) }); err != nil {
		return nil, nil, err
	}
	var list []PartialDependence
	for _, column := range e.columns {
		list = append(list, PartialDependence{column.Name, column.points})
	}
	return list, e.interactions(v.Schema.Classes), nil
}

// addFold adds the predictions of a fold's model for the rows lo…hi-1 of the sample to the sums of
// all columns and pairs. The model was not trained on these rows.
func (e *effects) addFold(ctx context.Context, fold FoldModel, lo, hi int) error {
	if lo == hi {
		return ctx.Err()
	}
	var list []substitution
	for i := range e.columns {
		list = append(list, e.columns[i].substitute(e.donors, lo, hi))
	}
	for i := range e.pairs {
		list = append(list, e.pairs[i].substitute(e, lo, hi))
	}
	predictions, err := e.sample.predict(ctx, fold, list)
	if err != nil {
		return err
	}
	for i := range e.columns {
		e.columns[i].add(predictions[i], e.sample.classes(), hi-lo, e)
	}
	for i := range e.pairs {
		e.pairs[i].add(predictions[len(e.columns)+i], e.sample.classes(), e.classes)
	}
	return nil
}

// substitute returns the rows lo…hi-1 of a sample once for each point, with the cells of the column
// replaced by the point's value. These cells are taken from rows of donors.
func (d *dependentColumn) substitute(donors *frame.Frame, lo, hi int) substitution {
	s := substitution{columns: []replacedColumn{{features: d.Features, donors: donors}}}
	for _, donor := range d.donors {
		s.rows = append(s.rows, split.Range(lo, hi)...)
		s.columns[0].rows = append(s.columns[0].rows, slices.Repeat([]int32{donor}, hi-lo)...)
	}
	return s
}

// add adds predictions, made for the rows that the method substitute returned, to the mean
// probabilities of the points. rows is the number of rows per point, and classes is the number of
// predicted classes.
func (d *dependentColumn) add(predictions []float32, classes, rows int, e *effects) {
	for at := range d.points {
		for i, class := range e.classes {
			for row := range rows {
				d.points[at].Probabilities[i] += float64(predictions[(at*rows+row)*classes+class]) / float64(e.sample.Frame.Rows)
			}
		}
	}
}

// newDependencePoints returns the points of a column with the given features, and for each
// point a row of f with its value. For free text, it returns no points.
func newDependencePoints(f *frame.Frame, features []int) (points []PartialDependencePoint, sampleRows []int32) {
	if isCategory(f, features) {
		return levelPoints(&f.Columns[features[0]], f.Schema.Columns[features[0]].Levels)
	}
	if i := firstNumericFeature(f, features); i >= 0 {
		return numberPoints(&f.Columns[i], f.Rows, f.Schema.Columns[i].Feature == frame.ExtractTime)
	}
	return nil, nil
}

// isCategory reports whether a column with the given features is categorical: its first feature is
// a category, and all other features are items or prefixes of the category's texts.
func isCategory(f *frame.Frame, features []int) bool {
	for i, feature := range features {
		c := &f.Schema.Columns[feature]
		switch c.Feature {
		case frame.ExtractItem, frame.ExtractItems, frame.ExtractPrefix:
		default:
			if i > 0 {
				return false
			}
		}
	}
	return f.Schema.Columns[features[0]].Kind == frame.Category
}

// firstNumericFeature returns the first of the given features that holds numbers, amounts or
// dates, or -1 if no feature does.
func firstNumericFeature(f *frame.Frame, features []int) (feature int) {
	for _, i := range features {
		c := &f.Schema.Columns[i]
		if c.Kind == frame.Numeric && (c.Feature == "" || c.Feature == frame.ExtractAmount || c.Feature == frame.ExtractTime) {
			return i
		}
	}
	return -1
}

// levelPoints returns a point for each of the most frequent levels, and for each point a row with
// this level.
func levelPoints(column *frame.Column, levels []string) (points []PartialDependencePoint, sampleRows []int32) {
	counts, first := make([]int, len(levels)), make([]int32, len(levels))
	for row, code := range column.Codes {
		if code >= 0 && int(code) < len(levels) {
			if counts[code] == 0 {
				first[code] = int32(row)
			}
			counts[code]++
		}
	}
	var order []int
	for code, n := range counts {
		if n > 0 {
			order = append(order, code)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	for _, code := range order[:min(len(order), maxDependencePoints)] {
		points = append(points, PartialDependencePoint{Value: levels[code], Number: math.NaN(), Rows: counts[code]})
		sampleRows = append(sampleRows, first[code])
	}
	return points, sampleRows
}

// numberPoints returns points at the quantiles of a numeric feature, from its least to its greatest
// value, and for each point a row with this value. isDate reports whether the numbers are dates.
func numberPoints(column *frame.Column, rowCount int, isDate bool) (points []PartialDependencePoint, sampleRows []int32) {
	values := column.Values(make([]float64, rowCount), 0, rowCount)
	order := argsortWithoutNaN(values)
	counts := make(map[float64]int)
	for _, row := range order {
		counts[values[row]]++
	}
	for i := range maxDependencePoints {
		if len(order) == 0 {
			break
		}
		row := order[i*(len(order)-1)/(maxDependencePoints-1)]
		value := values[row]
		if len(points) > 0 && points[len(points)-1].Number == value {
			continue
		}
		points = append(points, PartialDependencePoint{Value: formatNumber(value, isDate), Number: value, Rows: counts[value]})
		sampleRows = append(sampleRows, row)
	}
	return points, sampleRows
}

// argsortWithoutNaN returns the positions of values in ascending order, without NaN.
func argsortWithoutNaN(values []float64) (positions []int32) {
	var order []int32
	for row, value := range values {
		if !math.IsNaN(value) {
			order = append(order, int32(row))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// formatNumber returns a number, or a date given in days since 1 January 1970, as
// text.
func formatNumber(value float64, isDate bool) string {
	const secondsPerDay = 24 * 60 * 60
	if !isDate {
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
	moment := time.Unix(int64(math.Round(value*secondsPerDay)), 0).UTC()
	if value == math.Floor(value) {
		return moment.Format(time.DateOnly)
	}
	return moment.Format(time.DateTime)
}
