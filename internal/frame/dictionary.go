package frame

// maxDictionary is the largest number of values of a column of ranks. With the rank
// of the missing cells they are as many as the bins of a feature can be, so that
// whoever cuts each value off from the next need not keep bins beside the ranks.
const maxDictionary = 254

// useDictionary keeps a small or medium column as ranks if its values are few.
func (p *encoded) useDictionary() {
	switch {
	case p.int8s != nil:
		p.indices = buildDictionary(p, p.int8s, missingInt8)
	case p.int16s != nil:
		p.indices = buildDictionary(p, p.int16s, missingInt16)
	}
	if p.indices == nil {
		p.dictionary, p.dictionarySize = nil, 0
		return
	}
	p.int8s, p.int16s = nil, nil
}

// minDictionaryRows is the number of cells from which ranks and their values take less
// room than the cells, and what a table of all possible cells costs is small.
const minDictionaryRows = 1 << 12

// buildDictionary fills p's values and returns the ranks of cells, nil if there are too many
// values or too few cells.
func buildDictionary[T int8 | int16](p *encoded, cells []T, none T) []uint8 {
	if len(cells) < minDictionaryRows {
		return nil
	}
	first := int(none) // the least of all
	seen := make([]bool, -2*first)
	for _, cell := range cells {
		seen[int(cell)-first] = true
	}
	seen[0] = false
	p.dictionarySize, p.dictionary = 0, new([1 << 8]float64)
	index := make([]uint8, len(seen))
	for at, is := range seen {
		if !is {
			continue
		}
		if p.dictionarySize == maxDictionary {
			return nil
		}
		p.dictionary[p.dictionarySize] = float64(at+first) / powersOf10[p.digits]
		index[at] = uint8(p.dictionarySize)
		p.dictionarySize++
	}
	for i := range p.dictionary[p.dictionarySize:] {
		p.dictionary[p.dictionarySize+i] = NaN
	}
	index[0] = uint8(p.dictionarySize)
	ranks := make([]uint8, len(cells))
	for i, cell := range cells {
		ranks[i] = index[int(cell)-first]
	}
	return ranks
}
