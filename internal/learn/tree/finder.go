package tree

import "math"

// finder finds bins fast: a grid of equal cells over the range of the edges
// tells which few edges are worth a look. It is exact whatever rounding does,
// because the cell of a number never falls as the number grows:
//
//	edges   e0   e1 e2            e3
//	cells │    │    │    │    │    │
//	x in the second cell: after e0, before e3
type finder struct {
	low, scale float64
	// first is the number of edges in the cells before each.
	first []uint8
}

// gridCells is the number of a finder's cells.
const gridCells = 1024

// newFinder returns nil where a plain search does as well.
func newFinder(edges []float64) *finder {
	n := len(edges)
	if n < 8 {
		return nil
	}
	f := &finder{low: edges[0], scale: gridCells / (edges[n-1] - edges[0])}
	if f.scale <= 0 || math.IsInf(f.scale, 0) || math.IsInf(f.low, 0) {
		return nil
	}
	f.first = make([]uint8, gridCells+1)
	cell := 0
	for i, e := range edges {
		for at := f.cell(e); cell < at; {
			cell++
			f.first[cell] = uint8(i)
		}
	}
	for cell++; cell <= gridCells; cell++ {
		f.first[cell] = uint8(n)
	}
	return f
}

// cell returns the cell of x, which lies between the first and the last edge.
func (f *finder) cell(x float64) int {
	return min(int((x-f.low)*f.scale), gridCells-1)
}

// fill writes the bins of values to dst[0], dst[stride] and so on. The edges
// are those the finder was made for.
func (f *finder) fill(dst []uint8, stride int, values, edges []float64, missing uint8) {
	last := len(edges) - 1
	low, high := edges[0], edges[last]
	i := 0
	for _, x := range values {
		bin := missing
		switch {
		case x <= low:
			bin = 0
		case x > high:
			bin = uint8(last + 1)
		case x == x:
			cell := f.cell(x)
			lo, hi := int(f.first[cell]), int(f.first[cell+1])
			for hi-lo > 4 {
				if middle := (lo + hi) / 2; edges[middle] < x {
					lo = middle + 1
				} else {
					hi = middle
				}
			}
			for lo < hi && edges[lo] < x {
				lo++
			}
			bin = uint8(lo)
		}
		dst[i] = bin
		i += stride
	}
}
