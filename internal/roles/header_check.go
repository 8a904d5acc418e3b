package roles

import (
	"slices"
	"strconv"
	"strings"

	"foretell/internal/table/csvfile"
)

// headerCheck decides whether the first record of a file is a header or data, by comparing it with
// the records below it.
type headerCheck struct {
	cells        []string  // the cells of the first record
	numbers      []float64 // the values of the cells that are numbers
	isNumber     []bool    // whether the cell is a number
	occursBelow  []bool    // whether the cell also occurs below
	numbersBelow []int     // number of numbers below the cell, if the cell is a number
	valuesBelow  []int     // number of values below the cell, if the cell is a number
}

func newHeaderCheck(rec *csvfile.Record) *headerCheck {
	n := len(rec.Fields)
	h := &headerCheck{
		cells: trimmedFields(rec), numbers: make([]float64, n), isNumber: make([]bool, n),
		occursBelow: make([]bool, n), numbersBelow: make([]int, n), valuesBelow: make([]int, n),
	}
	for i, cell := range h.cells {
		h.numbers[i], h.isNumber[i] = parseNumber(cell)
	}
	return h
}

// add counts a record, which must have as many fields as the first record. It ignores a
// record that repeats the first record, as concatenated files do.
func (h *headerCheck) add(rec *csvfile.Record) {
	if h.equalsHeader(rec) {
		return
	}
	for i, name := range h.cells {
		cell := strings.TrimSpace(string(rec.Fields[i]))
		h.occursBelow[i] = h.occursBelow[i] || cell == name
		if h.isNumber[i] && cell != "" {
			h.valuesBelow[i]++
			if _, ok := parseNumber(cell); ok {
				h.numbersBelow[i]++
			}
		}
	}
}

func (h *headerCheck) equalsHeader(rec *csvfile.Record) bool {
	for i, name := range h.cells {
		if strings.TrimSpace(string(rec.Fields[i])) != name {
			return false
		}
	}
	return true
}

// looksLikeData reports whether the first record looks like a row of data: its cells resemble the
// cells below them. If the last cell also occurs below, it may be the name of a class. Then half
// of the other cells must resemble those below. Otherwise nearly all cells must.
func (h *headerCheck) looksLikeData() bool {
	alike, all, texts, textsAlike := 0, 0, 0, 0
	for i, cell := range h.cells {
		if cell == "" || cell == "?" {
			continue
		}
		all++
		switch {
		case !h.isNumber[i]:
			texts++
			if h.occursBelow[i] {
				textsAlike++
				alike++
			}
		case 2*h.numbersBelow[i] > h.valuesBelow[i]:
			alike++
		}
	}
	switch last := len(h.cells) - 1; {
	case all < 2 || h.areColumnNumbers():
		return false
	case h.occursBelow[last] && h.cells[last] != "":
		return 2*(alike-1) >= all-1
	}
	return 5*alike >= 4*all && 2*textsAlike >= texts && (textsAlike > 0 || !h.isMonotonic())
}

// areColumnNumbers reports whether the cells are consecutive numbers. Such a record may be a header
// with the numbers of the columns.
func (h *headerCheck) areColumnNumbers() bool {
	for i := range h.cells {
		if !h.isNumber[i] || h.numbers[i] != h.numbers[0]+float64(i) {
			return false
		}
	}
	return true
}

// isMonotonic reports whether the numbers ascend or descend. Such a record may be a header with
// years.
func (h *headerCheck) isMonotonic() bool {
	var list []float64
	for i, number := range h.numbers {
		if h.isNumber[i] {
			list = append(list, number)
		}
	}
	rises := slices.IsSorted(list)
	slices.Reverse(list)
	return rises || slices.IsSorted(list)
}

func parseNumber(cell string) (value float64, ok bool) {
	if !strings.ContainsAny(cell, "0123456789") {
		return 0, false // NaN and Inf may be names of columns
	}
	value, err := strconv.ParseFloat(cell, 64)
	return value, err == nil
}
