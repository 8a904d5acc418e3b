package forest

import "math/bits"

// entry is one row of a tree's sample: row<<32 | class. Packed, so that
// dividing a leaf moves one word a row.
type entry uint64

func newEntry(row, class int32) entry { return entry(row)<<32 | entry(class) }

func (e entry) row() uint32   { return uint32(e >> 32) }
func (e entry) class() uint32 { return uint32(e) }

// item is how many rows of one class are in one bin: class<<32 | rows.
type item uint64

func (i item) class() uint32 { return uint32(i >> 32) }
func (i item) rows() int64   { return int64(uint32(i)) }

// table tells, for one leaf and one feature, how many rows of which classes are
// in each bin that has any. Only such bins and classes are listed, so what
// follows costs no more than the rows of the leaf, for any number of classes:
//
//	bins    2        5     9
//	items   a a c    b     a b d
//	ends          3     4        7
type table struct {
	bins  []uint8 // bins that are not empty, ascending
	items []item  // bin by bin
	ends  [256]int32
	begin [256]int32

	gathered  []uint8  // bin of each entry
	histogram []uint32 // bins × classes, all zero between fills
	counts    [256]int32
}

// newTable makes a table for leaves of up to rows rows.
func newTable(rows, classes int) *table {
	return &table{
		bins:     make([]uint8, 0, 256),
		items:    make([]item, min(256*classes, rows)), // fill lists no more, either way
		gathered: make([]uint8, rows),
		// Only leaves that have more rows than this has cells use it.
		histogram: make([]uint32, min(256*classes, rows)),
	}
}

// fill makes the table of the entries. data holds the feature's bin of each
// row of the frame, all below width. It returns about how many nanoseconds it
// takes to make the table and to find a split in it.
func (t *table) fill(entries []entry, data []uint8, width, classes int) int {
	if width*classes < len(entries) {
		t.count(entries, data, width, classes)
		return len(entries) + 3*width*classes + 12*len(t.bins)
	}
	t.order(entries, data)
	return 150 + 5*len(entries) + 12*len(t.bins)
}

// count fills by a histogram: one pass over the rows, one over the cells.
func (t *table) count(entries []entry, data []uint8, width, classes int) {
	h := t.histogram[:width*classes]
	for _, e := range entries {
		h[int(data[e.row()])*classes+int(e.class())]++
	}
	t.bins = t.bins[:0]
	pos := int32(0)
	for bin := range width {
		first := pos
		cells := h[bin*classes : (bin+1)*classes]
		for class, rows := range cells {
			if rows > 0 {
				t.items[pos] = item(class)<<32 | item(rows)
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

// order fills by a counting sort of the rows: three short passes and nothing
// that grows with bins × classes, which is what small leaves need.
func (t *table) order(entries []entry, data []uint8) {
	t.list(t.gather(entries, data))
	gathered := t.gathered[:len(entries)]
	for _, bin := range gathered {
		t.counts[bin]++
	}
	pos := int32(0)
	for _, bin := range t.bins {
		t.begin[bin], t.ends[bin] = pos, pos
		pos += t.counts[bin]
		t.counts[bin] = 0
	}
	for i, bin := range gathered {
		t.items[t.ends[bin]] = item(entries[i].class())<<32 | 1
		t.ends[bin]++
	}
}

// gather copies the bins of the entries and returns which there are.
func (t *table) gather(entries []entry, data []uint8) (present binSet) {
	gathered := t.gathered[:len(entries)]
	for i, e := range entries {
		bin := data[e.row()]
		gathered[i] = bin
		present.add(bin)
	}
	return present
}

// binSet is a set of bins, one bit each.
type binSet [4]uint64

func (s *binSet) has(bin uint8) bool { return s[bin>>6]>>(bin&63)&1 != 0 }
func (s *binSet) add(bin uint8)      { s[bin>>6] |= 1 << (bin & 63) }
func (s *binSet) remove(bin uint8)   { s[bin>>6] &^= 1 << (bin & 63) }

// list sets bins to the members of present.
func (t *table) list(present binSet) {
	t.bins = t.bins[:0]
	for word, set := range present {
		for ; set != 0; set &= set - 1 {
			t.bins = append(t.bins, uint8(word<<6+bits.TrailingZeros64(set)))
		}
	}
}

// of returns the items of one bin.
func (t *table) of(bin uint8) []item { return t.items[t.begin[bin]:t.ends[bin]] }
