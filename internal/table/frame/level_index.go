package frame

import (
	"slices"
	"strings"

	"foretell/internal/table/cells"
)

// levelIndex finds the codes of the cells of a Category column.
type levelIndex struct {
	codes map[string]int32
	// folded has the codes of the levels in lower case if the column is boolean; otherwise it is
	// nil. A workbook, Excel and pandas write the same boolean as true, TRUE and True.
	folded map[string]int32
	// hasCodes is set if the levels are texts of a column of numbers; see ExtractText. pandas writes
	// the number 12 as 12.0 if another cell of the column is empty, so both are the same level.
	hasCodes bool
}

func newLevelIndex(c *ColumnSchema) *levelIndex {
	x := &levelIndex{codes: BuildIndex(c.Levels), hasCodes: c.Feature == ExtractText}
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

// code returns the code of a cell.
func (x *levelIndex) code(cell []byte) int32 {
	if len(cell) > 0 && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		cell = cells.Trim(cell)
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
		if code, known := x.codes[otherDecimals(string(cell))]; known {
			return code
		}
	}
	return int32(len(x.codes))
}

// otherDecimals returns text without its end .0, or with this end if text does not have it.
func otherDecimals(text string) string {
	if digits, found := strings.CutSuffix(text, ".0"); found {
		return digits
	}
	return text + ".0"
}
