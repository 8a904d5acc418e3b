package tree

// histBuffer holds the histograms of eight features, one after another, each histWidth
// cells long.
type histBuffer [8 * histWidth]int64

// build8 adds the gradients of rows to the histograms of eight features. The bytes of
// words[row] are the bins of a row. gradients[i] is the gradient of rows[i].
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

// build2 adds the gradients of rows to the histograms h0 and h1 of two features.
// data0[row] and data1[row] are the bins of a row. gradients[i] is the gradient of
// rows[i].
func build2(h0, h1 *[histWidth]int64, data0, data1 []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	data1 = data1[:len(data0)]
	for i, row := range rows {
		g := gradients[i]
		h0[data0[row]] += g
		h1[data1[row]] += g
	}
}

// build1 adds the gradients of rows to the histogram h of one feature. data[row] is the
// bin of a row. gradients[i] is the gradient of rows[i].
func build1(h *[histWidth]int64, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		h[data[row]] += gradients[i]
	}
}

// subtractRows is like build1, but subtracts the gradients of rows from the histogram h of one
// feature.
func subtractRows(h *[histWidth]int64, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		h[data[row]] -= gradients[i]
	}
}

// Histograms are built in a histBuffer and then copied if the group has at least
// minBufferedFeatures active features and there are at least minBufferedRows rows. With fewer
// features or rows, the copy would take more time than the buffer saves.
const (
	minBufferedFeatures = 5
	minBufferedRows     = 128
)

// buildGroup sets the cells of a group's active features to the sums of the gradients of rows.
// offsets[f] is the index of the first cell of feature f in histogram. If pack is true, buildGroup
// may use the group's packed words; building them takes time and memory.
func buildGroup(bins *BinnedMatrix, offsets []int, group *activeGroup, pack bool, buffer *histBuffer, histogram []int64, rows []int32, gradients []int64) {
	if pack && len(group.active) >= minBufferedFeatures && len(rows) >= minBufferedRows {
		for _, i := range group.active {
			clear(buffer[i%8*histWidth:][:bins.Features[i].NumBins])
		}
		build8(buffer, bins.groupWords(group.index), rows, gradients)
		for _, i := range group.active {
			copy(histogram[offsets[i]:offsets[i+1]], buffer[i%8*histWidth:])
		}
		return
	}
	for _, i := range group.active {
		clear(histogram[offsets[i]:offsets[i+1]])
	}
	active := group.active
	for ; len(active) > 1; active = active[2:] {
		a, b := active[0], active[1]
		build2(featureCells(histogram, offsets[a]), featureCells(histogram, offsets[b]), bins.Features[a].Data, bins.Features[b].Data, rows, gradients)
	}
	for _, i := range active {
		build1(featureCells(histogram, offsets[i]), bins.Features[i].Data, rows, gradients)
	}
}
