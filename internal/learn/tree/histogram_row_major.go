package tree

import (
	"context"

	"foretell/internal/learn/parallel"
)

// rowBlock holds the bins of up to 64 features row by row, eight features in a
// word, so that all bins of a row are in one or two cache lines:
//
//	row 0  | features 0 … 7 | 8 … 15 | 16 … 23 |
//	row 1  | features 0 … 7 | 8 … 15 | 16 … 23 |
type rowBlock struct {
	words []uint64
	// width is the number of words of a row, at most maxBlockGroups.
	width int
}

// maxBlockGroups is the maximum number of words in a row of a rowBlock.
const maxBlockGroups = 8

// rowMajorBlocks returns the row blocks of all features. They are built on
// first use.
func (b *BinnedMatrix) rowMajorBlocks(ctx context.Context, workers int) ([]rowBlock, error) {
	b.rowMajorMutex.Lock()
	defer b.rowMajorMutex.Unlock()
	if b.rowBlocks != nil {
		return b.rowBlocks, nil
	}
	groups := len(b.groups)
	blocks := make([]rowBlock, (groups+maxBlockGroups-1)/maxBlockGroups)
	for i := range blocks {
		width := min(maxBlockGroups, groups-i*maxBlockGroups)
		blocks[i] = rowBlock{words: make([]uint64, b.Rows*width), width: width}
	}
	chunks := (b.Rows + packRows - 1) / packRows
	err := parallel.ForContext(ctx, workers, len(blocks)*chunks, func(_, task int) {
		at, lo := task/chunks, task%chunks*packRows
		for column := range blocks[at].width {
			blocks[at].pack(column, b.groupFeatures(at*maxBlockGroups+column), lo, min(lo+packRows, b.Rows))
		}
	})
	if err != nil {
		return nil, err
	}
	b.rowBlocks = blocks
	return blocks, nil
}

// DropRowMajor frees the row-major copy of the bins, which takes as much memory as the bins
// themselves. The next call of Grow builds it again.
func (b *BinnedMatrix) DropRowMajor() {
	b.rowMajorMutex.Lock()
	defer b.rowMajorMutex.Unlock()
	b.rowBlocks = nil
}

// packRows is the number of rows packed at a time, few enough that their words
// stay in the cache of the core.
const packRows = 1 << 12

// zeroBins stands for the bins of absent features: the last group may have fewer than
// eight features, and a feature may have no Data.
var zeroBins [packRows]uint8

// pack packs the bins of up to eight features into one word of each of the rows lo…hi-1.
// column is the index of this word in the row. There may be at most packRows rows.
func (block *rowBlock) pack(column int, features []Feature, lo, hi int) {
	var bins [8][]uint8
	for i := range bins {
		bins[i] = zeroBins[:hi-lo]
		if i < len(features) && features[i].Data != nil {
			bins[i] = features[i].Data[lo:hi]
		}
	}
	interleave(block.words[lo*block.width+column:], block.width, &bins)
}

// interleave writes to dst[i*stride] the word that consists of byte i of each slice, the
// first slice in the lowest byte.
func interleave(dst []uint64, stride int, bytes *[8][]uint8) {
	b0 := bytes[0]
	b1, b2, b3 := bytes[1][:len(b0)], bytes[2][:len(b0)], bytes[3][:len(b0)]
	b4, b5, b6, b7 := bytes[4][:len(b0)], bytes[5][:len(b0)], bytes[6][:len(b0)], bytes[7][:len(b0)]
	at := 0
	for i, b := range b0 {
		low := uint64(b) | uint64(b1[i])<<8 | uint64(b2[i])<<16 | uint64(b3[i])<<24
		high := uint64(b4[i]) | uint64(b5[i])<<8 | uint64(b6[i])<<16 | uint64(b7[i])<<24
		dst[at] = low | high<<32
		at += stride
	}
}
