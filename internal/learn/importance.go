package learn

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/rng"
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
const (
	maxImportanceRows        = 1000
	minImportanceRows        = 100
	maxImportancePredictions = 1_000_000
	importanceShuffles       = 3
)

// computeImportances returns the importance of each column of the file. The
// model of each fold predicts the fold's validation rows, once unchanged and
// importanceShuffles times for each column with its values shuffled. All
// features extracted from a column are shuffled together (Breiman, Random
// Forests, 2001, section 10). Unlike the gains of a tree's splits, these
// importances are measured on rows that were not trained on, and are comparable
// between algorithms.
func (r *race) computeImportances(ctx context.Context, m *Model, c *candidate) ([]Importance, error) {
	columns, unused := r.data.splitByUse(groupByColumn(r.data.Schema))
	maxRows := min(maxImportanceRows, max(minImportanceRows, maxImportancePredictions/max(len(columns)*importanceShuffles, 1)))
	sample := r.newValidationSample(m, maxRows)
	if sample.frame.Rows == 0 || len(columns) == 0 {
		return nil, nil
	}
	var shuffles []shuffle
	for i, column := range columns {
		seed := rng.Derive(r.data.params.Seed, i)
		for repeat := range importanceShuffles {
			shuffles = append(shuffles, shuffle{column, rng.Derive(seed, repeat)})
		}
	}
	shuffles = append(shuffles, shuffle{}) // the unchanged rows
	scores := make([]jackknifedScore, len(shuffles))
	batch := max(maxPredictions/(sample.frame.Rows*m.classes()), 1)
	for lo := 0; lo < len(shuffles); lo += batch {
		hi := min(lo+batch, len(shuffles))
		if err := sample.scoreShuffled(ctx, c, shuffles[lo:hi], scores[lo:hi]); err != nil {
			return nil, err
		}
	}
	unchanged := scores[len(scores)-1]
	list := make([]Importance, len(columns), len(columns)+len(unused))
	for i := range list {
		list[i] = unchanged.decrease(scores[i*importanceShuffles : (i+1)*importanceShuffles])
		list[i].Column = columns[i].name
	}
	for _, column := range unused {
		list = append(list, Importance{Column: column.name})
	}
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.Importance, a.Importance) })
	return list, nil
}

// shuffle is a column whose values are shuffled, and the seed of the
// permutation.
type shuffle struct {
	inputColumn
	seed uint64
}

// jackknifeGroups is the number of groups of rows whose omission shows how much
// a score depends on the rows.
const jackknifeGroups = 10

// tQuantile is the 97.5 % quantile of Student's distribution with
// jackknifeGroups-1 degrees of freedom.
const tQuantile = 2.2621571628

// jackknifedScore is a score on all rows, and on all rows except those of each
// group. Row i is in group i modulo jackknifeGroups.
type jackknifedScore struct {
	all     float64
	without [jackknifeGroups]float64
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
	squares := 0.0
	for group := range jackknifeGroups {
		off := difference(func(s *jackknifedScore) float64 { return s.without[group] }) - result.Importance
		squares += off * off
	}
	half := tQuantile * math.Sqrt(squares*(jackknifeGroups-1)/jackknifeGroups)
	result.Interval = Interval{Low: result.Importance - half, High: result.Importance + half}
	return result
}

// score returns the score of p on all rows and without each group.
func (s *validationSample) score(p metric.Predictions) (j jackknifedScore, err error) {
	if j.all, err = s.scoreOf(p); err != nil {
		return j, err
	}
	part := p
	for group := range jackknifeGroups {
		part.Labels, part.Probabilities = part.Labels[:0:0], part.Probabilities[:0:0]
		for i, label := range p.Labels {
			if i%jackknifeGroups != group {
				part.Labels = append(part.Labels, label)
				part.Probabilities = append(part.Probabilities, p.Probabilities[i*p.Classes:(i+1)*p.Classes]...)
			}
		}
		if j.without[group], err = s.scoreOf(part); err != nil {
			return j, err
		}
	}
	return j, nil
}

func (s *validationSample) scoreOf(p metric.Predictions) (float64, error) {
	score, err := metric.Score(s.metric, p)
	return finiteOrZero(score), err
}

// scoreShuffled sets scores[i] to the score when shuffles[i] is applied. Only
// one fold model is in memory at a time.
func (s *validationSample) scoreShuffled(ctx context.Context, c *candidate, shuffles []shuffle, scores []jackknifedScore) error {
	classes := s.model.classes()
	predictions := make([][]float32, len(shuffles))
	for i := range predictions {
		predictions[i] = make([]float32, s.frame.Rows*classes)
	}
	err := s.eachFold(c, func(fold *Model, lo, hi int) error {
		return parallelFor(s.workers, len(shuffles), func(at int) error {
			f := *s.frame
			f.Columns = slices.Clone(f.Columns)
			order := shuffles[at].order(f.Rows)
			for _, feature := range shuffles[at].features {
				f.Columns[feature] = f.Columns[feature].Take(order)
			}
			fold.predict(predictions[at][lo*classes:hi*classes], &f, lo, hi)
			return ctx.Err()
		})
	})
	if err != nil {
		return err
	}
	return parallelFor(s.workers, len(shuffles), func(at int) (err error) {
		scores[at], err = s.score(s.model.newPredictions(predictions[at], s.frame.Labels))
		return err
	})
}

// order returns the permutation of rows. It is the same for all features.
func (s shuffle) order(rows int) []int32 {
	order := make([]int32, rows)
	for i, at := range rand.New(rand.NewPCG(s.seed, 0)).Perm(rows) {
		order[i] = int32(at)
	}
	return order
}
