package tree

import (
	"cmp"
	"slices"

	"foretell/internal/frame"
)

// MaxBins is the largest number of bins a feature can have, the bin of the
// missing cells included.
const MaxBins = 255

// Cuts tells how the cells of one column become bins. The last bin is always
// the one of the missing cells, whether or not a row is in it:
//
//	numeric      0 … len(Edges) by value              | missing
//	categorical  levels, the most frequent first | other | missing
//
// The bin other holds the levels that got no bin of their own and the texts
// never seen.
type Cuts struct {
	// Categorical tells that the bins have no order.
	Categorical bool
	// Edges are the upper edges of the bins of a numeric feature, ascending:
	// x is in the first bin b with x <= Edges[b], or in the one after them.
	Edges []float64
	// Codes holds the bin of each code of a categorical feature.
	Codes []uint8
	// Bins is the number of bins, at most MaxBins.
	Bins int
	// Missing is the bin of missing cells: Bins - 1.
	Missing uint8
	// finder is a short cut to bins; nil where there is none.
	finder *finder
}

// numericCuts returns the cuts at edges, which are ascending.
func numericCuts(edges []float64) Cuts {
	return Cuts{Edges: edges, Bins: len(edges) + 2, Missing: uint8(len(edges) + 1), finder: newFinder(edges)}
}

// alike tells whether other puts every cell in the same bin.
func (c *Cuts) alike(other *Cuts) bool {
	return c.Categorical == other.Categorical && c.Bins == other.Bins &&
		slices.Equal(c.Edges, other.Edges) && slices.Equal(c.Codes, other.Codes)
}

// part tells whether the bins of numbers are these values, which are ascending,
// one each.
func (c *Cuts) part(values []float64) bool {
	if c.Categorical || c.Bins != len(values)+1 {
		return false
	}
	for i, x := range values {
		if int(c.Number(x)) != i {
			return false
		}
	}
	return true
}

// Number returns the bin of x; NaN is missing.
func (c *Cuts) Number(x float64) uint8 {
	if x != x {
		return c.Missing
	}
	base, n := 0, len(c.Edges)
	for n > 0 {
		half := (n + 1) / 2
		if c.Edges[base+half-1] < x {
			base += half
		}
		n -= half
	}
	return uint8(base)
}

// Code returns the bin of a code; one beyond the known levels is other.
func (c *Cuts) Code(code int32) uint8 {
	switch {
	case code < 0:
		return c.Missing
	case int(code) < len(c.Codes):
		return c.Codes[code]
	}
	return c.Missing - 1
}

// Fill writes the bins of col's rows lo…hi-1 to dst[0], dst[stride],
// dst[2*stride] and so on. A column of the wrong kind is missing throughout.
func (c *Cuts) Fill(dst []uint8, stride int, col *frame.Column, lo, hi int) {
	i := 0
	switch {
	case !c.Categorical && col.Numeric():
		var room [256]float64
		for ; lo < hi; lo += len(room) {
			values := col.Numbers(room[:], lo, min(lo+len(room), hi))
			c.fillNumbers(dst[i:], stride, values)
			i += stride * len(values)
		}
	case c.Categorical && col.Codes != nil:
		for _, code := range col.Codes[lo:hi] {
			dst[i] = c.Code(code)
			i += stride
		}
	default:
		for range hi - lo {
			dst[i] = c.Missing
			i += stride
		}
	}
}

func (c *Cuts) fillNumbers(dst []uint8, stride int, values []float64) {
	if c.finder != nil {
		c.finder.fill(dst, stride, values, c.Edges, c.Missing)
		return
	}
	for i, x := range values {
		dst[i*stride] = c.Number(x)
	}
}

// NumericCuts finds edges for at most bins bins of values, which hold no NaN.
// It uses values as room.
func NumericCuts(values []float64, bins int) Cuts {
	sortNumbers(values)
	distinct, counts := runs(values)
	var edges []float64
	if len(distinct) <= bins {
		for i := 1; i < len(distinct); i++ {
			edges = append(edges, between(distinct[i-1], distinct[i]))
		}
	} else {
		edges = quantileEdges(distinct, counts, bins)
	}
	return numericCuts(edges)
}

// runs returns the distinct values of a sorted slice, in its place, and how
// often each occurs.
func runs(sorted []float64) (distinct []float64, counts []int) {
	different := 0
	for i, x := range sorted {
		if i == 0 || x != sorted[i-1] {
			different++
		}
	}
	distinct, counts = sorted[:0], make([]int, 0, different)
	last := 0.0
	for i, x := range sorted {
		if i == 0 || x != last {
			distinct, counts = append(distinct, x), append(counts, 0)
		}
		counts[len(counts)-1]++
		last = x
	}
	return distinct, counts
}

// quantileEdges cuts distinct values into at most bins bins of about equal
// weight. A value heavier than a fair share gets a bin of its own; the others
// share what is left evenly (as LightGBM's greedy search does).
func quantileEdges(distinct []float64, counts []int, bins int) []float64 {
	rest, slots := 0, bins
	for _, n := range counts {
		rest += n
	}
	share := float64(rest) / float64(bins)
	heavy := make([]bool, len(counts))
	for i, n := range counts {
		if float64(n) >= share {
			heavy[i] = true
			rest -= n
			slots--
		}
	}
	share = float64(rest) / float64(max(slots, 1))
	edges := make([]float64, 0, bins-1)
	weight := 0
	for i := 0; i < len(distinct)-1 && len(edges) < bins-1; i++ {
		weight += counts[i]
		if !heavy[i] {
			rest -= counts[i]
		}
		full := float64(weight) >= share
		// A bin also ends where a heavy value begins, unless it is nearly empty.
		early := heavy[i+1] && float64(weight) >= share/2
		if !heavy[i] && !full && !early {
			continue
		}
		edges = append(edges, between(distinct[i], distinct[i+1]))
		weight = 0
		if !heavy[i] {
			slots--
			share = float64(rest) / float64(max(slots, 1))
		}
	}
	return edges
}

// between returns an edge e with a <= e < b, halfway if the numbers allow it.
func between(a, b float64) float64 {
	if e := a/2 + b/2; a <= e && e < b {
		return e
	}
	return a
}

// categoryCuts gives the most frequent codes bins of their own. levels is the
// number of levels of the column.
func categoryCuts(codes []int32, levels int) Cuts {
	for _, code := range codes {
		levels = max(levels, int(code))
	}
	counts := make([]int, levels+1)
	for _, code := range codes {
		if code >= 0 {
			counts[code]++
		}
	}
	order := make([]int32, levels)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(counts[b], counts[a]) })
	own := min(levels, MaxBins-2)
	c := Cuts{Categorical: true, Codes: make([]uint8, levels+1), Bins: own + 2, Missing: uint8(own + 1)}
	for i := range c.Codes {
		c.Codes[i] = uint8(own)
	}
	for bin, code := range order[:own] {
		c.Codes[code] = uint8(bin)
	}
	return c
}
