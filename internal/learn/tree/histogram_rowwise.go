package tree

import "foretell/internal/learn/kernel"

// gatherBuffer is the working memory of one worker that builds row-wise histograms. It
// holds a copy of the words of up to maxGatherRows rows, group by group, and of the
// gradients of these rows:
//
//	rows  3 7 8 …   →   group 0  | w3 w7 w8 …     gradients | g3 g7 g8 …
//	                    group 1  | w3 w7 w8 …
//
// The rows are scattered in memory. While their words are copied, the processor loads many
// rows at the same time. The histograms are then built group by group from adjacent words,
// while the cells of one group stay in the L1 cache.
type gatherBuffer struct {
	histograms [maxBlockGroups]histBuffer
	words      [maxBlockGroups * maxGatherRows]uint64
	gradients  [maxGatherRows]int64
}

// maxGatherRows is the largest number of rows whose words are copied to the buffer at a time.
const maxGatherRows = 1 << 10

// packedColumn holds the words of one group: the word of the i-th row is words[i·stride].
type packedColumn struct {
	words  []uint64
	stride int
}

// buildHistograms sets the cells of the groups' active features in dst to the
// sums of the gradients of rows.
func (b *gatherBuffer) buildHistograms(g *Grower, groups []activeGroup, dst []int64, rows []int32) {
	for len(groups) > 0 {
		n := 1
		for n < len(groups) && groups[n].index/maxBlockGroups == groups[0].index/maxBlockGroups {
			n++
		}
		b.buildBlock(g, groups[:n], dst, rows)
		groups = groups[n:]
	}
}

// buildBlock sets the cells of the groups' active features in dst to the sums of the
// gradients of rows. All groups must be in the same row block.
func (b *gatherBuffer) buildBlock(g *Grower, groups []activeGroup, dst []int64, rows []int32) {
	direct := len(rows) < minBufferedRows
	for i := range groups {
		b.clearCells(g, &groups[i], dst, direct)
	}
	block := &g.rowBlocks[groups[0].index/maxBlockGroups]
	first := groups[0].index % maxBlockGroups
	last := groups[len(groups)-1].index % maxBlockGroups
	for len(rows) > 0 {
		n := min(maxGatherRows, len(rows))
		columns, gradients := b.gather(block, first, last+1, rows, g.sample.Gradients)
		for i := range groups {
			group := &groups[i]
			column := columns[group.index%maxBlockGroups-first]
			switch {
			case direct || !group.usesHistBuffer():
				accumulateActive(g.offsets, group, dst, column, gradients)
			case group.usesOnlyLowHalf():
				accumulate4(&b.histograms[group.index%maxBlockGroups], column, gradients)
			default:
				accumulate8(&b.histograms[group.index%maxBlockGroups], column, gradients)
			}
		}
		rows = rows[n:]
	}
	if direct {
		return
	}
	for i := range groups {
		if group := &groups[i]; group.usesHistBuffer() {
			h := &b.histograms[group.index%maxBlockGroups]
			for _, i := range group.active {
				copy(dst[g.offsets[i]:g.offsets[i+1]], h[i%8*histWidth:])
			}
		}
	}
}

// clearCells clears the cells to which a group's gradients will be added. If direct is true or the
// group does not use a histBuffer, gradients are added to dst directly, so these are cells of dst.
// Otherwise, they are cells of b.histograms.
func (b *gatherBuffer) clearCells(g *Grower, group *activeGroup, dst []int64, direct bool) {
	h := &b.histograms[group.index%maxBlockGroups]
	for _, i := range group.active {
		if direct || !group.usesHistBuffer() {
			clear(dst[g.offsets[i]:g.offsets[i+1]])
		} else {
			clear(h[i%8*histWidth:][:g.offsets[i+1]-g.offsets[i]])
		}
	}
}

// gather returns the words and gradients of the first rows, at most maxGatherRows. A row of block
// consists of one word per group. gather returns one column for each of the groups first … end-1.
// If the rows are consecutive, the results are not copies but parts of block and gradients.
func (b *gatherBuffer) gather(block *rowBlock, first, end int, rows []int32, gradients []int64) (columns [maxBlockGroups]packedColumn, gathered []int64) {
	n := min(maxGatherRows, len(rows))
	if low := int(rows[0]); int(rows[n-1])-low == n-1 {
		for i := first; i < end; i++ {
			columns[i-first] = packedColumn{block.words[low*block.width+i:], block.width}
		}
		return columns, gradients[low : low+n]
	}
	i := first
	for ; end-i >= 4; i += 4 {
		kernel.Gather4Columns(b.words[i*maxGatherRows:], maxGatherRows, block.words[i:], block.width, rows, n)
	}
	for ; i < end; i++ {
		kernel.Gather(b.words[i*maxGatherRows:][:n], block.words[i:], block.width, rows)
	}
	for i := first; i < end; i++ {
		columns[i-first] = packedColumn{b.words[i*maxGatherRows:][:n], 1}
	}
	gathered = b.gradients[:n]
	kernel.Gather(gathered, gradients, 1, rows)
	return columns, gathered
}

// accumulate8 adds gradients to the histograms of eight features, whose bins are the
// bytes of the column's words. gradients[i] is the gradient of the row of the i-th word.
func accumulate8(h *histBuffer, column packedColumn, gradients []int64) {
	next := 0
	for _, g := range gradients {
		w := column.words[next]
		next += column.stride
		h[uint8(w)] += g
		h[1*histWidth+int(uint8(w>>8))] += g
		h[2*histWidth+int(uint8(w>>16))] += g
		h[3*histWidth+int(uint8(w>>24))] += g
		h[4*histWidth+int(uint8(w>>32))] += g
		h[5*histWidth+int(uint8(w>>40))] += g
		h[6*histWidth+int(uint8(w>>48))] += g
		h[7*histWidth+int(uint8(w>>56))] += g
	}
}

// accumulate4 is like accumulate8, but adds gradients to the histograms of only the first four
// features of a group.
func accumulate4(h *histBuffer, column packedColumn, gradients []int64) {
	next := 0
	for _, g := range gradients {
		w := column.words[next]
		next += column.stride
		h[uint8(w)] += g
		h[1*histWidth+int(uint8(w>>8))] += g
		h[2*histWidth+int(uint8(w>>16))] += g
		h[3*histWidth+int(uint8(w>>24))] += g
	}
}

// accumulateActive adds gradients to the cells of a group's active features, two features at a
// time. offsets[f] is the index of the first cell of feature f in dst.
func accumulateActive(offsets []int, group *activeGroup, dst []int64, column packedColumn, gradients []int64) {
	active := group.active
	for ; len(active) > 1; active = active[2:] {
		a, b := active[0], active[1]
		accumulate2(featureCells(dst, offsets[a]), featureCells(dst, offsets[b]), column, a%8, b%8, gradients)
	}
	for _, a := range active {
		accumulate1(featureCells(dst, offsets[a]), column, a%8, gradients)
	}
}

// accumulate2 adds gradients to the histograms of two features. byte0 and byte1 are the positions
// of their bins in each word: byte 0 is the lowest byte.
func accumulate2(h0, h1 *[histWidth]int64, column packedColumn, byte0, byte1 int, gradients []int64) {
	shift0, shift1 := 8*byte0&63, 8*byte1&63
	next := 0
	for _, g := range gradients {
		w := column.words[next]
		next += column.stride
		h0[uint8(w>>shift0)] += g
		h1[uint8(w>>shift1)] += g
	}
}

// accumulate1 adds gradients to the histogram of one feature. byte0 is the position of the
// feature's bin in each word: byte 0 is the lowest byte.
func accumulate1(h *[histWidth]int64, column packedColumn, byte0 int, gradients []int64) {
	shift := 8 * byte0 & 63
	next := 0
	for _, g := range gradients {
		h[uint8(column.words[next]>>shift)] += g
		next += column.stride
	}
}
