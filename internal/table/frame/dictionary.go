package frame

import "foretell/internal/table/cells"

// maxDictionarySize is the largest number of values of a dictionary. The learning engine uses at
// most 255 bins per feature, one of them for missing values, so an index in a dictionary can be
// used as a bin.
const maxDictionarySize = 254

// useDictionaryIfSmall replaces int8s or int16s by a dictionary and indices if they have few
// distinct values.
func (e *encoded) useDictionaryIfSmall() {
	switch {
	case e.int8s != nil:
		e.indices = setDictionary(e, e.int8s, missingInt8)
	case e.int16s != nil:
		e.indices = setDictionary(e, e.int16s, missingInt16)
	}
	if e.indices == nil {
		e.dictionary, e.dictionarySize = nil, 0
		return
	}
	e.int8s, e.int16s = nil, nil
}

// minDictionaryRows is the smallest number of rows for a dictionary. With fewer rows, a dictionary
// would save little memory, whereas setDictionary allocates a table of all possible values.
const minDictionaryRows = 1 << 12

// setDictionary sets the dictionary of e and returns the index of each row's value. If there are
// too many distinct values or too few rows, it returns nil, and the dictionary must not be used.
func setDictionary[T int8 | int16](e *encoded, ints []T, missing T) (indices []uint8) {
	if len(ints) < minDictionaryRows {
		return nil
	}
	first := int(missing) // the smallest number of type T
	seen := make([]bool, -2*first)
	for _, cell := range ints {
		seen[int(cell)-first] = true
	}
	seen[0] = false
	e.dictionarySize, e.dictionary = 0, new([1 << 8]float64)
	index := make([]uint8, len(seen))
	for at, is := range seen {
		if !is {
			continue
		}
		if e.dictionarySize == maxDictionarySize {
			return nil
		}
		e.dictionary[e.dictionarySize] = float64(at+first) / cells.PowersOf10[e.digits]
		index[at] = uint8(e.dictionarySize)
		e.dictionarySize++
	}
	for i := range e.dictionary[e.dictionarySize:] {
		e.dictionary[e.dictionarySize+i] = cells.NaN
	}
	index[0] = uint8(e.dictionarySize)
	ranks := make([]uint8, len(ints))
	for i, cell := range ints {
		ranks[i] = index[int(cell)-first]
	}
	return ranks
}
