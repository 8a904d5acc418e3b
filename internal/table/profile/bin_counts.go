package profile

import (
	"cmp"
	"math"
	"slices"

	"foretell/internal/table/cells"
)

// CountBins counts the rows of a column of numbers, dates or times in bins of equal width between
// low and high. The result has bins+2 elements: the first counts the values below low, the last
// counts the values of at least high. If high is math.MaxFloat64, rows with this value are counted
// in the last bin. If c.Numbers is nil, all counts are 0.
//
// If the column has few distinct values, the counts are exact. If not, they are estimated from its
// histogram, as if the rows were evenly spread within each bin of the histogram.
func (c *ColumnProfile) CountBins(low, high float64, bins int) []float64 {
	rows := make([]float64, bins+2)
	if c.Numbers == nil || c.Numbers.Histogram == nil {
		return rows
	}
	place := func(value float64) float64 { return binPosition(value, low, high, bins) }
	if values, known := c.allNumbers(); known {
		for _, one := range values {
			rows[1+int(math.Floor(min(max(place(one.Number), -1), float64(bins))))] += float64(one.Rows)
		}
		return rows
	}
	h := c.Numbers.Histogram
	for i, n := range h.Rows {
		from, to := max(h.Edge(i), c.Numbers.Min), min(h.Edge(i+1), c.Numbers.Max)
		addEvenlySpread(rows, place(from), place(max(from, to)), float64(n))
	}
	return rows
}

// BinEdge returns the left edge of bin i of bins of equal width between low and high. If i is bins,
// it returns high. It does not overflow, even if high − low does.
func BinEdge(low, high float64, i, bins int) float64 {
	if width := (high - low) / float64(bins); !math.IsInf(width, 0) {
		return min(low+float64(i)*width, high)
	}
	at := float64(i) / float64(bins)
	return low*(1-at) + high*at
}

// binPosition returns the position of a value in bins of equal width between low and high. The
// position of low is 0, and the position of high is the number of bins.
func binPosition(value, low, high float64, bins int) float64 {
	n := float64(bins)
	at := (value - low) / ((high - low) / n)
	if math.IsInf(value-low, 0) || math.IsInf(high-low, 0) {
		width := high/n - low/n
		at = value/width - low/width
	}
	if high == math.MaxFloat64 {
		at = min(at, math.Nextafter(n, 0)) // no value is above the last bin
	}
	return at
}

// addEvenlySpread adds n rows that are evenly spread between two positions, from and to, such as
// 0.5 for the middle of the first bin. rows[1+i] counts the rows between the positions i and i+1.
// The first element of rows counts the rows below position 0, and the last element counts the rows
// above the last bin.
func addEvenlySpread(rows []float64, from, to, n float64) {
	bins := float64(len(rows) - 2)
	if to <= from {
		rows[1+int(math.Floor(min(max(from, -1), bins)))] += n
		return
	}
	share := n / (to - from)
	rows[0] += share * max(min(to, 0)-from, 0)
	rows[len(rows)-1] += share * max(to-max(from, bins), 0)
	from, to = max(from, 0), min(to, bins)
	for bin := math.Floor(from); bin < to; bin++ {
		rows[1+int(bin)] += share * (min(to, bin+1) - max(from, bin))
	}
}

// CountTexts returns, for each of the given texts, the number of rows with this text. The texts
// were shortened by abbreviate, which may return the same text for several distinct texts of the
// column. If one of the given texts occurs n times, its results are the n largest numbers of rows
// among the column's texts that abbreviate maps to it, in descending order. The case of booleans is
// ignored, as in models.
func (c *ColumnProfile) CountTexts(texts []string, abbreviate func(string) string) []int {
	if cells.AreBooleans(slices.Values(texts)) {
		return c.countBooleans(texts)
	}
	counts := make(map[string][]int, len(texts)) // by abbreviation, the rows of each text of the column
	for _, text := range texts {
		counts[text] = nil
	}
	for i := range c.values {
		short := abbreviate(c.values[i].Text)
		if list, known := counts[short]; known {
			counts[short] = append(list, c.values[i].Rows)
		}
	}
	for _, list := range counts {
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(b, a) })
	}
	rows := make([]int, len(texts))
	for i, text := range texts {
		if list := counts[text]; len(list) > 0 {
			rows[i], counts[text] = list[0], list[1:]
		}
	}
	return rows
}

// countBooleans returns, for each of the given texts, the number of rows with this text. A row with
// any other text counts for the first given text that differs from it only in case and surrounding
// spaces.
func (c *ColumnProfile) countBooleans(texts []string) []int {
	rows := make([]int, len(texts))
	for i := range c.values {
		one := &c.values[i]
		at := slices.Index(texts, one.Text)
		if at < 0 {
			at = slices.IndexFunc(texts, func(text string) bool { return cells.FoldCase(text) == cells.FoldCase(one.Text) })
		}
		if at >= 0 {
			rows[at] += one.Rows
		}
	}
	return rows
}
