package tree

// A histogram holds one packed sum a bin, all features behind one another.
// Each feature's part may be looked at through a window of 256 cells, so the
// whole is padded by that much: an index of one byte needs no check then.

// window is what a byte can index.
const window = 256

// layout tells where each feature's cells begin; the last entry is the number
// of cells of a histogram without padding.
func layout(bins *Bins) []int {
	offsets := make([]int, len(bins.Features)+1)
	for i := range bins.Features {
		offsets[i+1] = offsets[i] + bins.Features[i].Bins
	}
	return offsets
}

// cells returns the window of the feature that begins at offset.
func cells(histogram []int64, offset int) *[window]int64 {
	return (*[window]int64)(histogram[offset : offset+window])
}

// countQuad adds the gradients of rows to the windows of four features whose
// bins are the bytes of words. gradients runs parallel to rows.
func countQuad(h *[4]*[window]int64, words []uint32, rows []int32, gradients []int64) {
	h0, h1, h2, h3 := h[0], h[1], h[2], h[3]
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		w, g := words[row], gradients[i]
		h0[uint8(w)] += g
		h1[uint8(w>>8)] += g
		h2[uint8(w>>16)] += g
		h3[uint8(w>>24)] += g
	}
}

// countOne does the same for one feature.
func countOne(h *[window]int64, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		h[data[row]] += gradients[i]
	}
}

// countGroup adds the gradients of rows to the cells of a group of features.
func countGroup(bins *Bins, offsets []int, q *quad, histogram []int64, rows []int32, gradients []int64) {
	if len(q.active) <= 2 {
		for _, i := range q.active {
			countOne(cells(histogram, offsets[i]), bins.Features[i].Data, rows, gradients)
		}
		return
	}
	var unused [window]int64
	var windows [4]*[window]int64
	for i := range windows {
		windows[i] = &unused
		if feature := 4*q.index + i; feature < len(bins.Features) {
			windows[i] = cells(histogram, offsets[feature])
		}
	}
	countQuad(&windows, bins.quads[q.index], rows, gradients)
}

// subtract leaves parent - child in parent.
func subtract(parent, child []int64) {
	parent = parent[:len(child)]
	for i, c := range child {
		parent[i] -= c
	}
}

// gather writes gradients[row] for each row to dst, so that the counting of
// every feature reads them in sequence.
func gather(dst []int64, gradients []int64, rows []int32) []int64 {
	dst = dst[:len(rows)]
	for i, row := range rows {
		dst[i] = gradients[row]
	}
	return dst
}

// pool lends histograms of one size and keeps those given back.
type pool struct {
	size, limit int
	lent        int
	free        [][]int64
}

// poolBytes bounds the memory of the histograms that wait for their leaf to be
// divided. A leaf without one costs time only: its children are both counted.
const poolBytes = 256 << 20

func newPool(size int) *pool {
	return &pool{size: size, limit: max(poolBytes/(8*size), 1)}
}

// take lends a histogram of zeros.
func (p *pool) take() []int64 {
	p.lent++
	if n := len(p.free); n > 0 {
		h := p.free[n-1]
		p.free = p.free[:n-1]
		clear(h)
		return h
	}
	return make([]int64, p.size)
}

// give takes a histogram back; nil is none.
func (p *pool) give(h []int64) {
	if h != nil {
		p.lent--
		p.free = append(p.free, h)
	}
}
