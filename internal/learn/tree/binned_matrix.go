package tree

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"foretell/internal/learn/parallel"
	"foretell/internal/table/frame"
)

// maxSampleRows is the largest number of rows from which the thresholds of numeric
// features are computed.
const maxSampleRows = 100_000

// BinnedMatrix holds the bins of a frame column by column, one byte for each row. It is
// read-only once built and may be shared by any number of fitters.
type BinnedMatrix struct {
	// Rows is the number of rows.
	Rows int
	// Features are the columns of the frame in the same order, followed by the features
	// that Append added.
	Features []Feature
	// constant reports for each feature whether all rows are in one bin.
	constant []bool
	// groups and rowBlocks hold the same bins packed into words. A word holds the bins of eight
	// features in one row, the first feature in the lowest byte, so one read serves eight
	// histograms. The words are built on first use.
	groups        []*featureGroup
	rowMajorMutex sync.Mutex
	rowBlocks     []rowBlock
}

// featureGroup holds the bins of eight features, packed into one word for each row. The
// words are built on first use.
type featureGroup struct {
	once  sync.Once
	words []uint64
}

// Feature is one binned column.
type Feature struct {
	BinMapper
	// Data holds the bin of each row.
	Data []uint8
}

// NewBinnedMatrix bins every column of f. A numeric column has at most maxBins bins, including the
// bin of missing values. A categorical column has a bin for each of its most frequent levels.
// maxBins is clamped to 3…MaxBins; zero means MaxBins. Labels are not read. workers is the largest
// number of goroutines; it does not change the result.
//
// reuse holds other matrices of f. The new matrix shares the bins of a column with a matrix that
// has the same mapper for this column.
func NewBinnedMatrix(ctx context.Context, f *frame.Frame, maxBins, workers int, reuse ...*BinnedMatrix) (*BinnedMatrix, error) {
	return NewBinnedMatrixFromRows(ctx, f, nil, maxBins, workers, reuse...)
}

// NewBinnedMatrixFromRows is NewBinnedMatrix, except that it chooses the bins from the given rows
// of f; nil means all rows. All rows of f are binned.
func NewBinnedMatrixFromRows(ctx context.Context, f *frame.Frame, rows []int32, maxBins, workers int, reuse ...*BinnedMatrix) (*BinnedMatrix, error) {
	if maxBins <= 0 {
		maxBins = MaxBins
	}
	maxBins = min(max(maxBins, 3), MaxBins)
	b := &BinnedMatrix{Rows: f.Rows, Features: make([]Feature, len(f.Columns))}
	sample := drawSampleRows(f.Rows)
	if rows != nil {
		sample = drawSampleRows(len(rows))
		for i, at := range sample {
			sample[i] = rows[at]
		}
	}
	err := parallel.ForContext(ctx, workers, len(f.Columns), func(_, i int) {
		b.Features[i] = binColumn(f, i, fitMapper(f, i, rows, sample, maxBins), reuse)
	})
	if err != nil {
		return nil, err
	}
	b.extendGroups()
	return b, nil
}

// Append returns a matrix with the features of b, followed by the features in more, and the index
// of the first new feature. Each new feature must have one byte of Data for each row. The bins of b
// are shared, not copied. New features begin at a multiple of eight; features without Data fill the
// gap.
func (b *BinnedMatrix) Append(more []Feature) (all *BinnedMatrix, first int) {
	first = 8 * len(b.groups)
	all = &BinnedMatrix{Rows: b.Rows, groups: slices.Clip(b.groups), constant: slices.Clip(b.constant)}
	all.Features = append(make([]Feature, 0, first+len(more)), b.Features...)
	all.Features = append(all.Features[:first], more...)
	all.extendGroups()
	return all, first
}

// Mappers returns the bin mapper of each feature, for a model to store.
func (b *BinnedMatrix) Mappers() []BinMapper {
	mappers := make([]BinMapper, len(b.Features))
	for i := range b.Features {
		mappers[i] = b.Features[i].BinMapper
	}
	return mappers
}

// fitMapper returns the bin mapper of column i. The thresholds of a numeric column are computed
// from the rows in sample. The bins of a categorical column are chosen from rows; nil means all
// rows of f.
func fitMapper(f *frame.Frame, i int, rows, sample []int32, maxBins int) BinMapper {
	col := &f.Columns[i]
	if col.Codes == nil {
		return NewNumericMapper(nonMissingValues(col, sample), maxBins-1)
	}
	levels := 0
	if f.Schema != nil && i < len(f.Schema.Columns) {
		levels = len(f.Schema.Columns[i].Levels)
	}
	codes := col.Codes
	for _, code := range codes {
		levels = max(levels, int(code))
	}
	if rows != nil {
		codes = make([]int32, len(rows))
		for j, row := range rows {
			codes[j] = col.Codes[row]
		}
	}
	return newCategoricalMapper(codes, levels)
}

// binColumn returns the binned column i. It shares existing bins instead of computing them in two
// cases. If a matrix in reuse has the same mapper for the column, it shares the bins of this
// matrix. If each distinct value has its own bin, the bins are the column's dictionary codes.
func binColumn(f *frame.Frame, i int, mapper BinMapper, reuse []*BinnedMatrix) Feature {
	for _, b := range reuse {
		if b.Features[i].equal(&mapper) {
			return b.Features[i]
		}
	}
	if ranks, values := f.Columns[i].Dictionary(); ranks != nil && mapper.hasOneBinPerValue(values) {
		return Feature{BinMapper: mapper, Data: ranks}
	}
	feature := Feature{BinMapper: mapper, Data: make([]uint8, f.Rows)}
	feature.Fill(feature.Data, 1, &f.Columns[i], 0, f.Rows)
	return feature
}

// nonMissingValues returns the values of the sampled rows that are not missing.
func nonMissingValues(col *frame.Column, sample []int32) []float64 {
	values := make([]float64, len(sample))
	col.Gather(values, sample)
	return slices.DeleteFunc(values, func(x float64) bool { return x != x })
}

// drawSampleRows returns the rows from which thresholds are computed, ascending. It
// returns all rows if there are at most maxSampleRows. Otherwise it draws one row from each
// of maxSampleRows ranges of about equal length.
func drawSampleRows(rows int) []int32 {
	n := min(rows, maxSampleRows)
	sample := make([]int32, n)
	draw := rand.New(rand.NewPCG(uint64(rows), maxSampleRows))
	for i := range sample {
		lo, hi := i*rows/n, (i+1)*rows/n
		sample[i] = int32(lo + draw.IntN(hi-lo))
	}
	return sample
}

// extendGroups appends elements to b.groups and b.constant for features at the end of b.Features
// that have none yet.
func (b *BinnedMatrix) extendGroups() {
	for i := len(b.constant); i < len(b.Features); i++ {
		b.constant = append(b.constant, isConstant(b.Features[i].Data))
	}
	for len(b.groups) < (len(b.Features)+7)/8 {
		b.groups = append(b.groups, new(featureGroup))
	}
}

// groupFeatures returns the features of a group: eight, or fewer in the last group.
func (b *BinnedMatrix) groupFeatures(index int) []Feature {
	return b.Features[8*index : min(8*index+8, len(b.Features))]
}

func (b *BinnedMatrix) groupWords(index int) []uint64 {
	group := b.groups[index]
	group.once.Do(func() {
		block := rowBlock{words: make([]uint64, b.Rows), width: 1}
		for lo := 0; lo < b.Rows; lo += packRows {
			block.pack(0, b.groupFeatures(index), lo, min(lo+packRows, b.Rows))
		}
		group.words = block.words
	})
	return group.words
}

func isConstant(data []uint8) bool {
	for _, bin := range data {
		if bin != data[0] {
			return false
		}
	}
	return true
}
