package explain

import (
	"math"

	"foretell/internal/learn/codec"
	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// The background has two rows for each class, but at least minBackgroundRows and at most
// maxBackgroundRows rows.
const (
	minBackgroundRows = 32
	maxBackgroundRows = 64
)

// BackgroundRows returns the number of background rows of a model with the given number of classes.
// Background rows are the training rows with which the explained rows are compared.
func BackgroundRows(classes int) int {
	return min(max(2*classes, minBackgroundRows), maxBackgroundRows)
}

// EncodeBackground returns the background in the form of the model file.
func EncodeBackground(background *frame.Frame) ([]byte, error) {
	var w codec.Writer
	w.Uint32(uint32(background.Rows))
	for i := range background.Columns {
		c := &background.Columns[i]
		switch {
		case c.Codes != nil:
			w.Bytes(1)
			for _, code := range c.Codes {
				w.Uint32(uint32(code))
			}
		case c.Texts != nil:
			w.Bytes(1)
			for _, cell := range c.Texts {
				w.Uint32(uint32(len(cell)))
				w.Bytes([]byte(cell)...)
			}
		case c.IsNumeric():
			w.Bytes(1)
			for _, value := range c.Values(make([]float64, background.Rows), 0, background.Rows) {
				w.Float64(value)
			}
		default:
			w.Bytes(0)
		}
	}
	return w.Result()
}

// ReadBackground reads the background of a model with the given schema. It returns nil
// after an error of r.
func ReadBackground(r *codec.Reader, schema *frame.Schema) *frame.Frame {
	rows := int(r.Uint32())
	if rows < 1 || rows > maxBackgroundRows {
		r.Fail("invalid number of background rows")
	}
	f := &frame.Frame{Schema: schema, Rows: rows, Columns: make([]frame.Column, len(schema.Columns))}
	for i := range f.Columns {
		if r.Err() != nil {
			return nil
		}
		switch used := r.Byte(); {
		case used > 1:
			r.Fail("invalid background column")
		case used == 0:
		case schema.Columns[i].Kind == frame.Category:
			f.Columns[i].Codes = readCodes(r, rows, len(schema.Columns[i].Levels))
		case schema.Columns[i].Kind == frame.Text:
			f.Columns[i].Texts = make([]string, rows)
			for row := range f.Columns[i].Texts {
				f.Columns[i].Texts[row] = string(r.Next(r.Count32(1)))
			}
		default:
			f.Columns[i].Floats = make([]float64, rows)
			for row := range f.Columns[i].Floats {
				value := r.Float64()
				if math.IsInf(value, 0) {
					r.Fail("invalid background cell")
				}
				if math.IsNaN(value) {
					value = cells.NaN
				}
				f.Columns[i].Floats[row] = value
			}
		}
	}
	return f
}

// readCodes reads the codes of a categorical column with the given number of levels, one
// for each row.
func readCodes(r *codec.Reader, rows, levels int) []int32 {
	codes := make([]int32, rows)
	for row := range codes {
		codes[row] = int32(r.Uint32())
		if codes[row] < frame.Missing || int(codes[row]) > levels {
			r.Fail("invalid code")
			return codes
		}
	}
	return codes
}
