package explain

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"foretell/internal/learn/duplicate"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// Importance is the permutation importance of a column.
type Importance struct {
	Column string
	// Importance is the mean decrease of the metric when the column's values are shuffled
	// among the rows. It is 0 for a column that no model uses, and may be slightly negative
	// for a column that does not help.
	Importance float64
	// Interval is the 95 % confidence interval of Importance. Its width depends on the
	// number of rows and of shuffles.
	Interval metric.Interval
}

// Limits of the permutation importance. For each shuffle of a column, at most maxImportanceRows
// rows are predicted. With many columns, fewer rows are predicted, but at least minImportanceRows,
// so that all columns together need about maxImportancePredictions predictions. A column is
// shuffled up to maxShuffles times; see numShuffles.
const (
	maxImportanceRows        = 1000
	minImportanceRows        = 100
	maxImportancePredictions = 1_000_000
	maxShuffles              = 3
)

// Limits for a metric that depends on a rare class. For such a metric, the number of rows is
// increased until about minRareRows of them are of this class, up to maxRareImportanceRows rows.
const (
	minRareRows           = 20
	maxRareImportanceRows = 10_000
)

// errUnmeasurable is returned if Validation.Score returns NaN for the sampled validation rows,
// unchanged or with a shuffled column. This happens if no sampled row is of a class that the metric
// depends on.
var errUnmeasurable = errors.New("the metric cannot be computed on the sampled validation rows, because a class is too rare")

// importanceRows returns the largest number of rows that are predicted for each shuffle of a column.
// columns is the number of columns that are shuffled.
func (v *Validation) importanceRows(columns int) int {
	perColumn := maxImportancePredictions / max(columns, 1)
	rows := min(maxImportanceRows, max(minImportanceRows, perColumn))
	if v.RareShare > 0 {
		enough := math.Ceil(minRareRows / v.RareShare)
		rows = max(rows, int(min(enough, maxRareImportanceRows, float64(perColumn))))
	}
	return rows
}

// numShuffles returns how often each column is shuffled if the given number of rows is predicted.
// About maxImportanceRows predictions per column are enough. A column of a large table is therefore
// shuffled only once, because predicting another row improves the estimate more than predicting the
// same row again.
func numShuffles(rows int) int {
	return min(max(maxImportanceRows/max(rows, 1), 1), maxShuffles)
}

// Importances returns the permutation importance of each column of the file, largest first
// (Breiman, Random Forests, 2001, section 10). The model of each fold predicts the fold's
// validation rows: first unchanged, then one to three times with the column's values shuffled. All
// features extracted from a column are shuffled together. Importances returns an error if the
// metric cannot be computed on the sampled rows.
func (v *Validation) Importances(ctx context.Context) ([]Importance, error) {
	columns, unused := v.splitByUse()
	sample := v.drawSample(v.importanceRows(len(columns)))
	if sample.Frame.Rows == 0 || len(columns) == 0 {
		return nil, nil
	}
	list := make([]Importance, len(columns), len(columns)+len(unused))
	batch := max(maxPredictions/(sample.Frame.Rows*v.classes()*maxShuffles), 1)
	for lo := 0; lo < len(columns); lo += batch {
		hi := min(lo+batch, len(columns))
		shuffled := make([]shuffledColumn, hi-lo)
		for i := range shuffled {
			shuffled[i] = sample.shuffle(columns[lo+i], rng.Derive(v.Seed, lo+i))
		}
		if err := sample.measureShuffled(ctx, shuffled, list[lo:hi]); err != nil {
			return nil, err
		}
	}
	for _, column := range unused {
		list = append(list, Importance{Column: column.Name})
	}
	sort.SliceStable(list, func(i, j int) bool { return cmp.Less(list[j].Importance, list[i].Importance) })
	return list, nil
}

// splitByUse divides the columns of the file into two lists: the columns that a model may use, and
// the columns that no model uses.
func (v *Validation) splitByUse() (used, unused []frame.SourceColumn) {
	for _, column := range v.Schema.SourceColumns() {
		if slices.ContainsFunc(column.Features, func(i int) bool { return v.Used[i] }) {
			used = append(used, column)
		} else {
			unused = append(unused, column)
		}
	}
	return used, unused
}

// shuffledColumn is a column and the permutations by which its cells are shuffled.
type shuffledColumn struct {
	frame.SourceColumn
	// permutations[i][row] is the row whose cells replace the cells of row in the i-th shuffle.
	permutations [][]int32
	// cellHashes holds, for each row, a hash of its cells in the features of the column.
	cellHashes []uint64
}

// shuffle draws the permutations of a column from a random generator with the given seed. All
// features of the column have the same permutations.
func (s *sample) shuffle(column frame.SourceColumn, seed uint64) shuffledColumn {
	shuffled := shuffledColumn{SourceColumn: column, cellHashes: make([]uint64, s.Frame.Rows)}
	buffer := make([]float64, s.Frame.Rows)
	for _, feature := range column.Features {
		duplicate.AddCellsToHashes(shuffled.cellHashes, &s.Frame.Columns[feature], buffer, 0)
	}
	for repeat := range numShuffles(s.Frame.Rows) {
		order := make([]int32, s.Frame.Rows)
		for i, at := range rand.New(rand.NewPCG(rng.Derive(seed, repeat), 0)).Perm(s.Frame.Rows) {
			order[i] = int32(at)
		}
		shuffled.permutations = append(shuffled.permutations, order)
	}
	return shuffled
}

// substitute returns copies of the rows lo…hi-1 with shuffled cells of the column, for all shuffles
// together. places[i][row-lo] is the index in s of the copy of row for the i-th shuffle, or -1 if
// this shuffle does not change the row. If several shuffles put the same cells into a row, they
// share one copy.
func (c *shuffledColumn) substitute(f *frame.Frame, lo, hi int) (s substitution, places [][]int32) {
	places = make([][]int32, len(c.permutations))
	replaced := replacedColumn{features: c.Features, donors: f}
	for row := lo; row < hi; row++ {
		for repeat := range c.permutations {
			donor, place := c.permutations[repeat][row], int32(-1)
			if c.cellHashes[donor] != c.cellHashes[row] {
				place = int32(len(s.rows))
				for earlier := range repeat {
					if c.cellHashes[c.permutations[earlier][row]] == c.cellHashes[donor] {
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
func (s *sample) measureShuffled(ctx context.Context, columns []shuffledColumn, list []Importance) error {
	classes := s.classes()
	unchanged := make([]float32, s.Frame.Rows*classes)
	changed := make([][][]float32, len(columns))
	for i := range changed {
		changed[i] = make([][]float32, len(columns[i].permutations))
		for repeat := range changed[i] {
			changed[i][repeat] = make([]float32, s.Frame.Rows*classes)
		}
	}
	err := s.eachFold(func(fold FoldModel, lo, hi int) error {
		substitutions, places := make([]substitution, len(columns)+1), make([][][]int32, len(columns))
		used := s.usedBy(fold)
		for i := range columns {
			if slices.ContainsFunc(columns[i].Features, func(feature int) bool { return used[feature] }) {
				substitutions[i], places[i] = columns[i].substitute(s.Frame, lo, hi)
			}
		}
		substitutions[len(columns)] = substitution{rows: split.Range(lo, hi)}
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
				if places[i] == nil { // the model does not use the column
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
	before, err := s.score(ctx, unchanged)
	if err != nil {
		return err
	}
	return parallel.ForError(s.Workers, len(columns), func(i int) (err error) {
		after := make([]jackknifedScore, len(changed[i]))
		for repeat := range after {
			if after[repeat], err = s.score(ctx, changed[i][repeat]); err != nil {
				return err
			}
		}
		list[i] = before.importance(after)
		list[i].Column = columns[i].Name
		if math.IsNaN(list[i].Importance) {
			return errUnmeasurable
		}
		return nil
	})
}

// maxJackknifeParts is the largest number of parts into which the jackknife divides the rows. The
// jackknife estimates the standard error of a score by leaving out each part in turn.
const maxJackknifeParts = 10

// jackknifedScore holds the score on all rows and, for each part of the jackknife, the score on the
// rows outside this part.
type jackknifedScore struct {
	all     float64
	without []float64
}

// assignJackknifeParts returns the part of each row of the sample, and the number of parts.
// Consecutive rows are in different parts, but rows of a group are in the same part.
func (s *sample) assignJackknifeParts() (partOfRow []int, numParts int) {
	partOfRow = make([]int, s.Frame.Rows)
	partOf, next := make(map[int32]int), 0
	for row := range partOfRow {
		if s.Groups != nil && s.Groups[row] >= 0 {
			if earlier, known := partOf[s.Groups[row]]; known {
				partOfRow[row] = earlier
				continue
			}
			partOf[s.Groups[row]] = next % maxJackknifeParts
		}
		partOfRow[row] = next % maxJackknifeParts
		next++
	}
	return partOfRow, min(next, maxJackknifeParts)
}

// importance returns the importance of a column from the scores of its shuffles. The standard error
// is computed by the delete-a-group jackknife (Kott, Journal of Official Statistics 17, 2001). It
// includes the error due to shuffling, because leaving out rows also leaves out their shuffled
// values. If the metric cannot be computed on the rows outside one of the parts, the interval is
// unknown.
func (s *jackknifedScore) importance(shuffled []jackknifedScore) Importance {
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
		result.Interval = metric.Interval{Low: math.NaN(), High: math.NaN()}
		return result
	}
	squares := 0.0
	for part := range parts {
		off := difference(func(s *jackknifedScore) float64 { return s.without[part] }) - result.Importance
		squares += off * off
	}
	half := metric.StudentQuantile(float64(parts-1)) * math.Sqrt(squares*float64(parts-1)/float64(parts))
	result.Interval = metric.Interval{Low: result.Importance - half, High: result.Importance + half}
	return result
}

// score returns the score of probabilities on all rows and, for each part of the jackknife, the
// score on the rows outside this part.
func (s *sample) score(ctx context.Context, probabilities []float32) (j jackknifedScore, err error) {
	if j.all, err = s.Score(ctx, probabilities, s.Frame.Labels); err != nil {
		return j, err
	}
	part, parts := s.assignJackknifeParts()
	j.without = make([]float64, parts)
	classes := s.classes()
	for omitted := range j.without {
		labels, rest := make([]int32, 0, len(part)), make([]float32, 0, len(probabilities))
		for i, label := range s.Frame.Labels {
			if part[i] != omitted {
				labels = append(labels, label)
				rest = append(rest, probabilities[i*classes:(i+1)*classes]...)
			}
		}
		if j.without[omitted], err = s.Score(ctx, rest, labels); err != nil {
			return j, err
		}
	}
	return j, nil
}
