package learn

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"foretell/internal/learn/duplicate"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
	"foretell/internal/table/frame"
)

// Importance is the permutation importance of a column.
type Importance struct {
	Column string
	// Importance is the decrease of the metric if the column's values are
	// shuffled among the rows, the mean of several shuffles. It is about 0,
	// perhaps slightly negative, for a column that the model does not use.
	Importance float64
	// Interval is the 95 % confidence interval of Importance. Its width is due
	// to the number of rows and of shuffles.
	Interval Interval
}

// maxImportanceRows is the largest number of rows that are predicted for each
// shuffle. If there are many columns, fewer rows are predicted, so that there
// are about maxImportancePredictions in total, but at least minImportanceRows.
// A column is shuffled maxShuffles times, or less often if there are enough rows.
const (
	maxImportanceRows        = 1000
	minImportanceRows        = 100
	maxImportancePredictions = 1_000_000
	maxShuffles              = 3
)

// numShuffles returns how often a column is shuffled among the given number of
// rows: so that about maxImportanceRows rows are predicted in total. Other rows
// say more about the importance than another shuffle of the same rows.
func numShuffles(rows int) int {
	return min(max(maxImportanceRows/max(rows, 1), 1), maxShuffles)
}

// computeImportances returns the importance of each column of the file. The
// model of each fold predicts the fold's validation rows, once unchanged and
// one to three times for each column with its values shuffled, if the values are
// then different. All features extracted from a column are shuffled together (Breiman, Random
// Forests, 2001, section 10). Unlike the gains of a tree's splits, these
// importances are measured on rows that were not trained on, and are comparable
// between algorithms.
func (r *race) computeImportances(ctx context.Context, m *Model, c *candidate) ([]Importance, error) {
	columns, unused := r.data.splitByUse(groupByColumn(r.data.Schema))
	maxRows := min(maxImportanceRows, max(minImportanceRows, maxImportancePredictions/max(len(columns), 1)))
	sample := r.newValidationSample(m, maxRows)
	if sample.frame.Rows == 0 || len(columns) == 0 {
		return nil, nil
	}
	list := make([]Importance, len(columns), len(columns)+len(unused))
	batch := max(maxPredictions/(sample.frame.Rows*m.classes()*maxShuffles), 1)
	for lo := 0; lo < len(columns); lo += batch {
		hi := min(lo+batch, len(columns))
		shuffled := make([]shuffledColumn, hi-lo)
		for i := range shuffled {
			shuffled[i] = sample.shuffle(columns[lo+i], rng.Derive(r.data.params.Seed, lo+i))
		}
		if err := sample.measureShuffled(ctx, c, shuffled, list[lo:hi]); err != nil {
			return nil, err
		}
	}
	for _, column := range unused {
		list = append(list, Importance{Column: column.name})
	}
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.Importance, a.Importance) })
	return list, nil
}

// shuffledColumn is a column with the permutations that shuffle its cells.
type shuffledColumn struct {
	inputColumn
	// orders has, for each shuffle and row, the row whose cells replace those of
	// the row.
	orders [][]int32
	// cells has a hash of the cells of each row.
	cells []uint64
}

// shuffle returns the permutations of a column. They are the same for all of its
// features.
func (s *validationSample) shuffle(column inputColumn, seed uint64) shuffledColumn {
	shuffled := shuffledColumn{inputColumn: column, cells: make([]uint64, s.frame.Rows)}
	buffer := make([]float64, s.frame.Rows)
	for _, feature := range column.features {
		duplicate.HashCells(shuffled.cells, &s.frame.Columns[feature], buffer, 0)
	}
	for repeat := range numShuffles(s.frame.Rows) {
		order := make([]int32, s.frame.Rows)
		for i, at := range rand.New(rand.NewPCG(rng.Derive(seed, repeat), 0)).Perm(s.frame.Rows) {
			order[i] = int32(at)
		}
		shuffled.orders = append(shuffled.orders, order)
	}
	return shuffled
}

// substitute returns the rows lo…hi-1 with the shuffled cells of the column. A row
// is not repeated if it gets equal cells in several shuffles, and left out if it
// gets cells that are equal to its own. places has, for each shuffle, the index of
// each row, or -1 if the row is unchanged.
func (c *shuffledColumn) substitute(f *frame.Frame, lo, hi int) (s substitution, places [][]int32) {
	places = make([][]int32, len(c.orders))
	replaced := replacedColumn{features: c.features, donors: f}
	for row := lo; row < hi; row++ {
		for repeat := range c.orders {
			donor, place := c.orders[repeat][row], int32(-1)
			if c.cells[donor] != c.cells[row] {
				place = int32(len(s.rows))
				for earlier := range repeat {
					if c.cells[c.orders[earlier][row]] == c.cells[donor] {
						place = places[earlier][row-lo]
						break
					}
				}
			}
			if int(place) == len(s.rows) {
				s.rows, replaced.rows = append(s.rows, int32(row)), append(replaced.rows, donor)
			}
			places[repeat] = append(places[repeat], place)
		}
	}
	s.columns = []replacedColumn{replaced}
	return s, places
}

// measureShuffled sets list[i] to the importance of columns[i]. Only one fold model
// is in memory at a time.
func (s *validationSample) measureShuffled(ctx context.Context, c *candidate, columns []shuffledColumn, list []Importance) error {
	classes := s.model.classes()
	unchanged := make([]float32, s.frame.Rows*classes)
	changed := make([][][]float32, len(columns))
	for i := range changed {
		changed[i] = make([][]float32, len(columns[i].orders))
		for repeat := range changed[i] {
			changed[i][repeat] = make([]float32, s.frame.Rows*classes)
		}
	}
	err := s.eachFold(c, func(fold *Model, lo, hi int) error {
		substitutions, places := make([]substitution, len(columns)+1), make([][][]int32, len(columns))
		used := s.usedBy(fold)
		for i := range columns {
			if slices.ContainsFunc(columns[i].features, func(feature int) bool { return used[feature] }) {
				substitutions[i], places[i] = columns[i].substitute(s.frame, lo, hi)
			}
		}
		substitutions[len(columns)] = substitution{rows: rowRange(lo, hi)}
		predictions, err := s.predict(ctx, fold, substitutions)
		if err != nil {
			return err
		}
		base := predictions[len(columns)]
		copy(unchanged[lo*classes:], base)
		for i := range columns {
			for repeat := range changed[i] {
				dst := changed[i][repeat][lo*classes : hi*classes]
				copy(dst, base)
				if places[i] == nil { // the fold does not use the column
					continue
				}
				for row, place := range places[i][repeat] {
					if place >= 0 {
						copy(dst[row*classes:(row+1)*classes], predictions[i][int(place)*classes:])
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	before, err := s.score(unchanged)
	if err != nil {
		return err
	}
	return parallel.ForError(s.workers, len(columns), func(i int) (err error) {
		after := make([]jackknifedScore, len(changed[i]))
		for repeat := range after {
			if after[repeat], err = s.score(changed[i][repeat]); err != nil {
				return err
			}
		}
		list[i] = before.decrease(after)
		list[i].Column = columns[i].name
		return nil
	})
}

// jackknifeParts is the largest number of parts of the rows whose omission shows
// how much a score depends on the rows.
const jackknifeParts = 10

// studentQuantiles are the 97.5 % quantiles of Student's distribution with 1 to
// jackknifeParts-1 degrees of freedom.
var studentQuantiles = [jackknifeParts - 1]float64{
	12.7062047362, 4.3026527297, 3.1824463053, 2.7764451052, 2.5705818356, 2.4469118511, 2.3646242516, 2.3060041352, 2.2621571628,
}

// jackknifedScore is a score on all rows, and on all rows except those of each
// part.
type jackknifedScore struct {
	all     float64
	without []float64
}

// jackknife returns the part of each row of the sample, and the number of parts.
// Consecutive rows are in different parts, but rows of a group in the same.
func (s *validationSample) jackknife() (part []int, parts int) {
	part = make([]int, s.frame.Rows)
	partOf, next := make(map[int32]int), 0
	for row := range part {
		if s.groups != nil && s.groups[row] >= 0 {
			if earlier, known := partOf[s.groups[row]]; known {
				part[row] = earlier
				continue
			}
			partOf[s.groups[row]] = next % jackknifeParts
		}
		part[row] = next % jackknifeParts
		next++
	}
	return part, min(next, jackknifeParts)
}

// decrease returns the importance of a column from the scores of its shuffles.
// The standard error is that of the delete-a-group jackknife (Kott, Journal of
// Official Statistics 17, 2001). It covers the shuffles, too, because each row
// has its own random value.
func (s *jackknifedScore) decrease(shuffled []jackknifedScore) Importance {
	difference := func(score func(*jackknifedScore) float64) float64 {
		sum := 0.0
		for i := range shuffled {
			sum += score(s) - score(&shuffled[i])
		}
		return sum / float64(len(shuffled))
	}
	result := Importance{Importance: difference(func(s *jackknifedScore) float64 { return s.all })}
	parts := len(s.without)
	if parts < 2 {
		result.Interval = Interval{Low: math.NaN(), High: math.NaN()}
		return result
	}
	squares := 0.0
	for part := range parts {
		off := difference(func(s *jackknifedScore) float64 { return s.without[part] }) - result.Importance
		squares += off * off
	}
	half := studentQuantiles[parts-2] * math.Sqrt(squares*float64(parts-1)/float64(parts))
	result.Interval = Interval{Low: result.Importance - half, High: result.Importance + half}
	return result
}

// score returns the score of the probabilities of all rows, and without each part
// of them.
func (s *validationSample) score(probabilities []float32) (j jackknifedScore, err error) {
	p := s.model.newPredictions(probabilities, s.frame.Labels)
	if j.all, err = s.scoreOf(p); err != nil {
		return j, err
	}
	part, parts := s.jackknife()
	j.without = make([]float64, parts)
	rest := p
	for omitted := range j.without {
		rest.Labels, rest.Probabilities = make([]int32, 0, len(p.Labels)), make([]float32, 0, len(p.Probabilities))
		for i, label := range p.Labels {
			if part[i] != omitted {
				rest.Labels = append(rest.Labels, label)
				rest.Probabilities = append(rest.Probabilities, p.Probabilities[i*p.Classes:(i+1)*p.Classes]...)
			}
		}
		if j.without[omitted], err = s.scoreOf(rest); err != nil {
			return j, err
		}
	}
	return j, nil
}

func (s *validationSample) scoreOf(p metric.Predictions) (float64, error) {
	score, err := metric.Score(s.metric, p)
	return finiteOrZero(score), err
}
