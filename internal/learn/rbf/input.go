package rbf

import (
	"math"
	"slices"

	"foretell/internal/table/frame"
)

// inputColumn describes how one column becomes inputs of the kernel. A numeric column is
// one input. It has a second input, which is 1 for missing values, if the training rows
// have any. A categorical column has an input for each level of the training rows; the
// input is 1 in rows of that level and 0 in others. Rows of other levels are 0 in all of
// these inputs.
type inputColumn struct {
	numeric bool
	column  int // in the frame
	// missingFlag reports whether a numeric column has an input for missing values.
	missingFlag bool
	// center and scale map the middle half of the values to an interval of
	// length 1.
	center, scale float64
	// inputOfLevel maps the levels of a categorical column to its inputs, counted from 1;
	// 0 means no input. Element 0 is for missing values, element i+1 for the level with
	// code i.
	inputOfLevel []int32

	first, size int // index of the column's first input among all inputs, and number of its inputs
}

// encoder maps a row of a frame to a vector of inputs.
type encoder struct {
	inputs []inputColumn
	width  int // length of a vector
}

// fitEncoder returns the encoder of f's columns, fitted to the given rows.
// Constant columns are left out.
func fitEncoder(f *frame.Frame, rows []int32) *encoder {
	e := &encoder{}
	for i := range f.Columns {
		var in inputColumn
		var ok bool
		if c := &f.Columns[i]; f.Schema.Columns[i].Kind == frame.Numeric {
			in, ok = fitNumericInput(c, rows)
		} else {
			in, ok = fitCategoricalInput(c.Codes, len(f.Schema.Columns[i].Levels), rows)
		}
		if ok {
			in.column = i
			e.inputs = append(e.inputs, in)
		}
	}
	e.assignIndices()
	return e
}

// assignIndices assigns consecutive inputs to the columns.
func (e *encoder) assignIndices() {
	e.width = 0
	for i := range e.inputs {
		in := &e.inputs[i]
		in.first, in.size = e.width, 1
		if in.missingFlag {
			in.size = 2
		}
		if !in.numeric {
			in.size = int(slices.Max(in.inputOfLevel))
		}
		e.width += in.size
	}
}

// fitNumericInput fits a numeric column. It scales by the interquartile range, or by
// half the range if the quartiles are equal (Holzmüller et al. 2024, "Better by
// default", section 3). It returns false if the column is constant.
func fitNumericInput(column *frame.Column, rows []int32) (input inputColumn, varies bool) {
	values := make([]float64, len(rows))
	column.Gather(values, rows)
	sorted := slices.DeleteFunc(values, math.IsNaN)
	n := len(sorted)
	if n == 0 {
		return inputColumn{}, false
	}
	slices.Sort(sorted)
	in := inputColumn{numeric: true, missingFlag: n < len(rows), center: sorted[n/2], scale: 1}
	lo, hi := sorted[0], sorted[n-1]
	if lo == hi && !in.missingFlag {
		return inputColumn{}, false
	}
	if iqr := sorted[n-1-n/4] - sorted[n/4]; iqr > 0 {
		in.scale = 1 / iqr
	} else if hi > lo {
		in.scale = 2 / (hi - lo)
	}
	if in.scale == 0 { // the range of the values is infinite
		return inputColumn{}, false
	}
	in.scale = min(in.scale, math.MaxFloat64) // the scale is infinite if the range is subnormal
	return in, true
}

// fitCategoricalInput assigns an input to each level of the rows, and one to missing values if
// there are any. It returns false if the column is constant.
func fitCategoricalInput(codes []int32, levels int, rows []int32) (input inputColumn, varies bool) {
	seen := make([]bool, levels+2) // for missing values, for each level, for other codes
	for _, r := range rows {
		seen[levelIndex(codes[r], levels)] = true
	}
	in := inputColumn{inputOfLevel: make([]int32, levels+2)}
	inputs := int32(0)
	for s := range seen[:levels+1] {
		if seen[s] {
			inputs++
			in.inputOfLevel[s] = inputs
		}
	}
	return in, inputs > 1 || inputs == 1 && seen[levels+1]
}

// levelIndex returns the index of a code in inputOfLevel: 0 for a missing value, code+1
// for a known level, and levels+1 for any other code.
func levelIndex(code int32, levels int) int32 {
	if code < 0 {
		return 0
	}
	return min(code, int32(levels)) + 1
}

// encode writes the input vectors of the given rows of f to dst, row-major with e.width
// columns.
func (e *encoder) encode(dst []float64, f *frame.Frame, rows []int32) {
	clear(dst[:len(rows)*e.width])
	values := make([]float64, len(rows))
	for i := range e.inputs {
		in := &e.inputs[i]
		var column frame.Column // if f lacks the column, all its values are missing
		if in.column < len(f.Columns) {
			column = f.Columns[in.column]
		}
		if in.numeric {
			column.Gather(values, rows)
			for j, v := range values {
				in.encodeNumber(dst[j*e.width+in.first:], v)
			}
			continue
		}
		for j, row := range rows {
			code := frame.Missing
			if column.Codes != nil {
				code = column.Codes[row]
			}
			if input := in.inputOfLevel[levelIndex(code, len(in.inputOfLevel)-2)]; input > 0 {
				dst[j*e.width+in.first+int(input)-1] = 1
			}
		}
	}
}

// encodeNumber writes the inputs of the value v to dst, which must be zero before. The
// first input is v, centred, scaled and smoothly clipped to ±3 (Holzmüller et al. 2024).
// For a missing value it stays 0, as for the median, and the second input, if there is
// one, is set to 1.
func (in *inputColumn) encodeNumber(dst []float64, v float64) {
	if math.IsNaN(v) {
		if in.missingFlag {
			dst[1] = 1
		}
		return
	}
	z := (v - in.center) * in.scale
	if math.Abs(z) > 1e6 { // its square might overflow
		dst[0] = math.Copysign(3, z)
		return
	}
	dst[0] = z / math.Sqrt(1+z*z/9)
}
