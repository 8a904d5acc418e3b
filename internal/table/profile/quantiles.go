package profile

import (
	"math"
	"sort"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
)

// allNumbers returns the numbers of a column of numbers, dates or times with their numbers of rows. It
// returns false if not all of them are known.
func (c *ColumnProfile) allNumbers() (list []columnstats.Value, known bool) {
	values, counted := c.values, 0
	if c.parsed != nil {
		values = c.parsed
	}
	for _, one := range values {
		if one.Kind == cells.Number {
			list = append(list, one)
			counted += one.Rows
		}
	}
	return list, counted == c.numberRows()
}

// numberRows returns the number of rows in the histogram of the column.
func (c *ColumnProfile) numberRows() (rows int) {
	for _, n := range c.Numbers.Histogram.Rows {
		rows += n
	}
	return rows
}

// Quantiles returns at most nine numbers, in ascending order, that divide the numbers of the column
// into ranges with about equal numbers of rows. If possible, a number that would fill more than one
// such range gets its own range. Quantiles returns nil unless all numbers or percentiles are known.
func (c *ColumnProfile) Quantiles() (edges []float64) {
	if c.Numbers == nil || c.Numbers.Histogram == nil {
		return nil
	}
	numbers := c.percentiles
	if values, known := c.allNumbers(); known {
		numbers = percentiles(values, c.numberRows())
	}
	last := c.Numbers.Min
	for part := 10; part < len(numbers)-1; part += 10 {
		edge := numbers[part]
		if edge == last {
			after := sort.Search(len(numbers), func(i int) bool { return numbers[i] > last })
			if after == len(numbers) {
				break
			}
			edge = numbers[after]
		}
		if edge > last {
			edges, last = append(edges, edge), edge
		}
	}
	return edges
}

// percentiles returns 101 numbers: the smallest number in values, the percentiles 1 to 99 over all
// rows of values, and the largest number. It sorts values by number. rows is the total number of
// rows of values; if it is 0, percentiles returns nil.
func percentiles(values []columnstats.Value, rows int) []float64 {
	if rows == 0 {
		return nil
	}
	sort.Slice(values, func(i, j int) bool { return values[i].Number < values[j].Number })
	list, at, end := make([]float64, 101), 0, values[0].Rows
	for i := range list {
		for end <= i*(rows-1)/100 {
			at++
			end += values[at].Rows
		}
		list[i] = values[at].Number
	}
	return list
}

// CountRanges counts the rows of a column of numbers, dates or times in the ranges between edges,
// which are ascending. The first element counts the values below the first edge, and the last
// element counts those from the last edge on. If the last edge is math.MaxFloat64, rows with this
// value are counted in the range before it. CountRanges returns nil unless all numbers or
// percentiles are known.
func (c *ColumnProfile) CountRanges(edges []float64) []float64 {
	if c.Numbers == nil || c.Numbers.Histogram == nil {
		return nil
	}
	rows := make([]float64, len(edges)+1)
	if values, known := c.allNumbers(); known {
		for _, one := range values {
			at := sort.Search(len(edges), func(i int) bool { return edges[i] > one.Number || edges[i] == math.MaxFloat64 })
			rows[at] += float64(one.Rows)
		}
		return rows
	}
	if c.percentiles == nil {
		return nil
	}
	before, total := 0.0, float64(c.numberRows())
	for i, edge := range edges {
		below := total * c.shareBelow(edge)
		rows[i], before = below-before, below
	}
	rows[len(edges)] = total - before
	return rows
}

// shareBelow estimates the fraction of the numbers below value from the percentiles.
func (c *ColumnProfile) shareBelow(value float64) float64 {
	list := c.percentiles
	switch at := sort.SearchFloat64s(list, value); {
	case value == math.MaxFloat64, at == len(list):
		return 1
	case at == 0:
		return 0
	default:
		below, above := list[at-1], list[at]
		return (float64(at-1) + (value-below)/(above-below)) / float64(len(list)-1)
	}
}
