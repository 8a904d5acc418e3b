package neural

import (
	"context"
	"math"
	"slices"

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
	// missingFlag reports whether a numeric column also has an input that is 1 if the
	// value is missing, and otherwise 0. It has one if the column has a missing value in
	// a training row.
	missingFlag bool
	// A numeric value v is converted to (v − center)·scale, which maps the middle half of
	// the values to an interval of length 1.
	center, scale float64
	// knots are the ascending values between which the embedding of a numeric column is
	// interpolated. knots is nil if there would be fewer than three.
	knots []float64
	// rowOfLevel holds the row of the embedding table for a missing value, then for each
	// level, and then for any other code. See levelIndex. The row of an unknown level is
	// unknownRow.
	rowOfLevel []int32

	denseIndex int // index of the scaled value in an input vector; the flag follows it
	tableRows  int // number of rows of the embedding table; 0 if there is no table
	firstRow   int // index of the table's first row among the rows of all tables
	embedIndex int // index of the embedding among all embeddings
}

// encoder converts the values of a row to an input vector: the scaled values and missing
// flags of the numeric columns, followed by the embeddings of all columns, each of
// embeddingSize numbers.
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

// An embedding has maxEmbeddingSize outputs, or fewer if all embeddings together would
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

// fitNumericInput fits an inputColumn to a numeric column. Values are divided by the
// interquartile range, as in Holzmüller et al. 2024 ("Better by default", section 3), or
// by half the range if the quartiles are equal. fitNumericInput returns false if the column is
// constant.
func fitNumericInput(column *frame.Column, rows []int32, knots int) (input inputColumn, varies bool) {
	sorted, missing := presentValues(column, rows)
	if len(sorted) == 0 {
		return inputColumn{}, false
	}
	slices.Sort(sorted)
	n := len(sorted)
	in := inputColumn{numeric: true, missingFlag: missing, center: sorted[n/2]}
	lo, hi := sorted[0], sorted[n-1]
	if lo == hi && !in.missingFlag {
		return inputColumn{}, false
	}
	in.scale = 1
	if iqr := sorted[n-1-n/4] - sorted[n/4]; iqr > 0 {
		in.scale = 1 / iqr
	} else if hi > lo {
		in.scale = 2 / (hi - lo)
	}
	if in.scale == 0 { // a difference of values has overflowed
		return inputColumn{}, false
	}
	in.scale = min(in.scale, math.MaxFloat64) // infinite if iqr is subnormal
	in.knots = chooseKnots(sorted, knots)
	if len(in.knots) > 2 {
		in.tableRows = len(in.knots)
	} else {
		in.knots = nil
	}
	return in, true
}

// sampleRows is the largest number of values from which the distribution of a column is
// estimated.
const sampleRows = 100_000

// presentValues returns the values of the given rows without the missing ones. If there
// are more than sampleRows such values, it returns a sample of them. missing reports
// whether a row has a missing value.
func presentValues(column *frame.Column, rows []int32) (sample []float64, missing bool) {
	values := make([]float64, len(rows))
	column.Gather(values, rows)
	values = slices.DeleteFunc(values, math.IsNaN)
	n := len(values)
	stride := max((n+sampleRows-1)/sampleRows, 1)
	sample = make([]float64, 0, min(n, sampleRows))
	for at := 0; at < n; at += stride {
		sample = append(sample, values[at])
	}
	return sample, n < len(rows)
}

// chooseKnots returns at most count ascending values of sorted. If there are at most
// count distinct values, it returns all of them. Otherwise half of the knots are
// quantiles of all values and half are quantiles of the distinct values, so that a long
// tail also has knots.
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
	seen := make([]bool, levels+2) // indexed like rowOfLevel
	for _, r := range rows {
		seen[levelIndex(codes[r], levels)] = true
	}
	in := inputColumn{rowOfLevel: make([]int32, levels+2), tableRows: unknownRow + 1}
	for s := range seen[:levels+1] {
		if seen[s] {
			in.rowOfLevel[s] = int32(in.tableRows)
			in.tableRows++
		}
	}
	return in, in.tableRows > 2 || in.tableRows == 2 && seen[levels+1]
}

// levelIndex returns the index of a code in rowOfLevel: 0 for a missing value, code+1 for
// one of the given number of levels, and levels+1 for any other code.
func levelIndex(code int32, levels int) int32 {
	if code < 0 {
		return 0
	}
	return min(code, int32(levels)) + 1
}
