package neural

import (
	"math"

	"foretell/internal/table/frame"
)

// embeddingLookup is a lookup in the embedding tables. The result is (1−frac)·tables[row]
// + frac·tables[row+1].
type embeddingLookup struct {
	row  int32
	frac float32
}

// encode encodes the given rows of f. It writes their scaled values and flags to dst, and
// the lookups of their embeddings to lookups. Both are row-major; dst has e.width() columns and
// lookups has e.embeddings columns. drop is nil except in training.
func (e *encoder) encode(dst []float32, lookups []embeddingLookup, f *frame.Frame, rows []int32, drop *dropout) {
	clear(dst[:len(rows)*e.width()])
	for i := range e.inputs {
		in := &e.inputs[i]
		column := &f.Columns[in.column]
		if in.numeric {
			e.encodeNumeric(dst, lookups, in, column, rows)
		} else {
			e.encodeCategories(lookups, in, column.Codes, rows, drop)
		}
	}
}

func (e *encoder) encodeNumeric(dst []float32, lookups []embeddingLookup, in *inputColumn, column *frame.Column, rows []int32) {
	width := e.width()
	var buffer [256]float64
	for lo := 0; lo < len(rows); lo += len(buffer) {
		part := rows[lo:min(lo+len(buffer), len(rows))]
		values := buffer[:len(part)]
		column.Gather(values, part)
		for i, v := range values {
			j := lo + i
			scaled, missing := in.scaleValue(v)
			dst[j*width+in.denseIndex] = scaled
			if missing && in.missingFlag {
				dst[j*width+in.denseIndex+1] = 1
			}
			if in.tableRows > 0 {
				lookups[j*e.embeddings+in.embedIndex] = in.interpolate(v)
			}
		}
	}
}

// encodeCategories sets the embedding lookup of one categorical column for each of the given rows.
// The parameter in describes the column, and codes are its codes. If drop is not nil, some codes,
// drawn at random, are treated as unknown.
func (e *encoder) encodeCategories(lookups []embeddingLookup, in *inputColumn, codes []int32, rows []int32, drop *dropout) {
	for j, r := range rows {
		level := in.rowOfLevel.Transform(codes[r])
		if drop != nil && drop.drawMasked() {
			level = unknownRow
		}
		lookups[j*e.embeddings+in.embedIndex] = embeddingLookup{row: int32(in.firstRow) + level}
	}
}

// scaleValue scales v. If v is NaN, value is 0, the scaled median, and missing is true.
func (in *inputColumn) scaleValue(v float64) (value float32, missing bool) {
	if math.IsNaN(v) {
		return 0, true
	}
	return float32(in.scaler.Transform(v)), false
}

// interpolate returns the embedding lookup of a number v, which interpolates between the
// table rows of the knots below and above v. This is a piecewise linear encoding
// (Gorishniy et al. 2022, "On embeddings for numerical features in tabular deep
// learning"). A value beyond the knots is replaced by the nearest knot, and a missing value by the
// median.
func (in *inputColumn) interpolate(v float64) embeddingLookup {
	if math.IsNaN(v) {
		v = in.scaler.Center
	}
	last := len(in.knots) - 1
	i, end := 0, len(in.knots) // after the loop, i is the index of the first knot >= v
	for i < end {
		if mid := (i + end) / 2; in.knots[mid] < v {
			i = mid + 1
		} else {
			end = mid
		}
	}
	switch {
	case i == 0:
		return embeddingLookup{row: int32(in.firstRow)}
	case i > last:
		return embeddingLookup{row: int32(in.firstRow + last - 1), frac: 1}
	}
	low, high := in.knots[i-1], in.knots[i]
	frac := float32((v - low) / (high - low))
	if !(frac <= 1) {
		frac = 1
	}
	return embeddingLookup{row: int32(in.firstRow + i - 1), frac: frac}
}
