package frame

import "slices"

// mostRanked is the largest number of values of a column of ranks. With the rank
// of the missing cells they are as many as the bins of a feature can be, so that
// whoever cuts each value off from the next need not keep bins beside the ranks.
const mostRanked = 254

// rank keeps a small or medium column as ranks if its values are few.
func (p *packed) rank() {
	switch {
	case p.small != nil:
		p.ranks = rank(p, p.small, noSmall)
	case p.medium != nil:
		p.ranks = rank(p, p.medium, noMedium)
	}
	if p.ranks == nil {
		p.values, p.distinct = nil, 0
		return
	}
	p.small, p.medium = nil, nil
}

// fewCells is the number of cells from which a table of all that they can be costs
// less than sorting them.
const fewCells = 1 << 12

// rankFew is rank of a few cells.
func rankFew[T int8 | int16](p *packed, cells []T, none T) []uint8 {
	values := slices.Clone(cells)
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > 0 && values[0] == none {
		values = values[1:]
	}
	if len(values) > mostRanked {
		return nil
	}
	p.distinct, p.values = len(values), new([1 << 8]float64)
	for i := range p.values {
		p.values[i] = NaN
	}
	for i, value := range values {
		p.values[i] = float64(value) / powers[p.digits]
	}
	ranks := make([]uint8, len(cells))
	for i, cell := range cells {
		at, known := slices.BinarySearch(values, cell)
		if !known { // none
			at = p.distinct
		}
		ranks[i] = uint8(at)
	}
	return ranks
}

// rank fills p's values and returns the ranks of cells, nil if they are too many.
func rank[T int8 | int16](p *packed, cells []T, none T) []uint8 {
	if len(cells) < fewCells {
		return rankFew(p, cells, none)
	}
	first := int(none) // the least of all
	seen := make([]bool, -2*first)
	for _, cell := range cells {
		seen[int(cell)-first] = true
	}
	seen[0] = false
	p.distinct, p.values = 0, new([1 << 8]float64)
	of := make([]uint8, len(seen))
	for at, is := range seen {
		if !is {
			continue
		}
		if p.distinct == mostRanked {
			return nil
		}
		p.values[p.distinct] = float64(at+first) / powers[p.digits]
		of[at] = uint8(p.distinct)
		p.distinct++
	}
	for i := range p.values[p.distinct:] {
		p.values[p.distinct+i] = NaN
	}
	of[0] = uint8(p.distinct)
	ranks := make([]uint8, len(cells))
	for i, cell := range cells {
		ranks[i] = of[int(cell)-first]
	}
	return ranks
}
