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

// room is where eight features are counted, each in a window of its own: one
// address serves all of them.
type room [8 * window]int64

// countOct adds the gradients of rows to the windows of eight features whose
// bins are the bytes of words. gradients runs parallel to rows.
func countOct(h *room, words []uint64, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		w, g := words[row], gradients[i]
		h[uint8(w)] += g
		h[1*window+int(uint8(w>>8))] += g
		h[2*window+int(uint8(w>>16))] += g
		h[3*window+int(uint8(w>>24))] += g
		h[4*window+int(uint8(w>>32))] += g
		h[5*window+int(uint8(w>>40))] += g
		h[6*window+int(uint8(w>>48))] += g
		h[7*window+int(uint8(w>>56))] += g
	}
}

// countTwo adds the gradients of rows to the windows of two features.
func countTwo(h0, h1 *[window]int64, data0, data1 []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	data1 = data1[:len(data0)]
	for i, row := range rows {
		g := gradients[i]
		h0[data0[row]] += g
		h1[data1[row]] += g
	}
}

// countOne does the same for one feature.
func countOne(h *[window]int64, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		h[data[row]] += gradients[i]
	}
}

// discountOne takes the gradients of rows away from the window of one feature.
func discountOne(h *[window]int64, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		h[data[row]] -= gradients[i]
	}
}

// group is a run of eight features that are counted together; active are those
// of them that may be used, ascending.
type group struct {
	index  int
	active []int
}

// usable groups the features that may be used, nil for all; those with one bin
// are of no use.
func usable(bins *Bins, features []int32) []group {
	groups := make([]group, 0, len(bins.octs))
	use := func(i int) {
		if bins.constant[i] {
			return
		}
		if n := len(groups); n == 0 || groups[n-1].index != i/8 {
			groups = append(groups, group{index: i / 8, active: make([]int, 0, 8)})
		}
		last := &groups[len(groups)-1]
		last.active = append(last.active, i)
	}
	if features == nil {
		for i := range bins.Features {
			use(i)
		}
	}
	for _, i := range features {
		use(int(i))
	}
	return groups
}

// Eight features are counted at once if at least crowd of them are in use, and
// if the rows are many enough for the time it takes to bring the sums from the
// room into the histogram.
const (
	crowd = 5
	many  = 128
)

// countGroup leaves the sums of the gradients of rows in the cells of a group's
// active features, of eight at once if octs are to be made of them.
func countGroup(bins *Bins, offsets []int, of *group, octs bool, r *room, histogram []int64, rows []int32, gradients []int64) {
	if octs && len(of.active) >= crowd && len(rows) >= many {
		for _, i := range of.active {
			clear(r[i%8*window:][:bins.Features[i].Bins])
		}
		countOct(r, bins.oct(of.index), rows, gradients)
		for _, i := range of.active {
			copy(histogram[offsets[i]:offsets[i+1]], r[i%8*window:])
		}
		return
	}
	for _, i := range of.active {
		clear(histogram[offsets[i]:offsets[i+1]])
	}
	active := of.active
	for ; len(active) > 1; active = active[2:] {
		a, b := active[0], active[1]
		countTwo(cells(histogram, offsets[a]), cells(histogram, offsets[b]), bins.Features[a].Data, bins.Features[b].Data, rows, gradients)
	}
	for _, i := range active {
		countOne(cells(histogram, offsets[i]), bins.Features[i].Data, rows, gradients)
	}
}

// reach returns the part of a histogram that holds the cells of a group.
func (of *group) reach(offsets []int) (lo, hi int) {
	return offsets[of.active[0]], offsets[of.active[len(of.active)-1]+1]
}

// add leaves sum + more in sum.
func add(sum, more []int64) {
	sum = sum[:len(more)]
	for i, c := range more {
		sum[i] += c
	}
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

// take lends a histogram that holds anything.
func (p *pool) take() []int64 {
	p.lent++
	if n := len(p.free); n > 0 {
		h := p.free[n-1]
		p.free = p.free[:n-1]
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
