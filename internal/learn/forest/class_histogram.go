package forest

import "math/bits"

// sampleRow is one row of a tree's sample, packed as row<<32 | class so that
// partitioning a leaf moves one word for each row.
type sampleRow uint64

func newSampleRow(row, class int32) sampleRow { return sampleRow(row)<<32 | sampleRow(class) }

func (r sampleRow) row() uint32   { return uint32(r >> 32) }
func (r sampleRow) class() uint32 { return uint32(r) }

// classCount is the number of rows of one class in one bin: class<<32 | rows.
type classCount uint64

func (c classCount) class() uint32 { return uint32(c >> 32) }
func (c classCount) rows() int64   { return int64(uint32(c)) }

// classHistogram holds, for one leaf and one feature, the number of rows of each class in each bin.
// Only bins and classes with rows are listed, so there are at most as many elements as rows in the
// leaf. The class counts of a bin are classCounts[begin[bin]:ends[bin]]. If a class occurs several
// times in this range, its counts must be added up. In this example, a letter stands for a count of
// the class with this letter:
//
//	bins         2        5     9
//	classCounts  a a c    b     a b d
//	begin        0        3     4
//	ends               3     4        7
type classHistogram struct {
	bins        []uint8      // bins that are not empty, ascending
	classCounts []classCount // in the order of bins
	ends        [256]int32   // by bin
	begin       [256]int32   // by bin

	rowBins []uint8    // bin of each row
	dense   []uint32   // bins × classes, all zero between builds
	binRows [256]int32 // number of rows of each bin, all zero between builds
}

// newClassHistogram returns a histogram for leaves with at most the given number of rows.
func newClassHistogram(rows, classes int) *classHistogram {
	return &classHistogram{
		bins:        make([]uint8, 0, 256),
		classCounts: make([]classCount, min(256*classes, rows)), // as many as buildDense and buildSorted need
		rowBins:     make([]uint8, rows),
		// build uses the dense array only for leaves with more rows than the array has
		// elements.
		dense: make([]uint32, min(256*classes, rows)),
	}
}

// build builds the histogram of the rows. data[row] is the bin of a row, below numBins.
// build returns the estimated time to build the histogram and to find a split with it, in
// nanoseconds.
func (h *classHistogram) build(rows []sampleRow, data []uint8, numBins, classes int) (nanos int) {
	if numBins*classes < len(rows) {
		h.buildDense(rows, data, numBins, classes)
		return len(rows) + 3*numBins*classes + 12*len(h.bins)
	}
	h.buildSorted(rows, data)
	return 150 + 5*len(rows) + 12*len(h.bins)
}

// buildDense builds the histogram with a dense array, which has one count for each bin
// and class. It loops once over the rows and once over the counts.
func (h *classHistogram) buildDense(rows []sampleRow, data []uint8, numBins, classes int) {
	dense := h.dense[:numBins*classes]
	for _, e := range rows {
		dense[int(data[e.row()])*classes+int(e.class())]++
	}
	h.bins = h.bins[:0]
	pos := int32(0)
	for bin := range numBins {
		first := pos
		cells := dense[bin*classes : (bin+1)*classes]
		for class, n := range cells {
			if n > 0 {
				h.classCounts[pos] = classCount(class)<<32 | classCount(n)
				pos++
			}
		}
		clear(cells)
		if pos > first {
			h.bins = append(h.bins, uint8(bin))
			h.begin[bin], h.ends[bin] = first, pos
		}
	}
}

// buildSorted builds the histogram by a counting sort of the rows, in three loops over the rows.
// For small leaves, it is faster than buildDense, because its time does not depend on bins ×
// classes.
func (h *classHistogram) buildSorted(rows []sampleRow, data []uint8) {
	h.setBins(h.gatherBins(rows, data))
	rowBins := h.rowBins[:len(rows)]
	for _, bin := range rowBins {
		h.binRows[bin]++
	}
	pos := int32(0)
	for _, bin := range h.bins {
		h.begin[bin], h.ends[bin] = pos, pos
		pos += h.binRows[bin]
		h.binRows[bin] = 0
	}
	for i, bin := range rowBins {
		h.classCounts[h.ends[bin]] = classCount(rows[i].class())<<32 | 1
		h.ends[bin]++
	}
}

// gatherBins copies the bins of the rows to h.rowBins and returns the set of these bins.
func (h *classHistogram) gatherBins(rows []sampleRow, data []uint8) (present binSet) {
	rowBins := h.rowBins[:len(rows)]
	for i, e := range rows {
		bin := data[e.row()]
		rowBins[i] = bin
		present.add(bin)
	}
	return present
}

// binSet is a set of bins, one bit each.
type binSet [4]uint64

func (s *binSet) contains(bin uint8) bool { return s[bin>>6]>>(bin&63)&1 != 0 }
func (s *binSet) add(bin uint8)           { s[bin>>6] |= 1 << (bin & 63) }
func (s *binSet) remove(bin uint8)        { s[bin>>6] &^= 1 << (bin & 63) }

// setBins sets h.bins to the elements of present, ascending.
func (h *classHistogram) setBins(present binSet) {
	h.bins = h.bins[:0]
	for word, set := range present {
		for ; set != 0; set &= set - 1 {
			h.bins = append(h.bins, uint8(word<<6+bits.TrailingZeros64(set)))
		}
	}
}

// countsInBin returns the class counts of one bin.
func (h *classHistogram) countsInBin(bin uint8) []classCount {
	return h.classCounts[h.begin[bin]:h.ends[bin]]
}
