package tree

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"foretell/internal/frame"
)

// sampleRows is how many rows the edges of a numeric feature are found on.
const sampleRows = 100_000

// Bins is a frame cut into bins: one byte a cell, column major. It is read
// only once built and may be shared by any number of fitters.
type Bins struct {
	// Rows is the number of rows.
	Rows int
	// Features are the columns of the frame, in its order.
	Features []Feature
	// constant tells of each feature that all rows are in one bin.
	constant []bool
	// octs hold the same bytes eight features to a word, the first in the
	// lowest byte: one load feeds eight histograms. They are made when they are
	// needed, and so are strips.
	octs     []*oct
	striping sync.Mutex
	strips   []strip
}

// oct holds the bins of eight features, made when they are first asked for.
type oct struct {
	once  sync.Once
	words []uint64
}

// Feature is one binned column.
type Feature struct {
	Cuts
	// Data holds one bin a row.
	Data []uint8
}

// NewBins cuts every column of f: numeric ones into at most maxBins bins, the
// bin of the missing cells included, categorical ones into one bin a level for
// the most frequent levels. maxBins outside 3…MaxBins is brought there; zero
// is MaxBins. Labels are not looked at. The result does not depend on workers.
// Of other bins of f, those of a feature that are cut alike are shared, not
// made again.
func NewBins(ctx context.Context, f *frame.Frame, maxBins, workers int, other ...*Bins) (*Bins, error) {
	if maxBins <= 0 {
		maxBins = MaxBins
	}
	maxBins = min(max(maxBins, 3), MaxBins)
	b := &Bins{Rows: f.Rows, Features: make([]Feature, len(f.Columns))}
	sample := sampled(f.Rows)
	err := Parallel(ctx, workers, len(f.Columns), func(_, i int) {
		b.Features[i] = binColumn(f, i, cutColumn(f, i, sample, maxBins), other)
	})
	if err != nil {
		return nil, err
	}
	b.index()
	return b, nil
}

// With returns the bins with more features behind them, which are binned
// already: each one's Data has a byte a row. Nothing of b is copied: the first
// of the new features, whose index is returned, begins a word, and those between
// are constant.
func (b *Bins) With(more []Feature) (all *Bins, first int) {
	first = 8 * len(b.octs)
	all = &Bins{Rows: b.Rows, octs: slices.Clip(b.octs), constant: slices.Clip(b.constant)}
	all.Features = append(make([]Feature, 0, first+len(more)), b.Features...)
	all.Features = append(all.Features[:first], more...)
	all.index()
	return all, first
}

// Cuts returns how the features are cut: what a model has to keep.
func (b *Bins) Cuts() []Cuts {
	cuts := make([]Cuts, len(b.Features))
	for i := range b.Features {
		cuts[i] = b.Features[i].Cuts
	}
	return cuts
}

// cutColumn returns the cuts of a column, at edges found on the sampled rows.
func cutColumn(f *frame.Frame, i int, sample []int32, maxBins int) Cuts {
	col := &f.Columns[i]
	if col.Codes == nil {
		return NumericCuts(present(col, sample), maxBins-1)
	}
	levels := 0
	if f.Schema != nil && i < len(f.Schema.Columns) {
		levels = len(f.Schema.Columns[i].Levels)
	}
	return categoryCuts(col.Codes, levels)
}

// binColumn returns a column in its bins: those of other if they are cut alike,
// or the column's own ranks if each value is a bin.
func binColumn(f *frame.Frame, i int, cuts Cuts, other []*Bins) Feature {
	for _, b := range other {
		if b.Features[i].alike(&cuts) {
			return b.Features[i]
		}
	}
	if ranks, values := f.Columns[i].Ranks(); ranks != nil && cuts.part(values) {
		return Feature{Cuts: cuts, Data: ranks}
	}
	feature := Feature{Cuts: cuts, Data: make([]uint8, f.Rows)}
	feature.Fill(feature.Data, 1, &f.Columns[i], 0, f.Rows)
	return feature
}

// present returns the values of the sampled rows that are not missing.
func present(col *frame.Column, sample []int32) []float64 {
	values := make([]float64, len(sample))
	col.Gather(values, sample)
	return slices.DeleteFunc(values, func(x float64) bool { return x != x })
}

// sampled returns ascending rows to find edges on: all of them, or one drawn
// from each of sampleRows stretches of equal length.
func sampled(rows int) []int32 {
	n := min(rows, sampleRows)
	sample := make([]int32, n)
	draw := rand.New(rand.NewPCG(uint64(rows), sampleRows))
	for i := range sample {
		lo, hi := i*rows/n, (i+1)*rows/n
		sample[i] = int32(lo + draw.IntN(hi-lo))
	}
	return sample
}

// index fills octs and constant from where they end.
func (b *Bins) index() {
	for i := len(b.constant); i < len(b.Features); i++ {
		b.constant = append(b.constant, constant(b.Features[i].Data))
	}
	for len(b.octs) < (len(b.Features)+7)/8 {
		b.octs = append(b.octs, new(oct))
	}
}

// eight returns the features of an oct, fewer at the end.
func (b *Bins) eight(index int) []Feature {
	return b.Features[8*index : min(8*index+8, len(b.Features))]
}

// oct returns the words of an oct.
func (b *Bins) oct(index int) []uint64 {
	o := b.octs[index]
	o.once.Do(func() {
		s := strip{words: make([]uint64, b.Rows), width: 1}
		for lo := 0; lo < b.Rows; lo += packed {
			s.fill(0, b.eight(index), lo, min(lo+packed, b.Rows))
		}
		o.words = s.words
	})
	return o.words
}

func constant(data []uint8) bool {
	for _, bin := range data {
		if bin != data[0] {
			return false
		}
	}
	return true
}
