package codec

import (
	"encoding/binary"
	"math"
)

// Writer appends values to a slice. The zero value is ready to use.
type Writer struct {
	b   []byte
	err error
}

// NewWriter returns a Writer that appends to b.
func NewWriter(b []byte) *Writer { return &Writer{b: b} }

// Result returns the slice with all values appended, or nil and the first error.
func (w *Writer) Result() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	return w.b, nil
}

// Reset removes all values and the error. It keeps the memory of the slice for new
// values.
func (w *Writer) Reset() { w.b, w.err = w.b[:0], nil }

// Data returns the slice with the values appended so far. It is valid until the next call
// of a method of w.
func (w *Writer) Data() []byte { return w.b }

// Append calls appendTo with the slice written so far, and continues with the slice that appendTo
// returns. appendTo may be the AppendBinary method of a value. If it fails, Result returns its
// error. If there was an error before, Append does nothing.
func (w *Writer) Append(appendTo func(b []byte) ([]byte, error)) {
	if w.err == nil {
		w.b, w.err = appendTo(w.b)
	}
}

// Bytes appends bytes.
func (w *Writer) Bytes(b ...byte) { w.b = append(w.b, b...) }

// Bool appends the byte 0 or 1.
func (w *Writer) Bool(v bool) {
	if v {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

// Uint16 appends a number of two bytes.
func (w *Writer) Uint16(v uint16) { w.b = binary.LittleEndian.AppendUint16(w.b, v) }

// Uint32 appends a number of four bytes.
func (w *Writer) Uint32(v uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, v) }

// Uint64 appends a number of eight bytes.
func (w *Writer) Uint64(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }

// Uvarint appends n as a uvarint. n must not be negative.
func (w *Writer) Uvarint(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

// Float64 appends v, which takes eight bytes.
func (w *Writer) Float64(v float64) { w.Uint64(math.Float64bits(v)) }

// Float32s appends values. Each takes four bytes. Their number is not written.
func (w *Writer) Float32s(values []float32) {
	for _, v := range values {
		w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(v))
	}
}
