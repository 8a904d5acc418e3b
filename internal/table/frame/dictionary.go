package frame

import "foretell/internal/table/cells"

// maxDictionary is the maximum size of a dictionary. With the index of the missing cells
// it is the maximum number of bins of a feature, so that the indices can serve as bins.
const maxDictionary = 254

// useDictionary replaces int8s or int16s by a dictionary if there are few distinct values.
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

// minDictionaryRows is the number of cells from which a dictionary saves memory, and the
// table of all possible cells is cheap.
const minDictionaryRows = 1 << 12

// buildDictionary sets the dictionary of p and returns the indices of cells, nil if there
// are too many distinct values or too few cells.
func buildDictionary[T int8 | int16](p *encoded, texts []T, none T) []uint8 {
	if len(texts) < minDictionaryRows {
		return nil
	}
	first := int(none) // the smallest cell
	seen := make([]bool, -2*first)
	for _, cell := range texts {
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
		p.dictionary[p.dictionarySize] = float64(at+first) / cells.PowersOf10[p.digits]
		index[at] = uint8(p.dictionarySize)
		p.dictionarySize++
	}
	for i := range p.dictionary[p.dictionarySize:] {
		p.dictionary[p.dictionarySize+i] = cells.NaN
	}
	index[0] = uint8(p.dictionarySize)
	ranks := make([]uint8, len(texts))
	for i, cell := range texts {
		ranks[i] = index[int(cell)-first]
	}
	return ranks
}
