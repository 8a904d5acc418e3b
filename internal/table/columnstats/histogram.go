package columnstats

import "math"

const (
	histogramBins = 64
	// With bins of maxBinWidth, the range of a histogram includes every float64.
	maxBinWidth = math.MaxFloat64 / (histogramBins / 2)
)

// Histogram counts the rows of a numeric column in bins of equal width.
type Histogram struct {
	// Low is the left edge of the first bin. Width is the width of each bin.
	Low   float64 `json:"low"`
	Width float64 `json:"width"`
	// Rows holds the number of rows of each bin. The first and the last element are not
	// 0.
	Rows []int `json:"rows"`
}

// Edge returns the left edge of bin i. i may be len(Rows) or a little more. If the edge is too
// large for a float64, Edge returns math.MaxFloat64.
func (h *Histogram) Edge(i int) float64 {
	if edge := h.Low + float64(i)*h.Width; !math.IsInf(edge, 0) {
		return edge
	}
	const scale = 8 // even histogramBins × the greatest width does not overflow if divided by it
	return min(scale*(h.Low/scale+float64(i)*(h.Width/scale)), math.MaxFloat64)
}

// Median returns an estimate of the median: a number in the bin that contains the median.
func (h *Histogram) Median() float64 {
	rows, before := 0, 0
	for _, n := range h.Rows {
		rows += n
	}
	for i, n := range h.Rows {
		if 2*(before+n) >= rows {
			share := (float64(rows)/2 - float64(before)) / float64(n)
			return h.Edge(i)*(1-share) + h.Edge(i+1)*share
		}
		before += n
	}
	return h.Low
}

// growingHistogram is a histogram whose range grows to include every value. To double the range, it
// merges the bins in pairs.
type growingHistogram struct {
	low, width float64
	rows       [histogramBins]int
}

func newGrowingHistogram(low, high float64) *growingHistogram {
	width := (high/histogramBins - low/histogramBins) * (1 + 1e-12) // to include the highest value
	if width <= 0 || low+width == low {
		width = max(math.Nextafter(math.Abs(low), math.Inf(1))-math.Abs(low), math.Abs(low)*0x1p-40, 0x1p-40)
	}
	return &growingHistogram{low: low, width: min(width, maxBinWidth)}
}

func (h *growingHistogram) add(value float64, rows int) {
	h.extendTo(value)
	h.rows[h.binIndex(value)] += rows
}

// extendTo extends the range until it includes a value.
func (h *growingHistogram) extendTo(value float64) {
	for value < h.low && h.width < maxBinWidth {
		h.low = max(h.low-histogramBins*h.width, -math.MaxFloat64)
		h.doubleWidth(histogramBins / 2)
	}
	for (value-h.low)/h.width >= histogramBins && h.width < maxBinWidth {
		h.doubleWidth(0)
	}
}

// binIndex returns the index of the bin of a value that is in the range.
func (h *growingHistogram) binIndex(value float64) uint {
	at := (value - h.low) / h.width
	if at >= histogramBins { // because of rounding, or with maxBinWidth
		return histogramBins - 1
	}
	return uint(int(at)) % histogramBins
}

// doubleWidth doubles the width of the bins by merging them in pairs. It stores the
// merged bins from index first on.
func (h *growingHistogram) doubleWidth(first int) {
	var merged [histogramBins]int
	for i, rows := range h.rows {
		merged[first+i/2] += rows
	}
	h.rows = merged
	h.width *= 2
}

// toHistogram returns a Histogram without the empty bins at both ends.
func (h *growingHistogram) toHistogram() *Histogram {
	first, end := 0, histogramBins
	for first < end && h.rows[first] == 0 {
		first++
	}
	for end > first && h.rows[end-1] == 0 {
		end--
	}
	return &Histogram{
		Low:   h.low + float64(first)*h.width,
		Width: h.width,
		Rows:  append([]int(nil), h.rows[first:end]...),
	}
}
