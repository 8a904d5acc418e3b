package tree

// A histogram holds one packed sum a bin; the features follow one another. The
// cells of a feature are accessed as an array of 256, which an index of one
// byte cannot exceed, so that the compiler omits the bounds check. The whole is
// padded by as much.

// histWidth is the number of cells that a byte can index.
const histWidth = 256

// featureOffsets returns the index of each feature's first cell. The last
// element is the number of cells of a histogram without padding.
func featureOffsets(bins *BinnedMatrix) []int {
	offsets := make([]int, len(bins.Features)+1)
	for i := range bins.Features {
		offsets[i+1] = offsets[i] + bins.Features[i].NumBins
	}
	return offsets
}

// cellsAt returns the cells of the feature that begins at offset.
func cellsAt(histogram []int64, offset int) *[histWidth]int64 {
	return (*[histWidth]int64)(histogram[offset : offset+histWidth])
}

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

// activeGroup is a feature group, with its active features: those that may be
// used, ascending.
type activeGroup struct {
	index  int
	active []int
}

// activeGroups returns the groups of the given features; nil means all.
// Features with a single bin are left out.
func activeGroups(bins *BinnedMatrix, features []int32) []activeGroup {
	groups := make([]activeGroup, 0, len(bins.groups))
	use := func(i int) {
		if bins.constant[i] {
			return
		}
		if n := len(groups); n == 0 || groups[n-1].index != i/8 {
			groups = append(groups, activeGroup{index: i / 8, active: make([]int, 0, 8)})
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

// A group is accumulated in a histBuffer if it has at least bufferedFeaturesMin
// active features and there are enough rows to outweigh the copy into the
// histogram.
const (
	bufferedFeaturesMin = 5
	bufferedRowsMin     = 128
)

// buildGroup sets the cells of a group's active features to the sums of the
// gradients of rows. pack allows it to use the group's packed words.
func buildGroup(bins *BinnedMatrix, offsets []int, group *activeGroup, pack bool, buffer *histBuffer, histogram []int64, rows []int32, gradients []int64) {
	if pack && len(group.active) >= bufferedFeaturesMin && len(rows) >= bufferedRowsMin {
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
		build2(cellsAt(histogram, offsets[a]), cellsAt(histogram, offsets[b]), bins.Features[a].Data, bins.Features[b].Data, rows, gradients)
	}
	for _, i := range active {
		build1(cellsAt(histogram, offsets[i]), bins.Features[i].Data, rows, gradients)
	}
}

// cellRange returns the range of a histogram that holds the cells of a group.
func (of *activeGroup) cellRange(offsets []int) (lo, hi int) {
	return offsets[of.active[0]], offsets[of.active[len(of.active)-1]+1]
}

// add adds more to sum, element by element.
func add(sum, more []int64) {
	sum = sum[:len(more)]
	for i, c := range more {
		sum[i] += c
	}
}

// subtract subtracts child from parent, element by element.
func subtract(parent, child []int64) {
	parent = parent[:len(child)]
	for i, c := range child {
		parent[i] -= c
	}
}

// gatherGradients sets dst to the gradients of rows, so that building the
// histogram of every feature reads them in sequence. It returns
// dst[:len(rows)].
func gatherGradients(dst []int64, gradients []int64, rows []int32) []int64 {
	dst = dst[:len(rows)]
	for i, row := range rows {
		dst[i] = gradients[row]
	}
	return dst
}

// histogramPool keeps released histograms of one size for reuse.
type histogramPool struct {
	size, limit int
	inUse       int
	free        [][]int64
}

// maxPoolBytes limits the memory of the histograms of leaves that wait to be
// split. A leaf without one costs time only: both children are then built from
// rows.
const maxPoolBytes = 256 << 20

func newHistogramPool(size int) *histogramPool {
	return &histogramPool{size: size, limit: max(maxPoolBytes/(8*size), 1)}
}

// acquire returns a histogram with undefined contents.
func (p *histogramPool) acquire() []int64 {
	p.inUse++
	if n := len(p.free); n > 0 {
		h := p.free[n-1]
		p.free = p.free[:n-1]
		return h
	}
	return make([]int64, p.size)
}

// release puts a histogram back; nil is ignored.
func (p *histogramPool) release(h []int64) {
	if h != nil {
		p.inUse--
		p.free = append(p.free, h)
	}
}
