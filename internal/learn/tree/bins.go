package tree

import (
	"context"
	"math/rand/v2"

	"foretell/internal/frame"
)

// sampleRows is how many rows the edges of a numeric feature are found on.
const sampleRows = 200_000

// Bins is a frame cut into bins: one byte a cell, column major. It is read
// only once built and may be shared by any number of fitters.
type Bins struct {
	// Rows is the number of rows.
	Rows int
	// Features are the columns of the frame, in its order.
	Features []Feature
	// quads hold the same bytes four features to a word, the first in the
	// lowest byte: one load feeds four histograms.
	quads [][]uint32
	// constant tells of each feature that all rows are in one bin.
	constant []bool
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
func NewBins(ctx context.Context, f *frame.Frame, maxBins, workers int) (*Bins, error) {
	if maxBins <= 0 {
		maxBins = MaxBins
	}
	maxBins = min(max(maxBins, 3), MaxBins)
	b := &Bins{Rows: f.Rows, Features: make([]Feature, len(f.Columns))}
	sample := sampled(f.Rows)
	err := Parallel(ctx, workers, len(f.Columns), func(_, i int) {
		b.Features[i] = binColumn(f, i, sample, maxBins)
	})
	if err != nil {
		return nil, err
	}
	return b, b.pack(ctx, workers)
}

// NewBinsOf makes Bins of columns that are binned already: each feature's Data
// has rows bytes. The features are kept, not copied.
func NewBinsOf(ctx context.Context, rows int, features []Feature, workers int) (*Bins, error) {
	b := &Bins{Rows: rows, Features: features}
	return b, b.pack(ctx, workers)
}

// Cuts returns how the features are cut: what a model has to keep.
func (b *Bins) Cuts() []Cuts {
	cuts := make([]Cuts, len(b.Features))
	for i := range b.Features {
		cuts[i] = b.Features[i].Cuts
	}
	return cuts
}

func binColumn(f *frame.Frame, i int, sample []int32, maxBins int) Feature {
	col := &f.Columns[i]
	var feature Feature
	if col.Codes != nil {
		levels := 0
		if f.Schema != nil && i < len(f.Schema.Columns) {
			levels = len(f.Schema.Columns[i].Levels)
		}
		feature.Cuts = categoryCuts(col.Codes, levels)
	} else {
		feature.Cuts = NumericCuts(present(col.Floats, sample), maxBins-1)
	}
	feature.Data = make([]uint8, f.Rows)
	feature.Fill(feature.Data, 1, col, 0, f.Rows)
	return feature
}

// present returns the values of the sampled rows that are not missing.
func present(floats []float64, sample []int32) []float64 {
	values := make([]float64, 0, len(sample))
	for _, row := range sample {
		if x := floats[row]; x == x {
			values = append(values, x)
		}
	}
	return values
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

// pack fills quads and constant.
func (b *Bins) pack(ctx context.Context, workers int) error {
	b.constant = make([]bool, len(b.Features))
	for i := range b.Features {
		b.constant[i] = constant(b.Features[i].Data)
	}
	b.quads = make([][]uint32, (len(b.Features)+3)/4)
	return Parallel(ctx, workers, len(b.quads), func(_, q int) {
		words := make([]uint32, b.Rows)
		for i := range min(4, len(b.Features)-4*q) {
			for row, bin := range b.Features[4*q+i].Data {
				words[row] |= uint32(bin) << (8 * i)
			}
		}
		b.quads[q] = words
	})
}

func constant(data []uint8) bool {
	for _, bin := range data {
		if bin != data[0] {
			return false
		}
	}
	return true
}
