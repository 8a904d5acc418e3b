package logistic

import (
	"math"
	"slices"

	"foretell/internal/learn/preprocess"
	"foretell/internal/table/frame"
)

// inputColumn describes how one column becomes inputs of a regression. A numeric column has one
// input. If a training row has a missing value, the column has a second input, which is 1 for a
// missing value and otherwise 0. A categorical column is one-hot encoded, with one input for each
// level of the training rows. Missing values count as a level. For an unknown level, all inputs are
// 0.
type inputColumn struct {
	numeric bool
	column  int // in the frame
	// missingFlag reports whether a numeric column has an input for missing values.
	missingFlag bool
	scaler      preprocess.RobustScaler
	// inputOfLevel maps the levels of a categorical column to its inputs, counted from 1;
	// 0 means no input.
	inputOfLevel preprocess.OrdinalEncoder

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

// assignIndices assigns consecutive inputs to the columns: it sets the fields first and size of
// each column, and e.width.
func (e *encoder) assignIndices() {
	e.width = 0
	for i := range e.inputs {
		in := &e.inputs[i]
		in.first, in.size = e.width, 1
		if in.missingFlag {
			in.size = 2
		}
		if !in.numeric {
			in.size = in.inputOfLevel.Max()
		}
		e.width += in.size
	}
}

// fitNumericInput fits a numeric column. It returns false if the column is constant.
func fitNumericInput(column *frame.Column, rows []int32) (input inputColumn, varies bool) {
	values := make([]float64, len(rows))
	column.Gather(values, rows)
	sorted := slices.DeleteFunc(values, math.IsNaN)
	slices.Sort(sorted)
	missing := len(sorted) < len(rows)
	scaler, varies := preprocess.FitRobustScaler(sorted, missing)
	return inputColumn{numeric: true, missingFlag: missing, scaler: scaler}, varies
}

// fitCategoricalInput assigns an input to each level of the rows, and another input to missing
// values if there are any. It returns false if the column is constant.
func fitCategoricalInput(codes []int32, levels int, rows []int32) (input inputColumn, varies bool) {
	encoder, varies := preprocess.FitOrdinalEncoder(codes, levels, rows)
	return inputColumn{inputOfLevel: encoder}, varies
}

// encode writes the input vectors of the given rows of f to dst, row-major with e.width
// columns.
func (e *encoder) encode(dst []float64, f *frame.Frame, rows []int32) {
	clear(dst[:len(rows)*e.width])
	values := make([]float64, len(rows))
	for i := range e.inputs {
		in := &e.inputs[i]
		column := &f.Columns[in.column]
		if in.numeric {
			column.Gather(values, rows)
			for j, v := range values {
				in.encodeNumber(dst[j*e.width+in.first:], v)
			}
			continue
		}
		for j, row := range rows {
			if input := in.inputOfLevel.Transform(column.Codes[row]); input > 0 {
				dst[j*e.width+in.first+int(input)-1] = 1
			}
		}
	}
}

// encodeNumber writes the inputs of the value v to dst, which must be zero before. The first input
// is the scaled value. For a missing value, the first input stays 0, the scaled median, and the
// second input, if there is one, is set to 1.
func (in *inputColumn) encodeNumber(dst []float64, v float64) {
	if !math.IsNaN(v) {
		dst[0] = in.scaler.Transform(v)
	} else if in.missingFlag {
		dst[1] = 1
	}
}
