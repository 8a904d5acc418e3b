package frame

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

// leastRanked is the number of cells from which ranks and their values take less
// room than the cells, and what a table of all possible cells costs is small.
const leastRanked = 1 << 12

// rank fills p's values and returns the ranks of cells, nil if there are too many
// values or too few cells.
func rank[T int8 | int16](p *packed, cells []T, none T) []uint8 {
	if len(cells) < leastRanked {
		return nil
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
