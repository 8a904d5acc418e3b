package forest

import "math/bits"

// sampleRow is one row of a tree's sample: row<<32 | class. It is packed so
// that partitioning a leaf moves one word for each row.
type sampleRow uint64

func newSampleRow(row, class int32) sampleRow { return sampleRow(row)<<32 | sampleRow(class) }

func (e sampleRow) row() uint32   { return uint32(e >> 32) }
func (e sampleRow) class() uint32 { return uint32(e) }

// classCount is the number of rows of one class in one bin: class<<32 | rows.
type classCount uint64

func (i classCount) class() uint32 { return uint32(i >> 32) }
func (i classCount) rows() int64   { return int64(uint32(i)) }

// classHistogram holds, for one leaf and one feature, the class counts of each
// bin. Only bins and classes with rows are listed. The cost of scanning them is
// therefore at most proportional to the rows of the leaf, for any number of
// classes:
//
//	bins         2        5     9
//	classCounts  a a c    b     a b d
//	ends               3     4        7
type classHistogram struct {
	bins        []uint8      // bins that are not empty, ascending
	classCounts []classCount // in the order of bins
	ends        [256]int32
	begin       [256]int32

	rowBins []uint8  // bin of each row
	dense   []uint32 // bins × classes, all zero between builds
	binRows [256]int32
}

// newClassHistogram returns a histogram for leaves of up to rows rows.
func newClassHistogram(rows, classes int) *classHistogram {
	return &classHistogram{
		bins:        make([]uint8, 0, 256),
		classCounts: make([]classCount, min(256*classes, rows)), // neither way of building lists more
		rowBins:     make([]uint8, rows),
		// Only leaves with more rows than cells use it.
		dense: make([]uint32, min(256*classes, rows)),
	}
}

// build builds the histogram of the rows. data is indexed by row and holds the
// feature's bins, all below width. It returns an estimate of the time to build
// the histogram and to find a split, in nanoseconds.
func (t *classHistogram) build(rows []sampleRow, data []uint8, width, classes int) int {
	if width*classes < len(rows) {
		t.buildDense(rows, data, width, classes)
		return len(rows) + 3*width*classes + 12*len(t.bins)
	}
	t.buildSorted(rows, data)
	return 150 + 5*len(rows) + 12*len(t.bins)
}

// buildDense counts in a dense array, in one pass over the rows and one over
// the cells.
func (t *classHistogram) buildDense(sample []sampleRow, data []uint8, width, classes int) {
	h := t.dense[:width*classes]
	for _, e := range sample {
		h[int(data[e.row()])*classes+int(e.class())]++
	}
	t.bins = t.bins[:0]
	pos := int32(0)
	for bin := range width {
		first := pos
		cells := h[bin*classes : (bin+1)*classes]
		for class, rows := range cells {
			if rows > 0 {
				t.classCounts[pos] = classCount(class)<<32 | classCount(rows)
				pos++
			}
		}
		clear(cells)
		if pos > first {
			t.bins = append(t.bins, uint8(bin))
			t.begin[bin], t.ends[bin] = first, pos
		}
	}
}

// buildSorted builds the histogram by a counting sort of the rows, in three
// short passes. Their cost is independent of bins × classes, which suits small
// leaves.
func (t *classHistogram) buildSorted(rows []sampleRow, data []uint8) {
	t.setBins(t.gatherBins(rows, data))
	rowBins := t.rowBins[:len(rows)]
	for _, bin := range rowBins {
		t.binRows[bin]++
	}
	pos := int32(0)
	for _, bin := range t.bins {
		t.begin[bin], t.ends[bin] = pos, pos
		pos += t.binRows[bin]
		t.binRows[bin] = 0
	}
	for i, bin := range rowBins {
		t.classCounts[t.ends[bin]] = classCount(rows[i].class())<<32 | 1
		t.ends[bin]++
	}
}

// gatherBins copies the bins of the rows to rowBins and returns the set of
// them.
func (t *classHistogram) gatherBins(rows []sampleRow, data []uint8) (present binSet) {
	rowBins := t.rowBins[:len(rows)]
	for i, e := range rows {
		bin := data[e.row()]
		rowBins[i] = bin
		present.add(bin)
	}
	return present
}

// binSet is a set of bins, one bit each.
type binSet [4]uint64

func (s *binSet) has(bin uint8) bool { return s[bin>>6]>>(bin&63)&1 != 0 }
func (s *binSet) add(bin uint8)      { s[bin>>6] |= 1 << (bin & 63) }
func (s *binSet) remove(bin uint8)   { s[bin>>6] &^= 1 << (bin & 63) }

// setBins sets bins to the elements of present.
func (t *classHistogram) setBins(present binSet) {
	t.bins = t.bins[:0]
	for word, set := range present {
		for ; set != 0; set &= set - 1 {
			t.bins = append(t.bins, uint8(word<<6+bits.TrailingZeros64(set)))
		}
	}
}

// inBin returns the class counts of one bin.
func (t *classHistogram) inBin(bin uint8) []classCount {
	return t.classCounts[t.begin[bin]:t.ends[bin]]
}
