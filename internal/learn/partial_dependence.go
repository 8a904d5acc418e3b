package learn

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"foretell/internal/table/frame"
)

// PartialDependence shows how the mean prediction depends on one column.
type PartialDependence struct {
	Column string
	// Points are in ascending order of Number, or in descending order of Rows if
	// the cells are texts.
	Points []PartialDependencePoint
}

// PartialDependencePoint holds the mean probabilities if every row had the same
// value in a column.
type PartialDependencePoint struct {
	// Value is the value as text: a number, a date or a level.
	Value string
	// Number is the number, the date in days since 1 January 1970, or NaN for a
	// level.
	Number float64
	// Rows is the number of validation rows with the value, among those that
	// were sampled.
	Rows int
	// Probabilities are the means for the classes of Report.CurveClasses.
	Probabilities []float64
}

// Limits of the partial dependence.
const (
	maxDependenceColumns = 6
	maxDependencePoints  = 20
	maxDependenceRows    = 100
)

// computePartialDependence returns the partial dependence of the most important
// columns. The model of each fold predicts validation rows of the fold in which
// all features of the column are replaced by those of another row (Friedman,
// Annals of Statistics 29, 2001, section 8.2). importances are in descending
// order. classes are the classes of the result. Columns of free text and columns
// with one value are left out.
func (r *race) computePartialDependence(ctx context.Context, m *Model, c *candidate, importances []Importance, classes []int) ([]PartialDependence, error) {
	donors := r.newValidationSample(m, maxImportanceRows)
	sample := r.newValidationSample(m, maxDependenceRows)
	features := make(map[string][]int)
	for _, column := range groupByColumn(r.data.Schema) {
		features[column.name] = column.features
	}
	var list []PartialDependence
	for _, importance := range importances {
		if len(list) == maxDependenceColumns || importance.Importance <= 0 {
			break
		}
		points, rows := newDependencePoints(donors.frame, features[importance.Column])
		if len(points) < 2 {
			continue
		}
		for i := range points {
			points[i].Probabilities = make([]float64, len(classes))
		}
		s := columnSubstitution{sample: sample, donors: donors.frame, features: features[importance.Column], rows: rows}
		if err := s.averageInto(ctx, c, points, classes); err != nil {
			return nil, err
		}
		list = append(list, PartialDependence{importance.Column, points})
	}
	return list, nil
}

// columnSubstitution replaces a column in the rows of a sample by that of donor
// rows.
type columnSubstitution struct {
	sample   *validationSample
	donors   *frame.Frame
	features []int
	rows     []int32 // of donors
}

// averageInto adds to points[i].Probabilities the mean predictions for the i-th
// donor row.
func (s *columnSubstitution) averageInto(ctx context.Context, c *candidate, points []PartialDependencePoint, classes []int) error {
	return s.sample.eachFold(c, func(fold *Model, lo, hi int) error {
		if lo == hi {
			return ctx.Err()
		}
		predictions := make([][]float32, len(points))
		err := parallelFor(s.sample.workers, len(points), func(at int) error {
			f := *s.sample.frame
			f.Columns = slices.Clone(f.Columns)
			same := slices.Repeat(s.rows[at:at+1], f.Rows)
			for _, feature := range s.features {
				f.Columns[feature] = s.donors.Columns[feature].Take(same)
			}
			predictions[at] = make([]float32, (hi-lo)*fold.classes())
			fold.predict(predictions[at], &f, lo, hi)
			return ctx.Err()
		})
		for at := range predictions {
			for i, class := range classes {
				for row := range hi - lo {
					if err == nil {
						points[at].Probabilities[i] += float64(predictions[at][row*fold.classes()+class]) / float64(s.sample.frame.Rows)
					}
				}
			}
		}
		return err
	})
}

// newDependencePoints returns the points of a column with the given features, and
// for each point a row of f with its value. It returns none for free text.
func newDependencePoints(f *frame.Frame, features []int) ([]PartialDependencePoint, []int32) {
	for _, i := range features {
		switch c := &f.Schema.Columns[i]; {
		case c.Kind == frame.Category && len(features) == 1:
			return levelPoints(&f.Columns[i], c.Levels)
		case c.Kind == frame.Numeric && (c.Feature == "" || c.Feature == frame.FeatureAmount || c.Feature == frame.FeatureTime):
			return numberPoints(&f.Columns[i], f.Rows, c.Feature == frame.FeatureTime)
		}
	}
	return nil, nil
}

// levelPoints returns a point for each of the most frequent levels.
func levelPoints(column *frame.Column, levels []string) (points []PartialDependencePoint, rows []int32) {
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
		rows = append(rows, first[code])
	}
	return points, rows
}

// numberPoints returns points at the quantiles of a numeric feature, from its
// least to its greatest value.
func numberPoints(column *frame.Column, n int, date bool) (points []PartialDependencePoint, rows []int32) {
	values := column.Values(make([]float64, n), 0, n)
	var order []int32
	for row, value := range values {
		if !math.IsNaN(value) {
			order = append(order, int32(row))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
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
		points = append(points, PartialDependencePoint{Value: formatNumber(value, date), Number: value, Rows: counts[value]})
		rows = append(rows, row)
	}
	return points, rows
}

// formatNumber returns a number, or a date given in days since 1 January 1970, as
// text.
func formatNumber(value float64, date bool) string {
	const secondsPerDay = 24 * 60 * 60
	if !date {
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
	moment := time.Unix(int64(math.Round(value*secondsPerDay)), 0).UTC()
	if value == math.Floor(value) {
		return moment.Format(time.DateOnly)
	}
	return moment.Format(time.DateTime)
}
