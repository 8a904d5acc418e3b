package tree

import (
	"cmp"
	"slices"

	"foretell/internal/table/frame"
)

// MaxBins is the largest number of bins of a feature, including the bin of
// missing values.
const MaxBins = 255

// BinMapper maps the values of one column to bins. The last bin is for missing values, even if the
// column has none:
//
//	numeric      0 … len(Thresholds) by value           | missing
//	categorical  levels, the most frequent first | other | missing
//
// The bin "other" is for levels without their own bin and for unknown levels.
type BinMapper struct {
	// Categorical reports whether the column is categorical. The bins of such a column
	// have no order.
	Categorical bool
	// Thresholds are the upper bounds of the bins of a numeric column, ascending. x is
	// in the first bin b with x <= Thresholds[b]. If x is above all thresholds, it is in
	// the bin len(Thresholds).
	Thresholds []float64
	// CodeBins[code] is the bin of the level with this code, for a categorical column.
	CodeBins []uint8
	// NumBins is the number of bins, at most MaxBins.
	NumBins int
	// MissingBin is the bin of missing values: NumBins - 1.
	MissingBin uint8
	// index speeds up Fill. If it is nil, Fill uses a binary search.
	index *binIndex
}

// numericMapper returns the mapper with the given thresholds, which must be
// ascending.
func numericMapper(sortedThresholds []float64) BinMapper {
	return BinMapper{Thresholds: sortedThresholds, NumBins: len(sortedThresholds) + 2, MissingBin: uint8(len(sortedThresholds) + 1), index: newBinIndex(sortedThresholds)}
}

// equal reports whether m and other map every cell to the same bin.
func (m *BinMapper) equal(other *BinMapper) bool {
	return m.Categorical == other.Categorical && m.NumBins == other.NumBins &&
		slices.Equal(m.Thresholds, other.Thresholds) && slices.Equal(m.CodeBins, other.CodeBins)
}

// hasOneBinPerValue reports whether each value has its own bin, that is, whether sorted[i] is in
// bin i and the only other bin is that of missing values. sorted must be ascending.
func (m *BinMapper) hasOneBinPerValue(sorted []float64) bool {
	if m.Categorical || m.NumBins != len(sorted)+1 {
		return false
	}
	for i, x := range sorted {
		if int(m.BinOf(x)) != i {
			return false
		}
	}
	return true
}

// BinOf returns the bin of x. NaN is a missing value.
func (m *BinMapper) BinOf(x float64) uint8 {
	if x != x {
		return m.MissingBin
	}
	base, n := 0, len(m.Thresholds)
	for n > 0 {
		half := (n + 1) / 2
		if m.Thresholds[base+half-1] < x {
			base += half
		}
		n -= half
	}
	return uint8(base)
}

// BinOfCode returns the bin of a level's code. A negative code is a missing value. A code
// that is not in CodeBins is in the bin "other".
func (m *BinMapper) BinOfCode(code int32) uint8 {
	switch {
	case code < 0:
		return m.MissingBin
	case int(code) < len(m.CodeBins):
		return m.CodeBins[code]
	}
	return m.MissingBin - 1
}

// Fill writes the bins of rows lo…hi-1 of col to dst[0], dst[stride], dst[2*stride] and so on. If
// only one of col and m is numeric, all values are treated as missing.
func (m *BinMapper) Fill(dst []uint8, stride int, col *frame.Column, lo, hi int) {
	i := 0
	switch {
	case !m.Categorical && col.IsNumeric():
		var buffer [256]float64
		for ; lo < hi; lo += len(buffer) {
			values := col.Values(buffer[:], lo, min(lo+len(buffer), hi))
			m.fillValues(dst[i:], stride, values)
			i += stride * len(values)
		}
	case m.Categorical && col.Codes != nil:
		for _, code := range col.Codes[lo:hi] {
			dst[i] = m.BinOfCode(code)
			i += stride
		}
	default:
		for range hi - lo {
			dst[i] = m.MissingBin
			i += stride
		}
	}
}

func (m *BinMapper) fillValues(dst []uint8, stride int, values []float64) {
	if m.index != nil {
		m.index.fill(dst, stride, values, m.Thresholds, m.MissingBin)
		return
	}
	for i, x := range values {
		dst[i*stride] = m.BinOf(x)
	}
}

// NewNumericMapper returns a mapper for a numeric column. It has at most maxBins bins, plus the bin
// of missing values. scratchValues holds the values of the column, which must not be NaN. Its
// contents are overwritten.
func NewNumericMapper(scratchValues []float64, maxBins int) BinMapper {
	sortFloats(scratchValues)
	distinct, counts := compactAndCount(scratchValues)
	var thresholds []float64
	if len(distinct) <= maxBins {
		for i := 1; i < len(distinct); i++ {
			thresholds = append(thresholds, midpoint(distinct[i-1], distinct[i]))
		}
	} else {
		thresholds = quantileThresholds(distinct, counts, maxBins)
	}
	return numericMapper(thresholds)
}

// compactAndCount returns the distinct values of a sorted slice and how often each occurs. distinct
// shares the memory of sorted, whose contents are overwritten.
func compactAndCount(sorted []float64) (distinct []float64, counts []int) {
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

// quantileThresholds returns thresholds of at most maxBins bins. distinct[i] occurs in counts[i]
// rows. A value with at least as many rows as an average bin gets its own bin. The other values
// share the remaining bins, with about equal numbers of rows, as in LightGBM's GreedyFindBin.
func quantileThresholds(distinct []float64, counts []int, maxBins int) []float64 {
	rest, remaining := 0, maxBins
	for _, n := range counts {
		rest += n
	}
	target := float64(rest) / float64(maxBins)
	heavy := make([]bool, len(counts))
	for i, n := range counts {
		if float64(n) >= target {
			heavy[i] = true
			rest -= n
			remaining--
		}
	}
	target = float64(rest) / float64(max(remaining, 1))
	thresholds := make([]float64, 0, maxBins-1)
	weight := 0
	for i := 0; i < len(distinct)-1 && len(thresholds) < maxBins-1; i++ {
		weight += counts[i]
		if !heavy[i] {
			rest -= counts[i]
		}
		full := float64(weight) >= target
		// A bin with at least half the rows of an average bin also ends before a value that gets
		// its own bin.
		early := heavy[i+1] && float64(weight) >= target/2
		if !heavy[i] && !full && !early {
			continue
		}
		thresholds = append(thresholds, midpoint(distinct[i], distinct[i+1]))
		weight = 0
		if !heavy[i] {
			remaining--
			target = float64(rest) / float64(max(remaining, 1))
		}
	}
	return thresholds
}

// midpoint returns the mean of a and b as a threshold t with a <= t < b. If rounding
// moves the mean out of this range, midpoint returns a.
func midpoint(a, b float64) float64 {
	if middle := a/2 + b/2; a <= middle && middle < b {
		return middle
	}
	return a
}

// newCategoricalMapper returns the mapper of a categorical column with the given codes. The most
// frequent levels have bins of their own. levels is the number of levels of the column. Every text
// that is not a level has the code levels; all other codes are smaller.
func newCategoricalMapper(codes []int32, levels int) BinMapper {
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
	m := BinMapper{Categorical: true, CodeBins: make([]uint8, levels+1), NumBins: own + 2, MissingBin: uint8(own + 1)}
	for i := range m.CodeBins {
		m.CodeBins[i] = uint8(own)
	}
	for bin, code := range order[:own] {
		m.CodeBins[code] = uint8(bin)
	}
	return m
}
