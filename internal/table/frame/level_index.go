package frame

import (
	"math"
	"slices"
	"strings"

	"foretell/internal/table/cells"
)

// levelIndex finds the codes of the cells of a Category column.
type levelIndex struct {
	codes map[string]int32
	// folded maps the levels of a boolean column, in lower case, to their codes; it is nil for
	// other columns. The same boolean is true in a workbook, TRUE in Excel and True in pandas.
	folded map[string]int32
	// hasCodes is set if the levels are texts of a column of numbers, as for ExtractText. 12 and
	// 12.0 are then the same level, because pandas writes 12 as 12.0 if another cell of the column
	// is empty.
	hasCodes bool
	// If hasCodes is set, numbers maps the levels that are numbers to their codes, because Excel
	// saves 07030 as 7030, and perhaps 1234 as 1,234.
	numbers map[float64]int32
	// prefixLength is the number of characters of a level if the levels are prefixes of codes, otherwise 0.
	prefixLength int
}

func newLevelIndex(c *ColumnSchema) *levelIndex {
	x := &levelIndex{codes: BuildIndex(c.Levels), hasCodes: c.Feature == ExtractText}
	if c.Feature == ExtractPrefix {
		x.prefixLength = c.Length
	}
	if x.hasCodes {
		x.indexNumbers(c.Levels)
	}
	if c.Feature == "" && cells.AreBooleans(slices.Values(c.Levels)) {
		x.folded = map[string]int32{}
		for code, level := range c.Levels {
			if _, known := x.folded[cells.FoldCase(level)]; !known {
				x.folded[cells.FoldCase(level)] = int32(code)
			}
		}
	}
	return x
}

// severalLevels is the element of levelIndex.numbers for a number that is written in several ways
// in the levels, such as 7030 for the levels 7030 and 07030.
const severalLevels = -2

// indexNumbers sets x.numbers from the levels that are numbers. A number that several levels stand
// for gets the code severalLevels.
func (x *levelIndex) indexNumbers(levels []string) {
	x.numbers = map[float64]int32{}
	for code, level := range levels {
		number, ok := parseNumericCode([]byte(level))
		if !ok {
			continue
		}
		if _, known := x.numbers[number]; known {
			code = severalLevels
		}
		x.numbers[number] = int32(code)
	}
}

// parseNumericCode returns the number that a code stands for, such as 7030 for 07030. ok is false
// for a code that is not a number, and for a code with more than 15 digits, because another code
// may be the same float64.
func parseNumericCode(cell []byte) (number float64, ok bool) {
	if !cells.DigitsFitFloat64(string(cell)) {
		return 0, false
	}
	number = cells.NumberOrNaN(cell)
	return number, !math.IsNaN(number)
}

// code returns the code of a cell. A cell such as NA that is not a level counts as missing, because
// other programs write NA for an empty cell. There is one exception: if all levels are words among
// the numbers of a column, the code of such a cell is len(Levels), like that of the numbers.
func (x *levelIndex) code(cell []byte) int32 {
	if len(cell) > 0 && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		cell = cells.Trim(cell)
	}
	if x.prefixLength > 0 {
		return x.prefixCode(cell)
	}
	if code, known := x.codes[string(cell)]; known {
		return code
	}
	if len(cell) == 0 {
		return Missing
	}
	if x.folded != nil {
		if code, known := x.folded[cells.FoldCase(string(cell))]; known {
			return code
		}
	}
	if x.hasCodes {
		if code, known := x.codes[toggleDotZero(string(cell))]; known {
			return code
		}
	}
	if len(x.numbers) > 0 {
		if number, ok := parseNumericCode(cell); ok {
			if code, known := x.numbers[number]; known && code != severalLevels {
				return code
			}
		}
	}
	if !x.hasCodes || len(x.numbers) > 0 {
		if kind, _ := cells.Classify(cell); kind == cells.Null {
			return Missing
		}
	}
	return int32(len(x.codes))
}

// prefixCode returns the code of a cell if the levels are prefixes. A cell that means a missing value, such
// as NA, is missing.
func (x *levelIndex) prefixCode(cell []byte) int32 {
	if kind, _ := cells.Classify(cell); kind == cells.Blank || kind == cells.Null {
		return Missing
	}
	if code, known := x.codes[string(cells.Prefix(cell, x.prefixLength))]; known {
		return code
	}
	return int32(len(x.codes))
}

// toggleDotZero returns text without .0 at its end. If text does not end in .0, it returns text
// with .0 appended.
func toggleDotZero(text string) string {
	if digits, found := strings.CutSuffix(text, ".0"); found {
		return digits
	}
	return text + ".0"
}
