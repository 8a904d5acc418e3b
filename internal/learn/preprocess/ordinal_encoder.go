package preprocess

import "slices"

// OrdinalEncoder maps the codes of a categorical column to numbers. The levels of the training rows
// are numbered from 1; missing cells count as a level. A code that no training row has is mapped to
// 0. The elements are the numbers of
//
//	e[0]        missing cells
//	e[i+1]      the level with code i
//	e[len(e)-1] an unknown level, always 0
type OrdinalEncoder []int32

// FitOrdinalEncoder fits an encoder to the given rows of a column with the given number of levels.
// A missing cell counts as a level. varies is false if the column is constant.
func FitOrdinalEncoder(codes []int32, levels int, rows []int32) (e OrdinalEncoder, varies bool) {
	e = make(OrdinalEncoder, levels+2)
	seen := make([]bool, len(e))
	for _, row := range rows {
		seen[e.index(codes[row])] = true
	}
	last := int32(0)
	for i := range seen[:levels+1] {
		if seen[i] {
			last++
			e[i] = last
		}
	}
	return e, last > 1 || last == 1 && seen[levels+1]
}

// Transform returns the number of a code.
func (e OrdinalEncoder) Transform(code int32) int32 { return e[e.index(code)] }

// Max returns the largest number.
func (e OrdinalEncoder) Max() int { return int(slices.Max(e)) }

// index returns the index of a code in e: 0 for a missing cell, code+1 for a level, and the last
// index for any other code.
func (e OrdinalEncoder) index(code int32) int {
	if code < 0 {
		return 0
	}
	return min(int(code)+1, len(e)-1)
}
