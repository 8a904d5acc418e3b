package roles

import (
	"slices"
	"strconv"
	"strings"

	"foretell/internal/frame"
)

// headerLook compares the first record of a file with the records below it, to
// find out whether it names columns or is data itself.
type headerLook struct {
	cells    []string // of the first record
	numbers  []float64
	isNumber []bool // the cell is a number
	isValue  []bool // the cell occurs below itself
	counted  []int  // numbers below a cell that is one
	filled   []int  // values below it
}

func newHeaderLook(rec *frame.Record) *headerLook {
	n := rec.Len()
	h := &headerLook{
		cells: headerOf(rec), numbers: make([]float64, n), isNumber: make([]bool, n),
		isValue: make([]bool, n), counted: make([]int, n), filled: make([]int, n),
	}
	for i, cell := range h.cells {
		h.numbers[i], h.isNumber[i] = numberOf(cell)
	}
	return h
}

// add counts a record below the first, which has as many fields. One that repeats
// all cells tells nothing: files may have been put one behind the other.
func (h *headerLook) add(rec *frame.Record) {
	if h.repeats(rec) {
		return
	}
	for i, name := range h.cells {
		cell := strings.TrimSpace(string(rec.Field(i)))
		h.isValue[i] = h.isValue[i] || cell == name
		if h.isNumber[i] && cell != "" {
			h.filled[i]++
			if _, ok := numberOf(cell); ok {
				h.counted[i]++
			}
		}
	}
}

func (h *headerLook) repeats(rec *frame.Record) bool {
	for i, name := range h.cells {
		if strings.TrimSpace(string(rec.Field(i))) != name {
			return false
		}
	}
	return true
}

// data reports whether the first record is rather a row of data: its last cell is
// a value of the last column, as a class is, and at least half of the others are
// like their columns; or nearly all cells are.
func (h *headerLook) data() bool {
	alike, all, texts, textsAlike := 0, 0, 0, 0
	for i, cell := range h.cells {
		if cell == "" || cell == "?" {
			continue
		}
		all++
		switch {
		case !h.isNumber[i]:
			texts++
			if h.isValue[i] {
				textsAlike++
				alike++
			}
		case 2*h.counted[i] > h.filled[i]:
			alike++
		}
	}
	switch last := len(h.cells) - 1; {
	case all < 2 || h.countsColumns():
		return false
	case h.isValue[last] && h.cells[last] != "":
		return 2*(alike-1) >= all-1
	}
	return 5*alike >= 4*all && 2*textsAlike >= texts && (textsAlike > 0 || !h.monotonic())
}

// countsColumns reports whether the cells count the columns, as the header does of
// a table that has no names.
func (h *headerLook) countsColumns() bool {
	for i := range h.cells {
		if !h.isNumber[i] || h.numbers[i] != h.numbers[0]+float64(i) {
			return false
		}
	}
	return true
}

// monotonic reports whether the numbers rise, or fall, from left to right, as
// years and wavelengths do that name columns.
func (h *headerLook) monotonic() bool {
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

func numberOf(cell string) (value float64, ok bool) {
	if !strings.ContainsAny(cell, "0123456789") {
		return 0, false // NaN and Inf are names as well
	}
	value, err := strconv.ParseFloat(cell, 64)
	return value, err == nil
}
