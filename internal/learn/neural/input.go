package neural

import (
	"context"
	"math"
	"slices"

	"foretell/internal/learn/preprocess"
	"foretell/internal/table/frame"
)

// unknownRow is the row of a categorical column's embedding table that stands for unknown
// levels.
const unknownRow = 0

// inputColumn describes how the values of one column are converted to inputs of the
// network. It is fitted to the values of the training rows.
type inputColumn struct {
	numeric bool
	column  int // index of the column in the frame
	// missingFlag reports whether a numeric column also has a flag: an input that is 1 if the value
	// is missing, and otherwise 0. A column has a flag if its value is missing in at least one
	// training row.
	missingFlag bool
	scaler      preprocess.RobustScaler
	// knots are the ascending values between which the embedding of a numeric column is
	// interpolated. knots is nil if there would be fewer than three.
	knots []float64
	// rowOfLevel maps the code of a level to the row of the embedding table. The row of an unknown
	// level is unknownRow.
	rowOfLevel preprocess.OrdinalEncoder

	denseIndex int // index of the scaled value in an input vector; the flag follows it
	tableRows  int // number of rows of the embedding table; 0 if there is no table
	firstRow   int // index of the table's first row among the rows of all tables
	embedIndex int // index of the embedding among all embeddings
}

// encoder converts the values of a row to an input vector. The vector consists of the scaled values
// and missing flags of the numeric columns, followed by the embeddings of all columns. An embedding
// has embeddingSize numbers.
type encoder struct {
	inputs        []inputColumn
	denseSize     int // number of scaled values and flags
	tableRows     int // number of rows of all tables
	embeddings    int // number of embeddings
	embeddingSize int // number of outputs of one embedding
}

// width returns the length of an input vector.
func (e *encoder) width() int { return e.denseSize + e.embeddings*e.embeddingSize }

// fitEncoder returns an encoder that is fitted to the given rows of f. size is the number
// of outputs of an embedding; 0 means that fitEncoder chooses it. knots is the largest
// number of knots of a column. Constant columns are left out. fitEncoder returns an error
// only if ctx is cancelled.
func fitEncoder(ctx context.Context, f *frame.Frame, rows []int32, size, knots int) (*encoder, error) {
	e := &encoder{embeddingSize: size}
	for i := range f.Columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var in inputColumn
		var ok bool
		if c := &f.Columns[i]; f.Schema.Columns[i].Kind == frame.Numeric {
			in, ok = fitNumericInput(c, rows, knots)
		} else {
			in, ok = fitCategoricalInput(c.Codes, len(f.Schema.Columns[i].Levels), rows)
		}
		if ok {
			in.column = i
			e.inputs = append(e.inputs, in)
		}
	}
	e.assignIndices()
	if size == 0 {
		e.chooseEmbeddingSize()
	}
	return e, nil
}

// An embedding has maxEmbeddingSize outputs, or fewer if all embeddings together would otherwise
// have more than maxEmbeddingInputs.
const (
	maxEmbeddingSize   = 8
	maxEmbeddingInputs = 512
)

// chooseEmbeddingSize sets e.embeddingSize. If maxEmbeddingInputs allows fewer than two
// outputs for each embedding, it first removes the embeddings of numeric columns.
func (e *encoder) chooseEmbeddingSize() {
	if e.embeddings > maxEmbeddingInputs/2 {
		for i := range e.inputs {
			if in := &e.inputs[i]; in.numeric {
				in.knots, in.tableRows = nil, 0
			}
		}
		e.assignIndices()
	}
	e.embeddingSize = max(1, min(maxEmbeddingSize, maxEmbeddingInputs/max(1, e.embeddings)))
}

// assignIndices assigns to each column its indices in the input vector and in
// the tables.
func (e *encoder) assignIndices() {
	e.denseSize, e.tableRows, e.embeddings = 0, 0, 0
	for i := range e.inputs {
		in := &e.inputs[i]
		in.denseIndex, in.firstRow, in.embedIndex = e.denseSize, e.tableRows, e.embeddings
		if in.numeric {
			e.denseSize++
		}
		if in.missingFlag {
			e.denseSize++
		}
		if in.tableRows > 0 {
			e.tableRows += in.tableRows
			e.embeddings++
		}
	}
}

// fitNumericInput fits an inputColumn with at most the given number of knots to a numeric column.
// It returns false if the column is constant.
func fitNumericInput(column *frame.Column, rows []int32, knots int) (input inputColumn, varies bool) {
	sorted, missing := nonMissingValues(column, rows)
	slices.Sort(sorted)
	scaler, varies := preprocess.FitRobustScaler(sorted, missing)
	if !varies {
		return inputColumn{}, false
	}
	in := inputColumn{numeric: true, missingFlag: missing, scaler: scaler}
	in.knots = chooseKnots(sorted, knots)
	if len(in.knots) > 2 {
		in.tableRows = len(in.knots)
	} else {
		in.knots = nil
	}
	return in, true
}

// maxSampleValues is the largest number of values from which the distribution of a column is
// estimated.
const maxSampleValues = 100_000

// nonMissingValues returns those values of the given rows that are not missing. If there are more
// than maxSampleValues, it returns a sample. missing reports whether any of the rows has a missing
// value.
func nonMissingValues(column *frame.Column, rows []int32) (sample []float64, missing bool) {
	values := make([]float64, len(rows))
	column.Gather(values, rows)
	values = slices.DeleteFunc(values, math.IsNaN)
	n := len(values)
	stride := max((n+maxSampleValues-1)/maxSampleValues, 1)
	sample = make([]float64, 0, min(n, maxSampleValues))
	for at := 0; at < n; at += stride {
		sample = append(sample, values[at])
	}
	return sample, n < len(rows)
}

// chooseKnots chooses knots among the values in sorted, and returns them in ascending
// order. count is the largest number of knots. If there are at most count distinct values,
// all of them are knots. Otherwise half of the knots are quantiles of all values and half
// are quantiles of the distinct values, so that a long tail also has knots.
func chooseKnots(sorted []float64, count int) []float64 {
	distinct := slices.Compact(slices.Clone(sorted))
	if len(distinct) <= count {
		return slices.Clone(distinct) // releases the memory of the duplicates
	}
	half := count / 2
	knots := make([]float64, 0, 2*half)
	for i := range half {
		knots = append(knots,
			sorted[i*(len(sorted)-1)/(half-1)],
			distinct[i*(len(distinct)-1)/(half-1)])
	}
	slices.Sort(knots)
	return slices.Compact(knots)
}

// fitCategoricalInput fits an inputColumn to a categorical column. The embedding table has one
// row for each level of the training rows, one for unknown levels, and one for missing
// values if there are any. fitCategoricalInput returns false if the column is constant.
func fitCategoricalInput(codes []int32, levels int, rows []int32) (input inputColumn, varies bool) {
	encoder, varies := preprocess.FitOrdinalEncoder(codes, levels, rows)
	return inputColumn{rowOfLevel: encoder, tableRows: unknownRow + 1 + encoder.Max()}, varies
}
