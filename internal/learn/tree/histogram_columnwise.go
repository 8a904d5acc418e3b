package tree

// histBuffer holds the histograms of eight features, each histWidth cells long:
// one base address serves all of them.
type histBuffer [8 * histWidth]int64

// build8 adds the gradients of rows to the histograms of eight features, whose
// bins are the bytes of words. gradients is parallel to rows.
func build8(h *histBuffer, words []uint64, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		w, g := words[row], gradients[i]
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

// build2 adds the gradients of rows to the histograms of two features.
// gradients is parallel to rows.
func build2(h0, h1 *[histWidth]int64, data0, data1 []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	data1 = data1[:len(data0)]
	for i, row := range rows {
		g := gradients[i]
		h0[data0[row]] += g
		h1[data1[row]] += g
	}
}

// build1 is build2 for one feature.
func build1(h *[histWidth]int64, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		h[data[row]] += gradients[i]
	}
}

// subtractRows subtracts the gradients of rows from the histogram of one
// feature.
func subtractRows(h *[histWidth]int64, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		h[data[row]] -= gradients[i]
	}
}

// A group is accumulated in a histBuffer if it has at least bufferedFeaturesMin
// active features and there are enough rows to outweigh the copy into the
// histogram.
const (
	bufferedFeaturesMin = 5
	bufferedRowsMin     = 128
)

// columnBuilder builds the histograms of feature groups column-wise.
type columnBuilder struct {
	bins    *BinnedMatrix
	offsets []int
	pack    bool // whether it may use the packed words of groups
	buffer  *histBuffer
}

// build sets dst's cells of the group's active features to the sums of the
// gradients of rows. gradients is parallel to rows.
func (c *columnBuilder) build(dst []int64, group *activeGroup, rows []int32, gradients []int64) {
	features, offsets := c.bins.Features, c.offsets
	if c.pack && len(group.active) >= bufferedFeaturesMin && len(rows) >= bufferedRowsMin {
		for _, i := range group.active {
			clear(c.buffer[i%8*histWidth:][:features[i].NumBins])
		}
		build8(c.buffer, c.bins.groupWords(group.index), rows, gradients)
		for _, i := range group.active {
			copy(dst[offsets[i]:offsets[i+1]], c.buffer[i%8*histWidth:])
		}
		return
	}
	for _, i := range group.active {
		clear(dst[offsets[i]:offsets[i+1]])
	}
	active := group.active
	for ; len(active) > 1; active = active[2:] {
		a, b := active[0], active[1]
		build2(cellsAt(dst, offsets[a]), cellsAt(dst, offsets[b]), features[a].Data, features[b].Data, rows, gradients)
	}
	for _, i := range active {
		build1(cellsAt(dst, offsets[i]), features[i].Data, rows, gradients)
	}
}
