package learn

import (
	"cmp"
	"context"
	"slices"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
)

// Of a frame of more than mostFeatures features, an algorithm learns from the
// mostFeatures that tell most of the label when taken one at a time (sure
// independence screening: Fan and Lv 2008). They are chosen anew for every fold,
// on its training rows alone: chosen once on all rows, they would have seen the
// rows that the folds are judged on (Ambroise and McLachlan 2002).
const (
	mostFeatures = 1000
	// screenBins is the number of bins of a numeric feature while its split is
	// looked for, screenRows the most rows that are counted.
	screenBins = 32
	screenRows = 20_000
)

// screens returns how many features a fitter learns from, 0 for all of them.
func (t *table) screens() int {
	if len(t.Columns) <= mostFeatures {
		return 0
	}
	return mostFeatures
}

// screened returns the table that the fitters of a part learn from: the table
// itself, or one of the features that are kept for these training rows. Parts of
// one number are of the same rows.
func (t *table) screened(ctx context.Context, number int, rows []int32) (*table, error) {
	if t.screens() == 0 {
		return t, nil
	}
	t.screening.Lock()
	defer t.screening.Unlock()
	if known := t.parts[number]; known != nil {
		return known, nil
	}
	if err := t.code(ctx); err != nil {
		return nil, err
	}
	columns, err := t.screen(ctx, thin(rows, screenRows))
	if err != nil {
		return nil, err
	}
	if t.parts == nil {
		t.parts = map[int]*table{}
	}
	schema := *t.Schema
	schema.Columns = pickCells(schema.Columns, columns)
	f := narrowed(t.Frame, columns)
	f.Schema, f.Labels = &schema, t.Labels
	t.parts[number] = &table{Frame: f, params: t.params, columns: columns}
	return t.parts[number], nil
}

// coded is a feature as the screening sees it: a bin for each row.
type coded struct {
	data        []uint8
	bins        int
	categorical bool
}

// code fills codes, some features at a time: how they are cut takes several
// times the room of the bins of few rows, and nobody needs it.
func (t *table) code(ctx context.Context) error {
	for lo := len(t.codes); lo < len(t.Columns); lo = len(t.codes) {
		some := *t.Frame
		hi := min(lo+mostFeatures, len(t.Columns))
		some.Columns = t.Columns[lo:hi]
		schema := *t.Schema
		schema.Columns = schema.Columns[lo:hi]
		some.Schema = &schema
		bins, err := tree.NewBinnedMatrix(ctx, &some, screenBins, t.params.Workers)
		if err != nil {
			return err
		}
		for i := range bins.Features {
			f := &bins.Features[i]
			t.codes = append(t.codes, coded{f.Data, f.NumBins, f.Categorical})
		}
	}
	return nil
}

// screen returns the features to keep, ascending.
func (t *table) screen(ctx context.Context, rows []int32) ([]int32, error) {
	gains := make([]float64, len(t.codes))
	rooms := make([][]int, t.params.Workers)
	err := tree.Parallel(ctx, t.params.Workers, len(gains), func(worker, i int) {
		if rooms[worker] == nil {
			rooms[worker] = make([]int, (tree.MaxBins+2)*t.classes())
		}
		gains[i] = t.gain(&t.codes[i], rows, rooms[worker])
	})
	if err != nil {
		return nil, err
	}
	columns := make([]int32, len(gains))
	for i := range columns {
		columns[i] = int32(i)
	}
	slices.SortStableFunc(columns, func(a, b int32) int { return cmp.Compare(gains[b], gains[a]) })
	columns = columns[:mostFeatures]
	slices.Sort(columns)
	return columns, nil
}

// gain returns which part of the label's Gini impurity a feature takes away: a
// numeric one by its best single split, a categorical one by its levels. It is
// adjusted for their number, as R² is: about 0 for a feature that tells nothing.
// room has a number for each class, of each bin and two more.
func (t *table) gain(feature *coded, rows []int32, room []int) float64 {
	classes := t.classes()
	clear(room)
	counts := room[2*classes:]
	for _, row := range rows {
		counts[int(feature.data[row])*classes+int(t.Labels[row])]++
	}
	left, right := room[:classes], room[classes:2*classes]
	for i, n := range counts {
		right[i%classes] += n
	}
	whole := purity(right)
	best, groups := whole, 1
	if feature.categorical {
		best, groups = 0, 0
		for level := range slices.Chunk(counts, classes) {
			if p := purity(level); p > 0 {
				best += p
				groups++
			}
		}
	} else {
		for bin := range feature.bins - 1 {
			for class, n := range counts[bin*classes : (bin+1)*classes] {
				left[class] += n
				right[class] -= n
			}
			if p := purity(left) + purity(right); p > best {
				best, groups = p, 2
			}
		}
	}
	n := float64(len(rows))
	if n <= float64(groups) || whole >= n {
		return 0
	}
	return 1 - (n-best)/(n-whole)*(n-1)/(n-float64(groups))
}

// purity is the sum of the squared counts of the classes over their sum: the
// rows, less their Gini impurity.
func purity(counts []int) float64 {
	sum, squares := 0.0, 0.0
	for _, n := range counts {
		sum += float64(n)
		squares += float64(n) * float64(n)
	}
	if sum == 0 {
		return 0
	}
	return squares / sum
}

// pick returns a frame of the given rows, in their order. Features that no
// fitter has learnt from are left empty.
func (t *table) pick(rows []int32) *frame.Frame {
	t.screening.Lock()
	defer t.screening.Unlock()
	if t.parts == nil {
		return pick(t.Frame, rows)
	}
	f := *t.Frame
	f.Columns = make([]frame.Column, len(t.Columns))
	for _, part := range t.parts {
		for _, i := range part.columns {
			f.Columns[i] = t.Columns[i]
		}
	}
	return pick(&f, rows)
}

// looked divides the columns of the file into those that a fitter has learnt
// from and the others, which no model can depend on.
func (t *table) looked(columns []source) (seen, unseen []source) {
	t.screening.Lock()
	defer t.screening.Unlock()
	if t.parts == nil {
		return columns, nil
	}
	known := make([]bool, len(t.Columns))
	for _, part := range t.parts {
		for _, i := range part.columns {
			known[i] = true
		}
	}
	for _, column := range columns {
		if slices.ContainsFunc(column.features, func(i int) bool { return known[i] }) {
			seen = append(seen, column)
		} else {
			unseen = append(unseen, column)
		}
	}
	return seen, unseen
}

// narrowed returns the rows of f with the given features alone.
func narrowed(f *frame.Frame, columns []int32) *frame.Frame {
	return &frame.Frame{Rows: f.Rows, Columns: pickCells(f.Columns, columns)}
}

// fit makes a learner of a part, which learns from the features that the
// screening has kept.
func (m *method) fit(ctx context.Context, t task) (learner, error) {
	kept, err := t.table.screened(ctx, t.number, t.part.Train)
	if err != nil {
		return nil, err
	}
	t.table = kept
	l, err := m.open(ctx, t)
	if err != nil || kept.columns == nil {
		return l, err
	}
	return screenedLearner{l, kept.columns}, nil
}

// screenedLearner is a learner of some of the features.
type screenedLearner struct {
	learner
	columns []int32
}

func (l screenedLearner) Model() predictor { return screenedModel{l.learner.Model(), l.columns} }

// screenedModel is a predictor that sees some of a frame's features: those at
// columns, ascending.
type screenedModel struct {
	predictor
	columns []int32
}

func (m screenedModel) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	m.predictor.Predict(dst, narrowed(f, m.columns), lo, hi)
}

// unscreened takes a predictor apart: columns is nil if it sees all features.
func unscreened(p predictor) (inner predictor, columns []int32) {
	if m, ok := p.(screenedModel); ok {
		return m.predictor, m.columns
	}
	return p, nil
}
