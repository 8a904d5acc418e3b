package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// ErrMalformed is wrapped by the error of a Reader whose input is invalid or too
// short.
var ErrMalformed = errors.New("malformed model")

// Reader reads values from a slice or from a stream of known length. After the first
// error, its methods return zero values, and Uvarint returns its lower bound.
type Reader struct {
	buf       []byte    // the rest of the slice, or the buffer of the stream
	in        io.Reader // nil for a slice
	remaining int64
	err       error
}

// NewReader returns a Reader of b, which it does not modify.
func NewReader(b []byte) *Reader { return &Reader{buf: b, remaining: int64(len(b))} }

// NewStreamReader returns a Reader of a stream. size is the number of bytes that it
// may read. It reads only the bytes of the requested values.
func NewStreamReader(in io.Reader, size int64) *Reader {
	return &Reader{in: in, remaining: size}
}

// Err returns the first error, or nil.
func (r *Reader) Err() error { return r.err }

// Remaining returns the number of bytes that are left, or 0 after an error.
func (r *Reader) Remaining() int64 { return r.remaining }

// End returns the first error. It is also an error if bytes are left.
func (r *Reader) End() error {
	if r.remaining > 0 {
		r.Fail("unexpected bytes after the end")
	}
	return r.err
}

// Fail records an error with the given cause that wraps ErrMalformed. It does nothing after an
// earlier error.
func (r *Reader) Fail(cause string) {
	if r.err == nil {
		r.FailWith(fmt.Errorf("%w: %s", ErrMalformed, cause))
	}
}

// FailWith records an error, unless there is one already.
func (r *Reader) FailWith(err error) {
	if r.err == nil {
		r.err = err
	}
	r.remaining = 0
}

// Next returns the next n bytes, or nil after an error. The bytes are valid until the next call of
// a method of r and must not be modified.
func (r *Reader) Next(n int) []byte {
	if n < 0 || int64(n) > r.remaining {
		r.Fail("unexpected end")
		return nil
	}
	r.remaining -= int64(n)
	if r.in == nil {
		b := r.buf[:n:n]
		r.buf = r.buf[n:]
		return b
	}
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	b := r.buf[:n]
	switch _, err := io.ReadFull(r.in, b); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		r.Fail("unexpected end")
		return nil
	case err != nil:
		r.FailWith(err)
		return nil
	}
	return b
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Next(1); b != nil {
		return b[0]
	}
	return 0
}

// Bool reads a byte that must be 0 or 1.
func (r *Reader) Bool() bool {
	b := r.Byte()
	if b > 1 {
		r.Fail("invalid flag")
	}
	return b == 1
}

// Uint16 reads a number of two bytes.
func (r *Reader) Uint16() uint16 {
	if b := r.Next(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// Uint32 reads a number of four bytes.
func (r *Reader) Uint32() uint32 {
	if b := r.Next(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads a number of eight bytes.
func (r *Reader) Uint64() uint64 {
	if b := r.Next(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Uvarint reads a uvarint that must be in low … high. It returns low after an error.
func (r *Reader) Uvarint(low, high int) int {
	n, ok := r.uvarint()
	if !ok || n < uint64(low) || n > uint64(max(high, 0)) {
		r.Fail("number out of range")
		return low
	}
	return int(n)
}

func (r *Reader) uvarint() (value uint64, ok bool) {
	if r.err == nil && r.in == nil {
		n, size := binary.Uvarint(r.buf)
		if size <= 0 {
			return 0, false
		}
		r.buf = r.buf[size:]
		r.remaining -= int64(size)
		return n, true
	}
	var b [binary.MaxVarintLen64]byte
	for i := range b {
		b[i] = r.Byte()
		if b[i] < 0x80 {
			n, size := binary.Uvarint(b[:i+1])
			return n, size > 0 && r.err == nil
		}
	}
	return 0, false
}

// Count reads the number of elements that follow, a uvarint. It fails if fewer bytes are left than
// this number of elements needs, at itemSize bytes each.
func (r *Reader) Count(itemSize int) int {
	n := r.Uvarint(0, math.MaxInt32)
	return r.checkCount(int64(n), itemSize)
}

// Count32 does the same as Count for a number of elements that is stored in four bytes.
func (r *Reader) Count32(itemSize int) int { return r.checkCount(int64(r.Uint32()), itemSize) }

func (r *Reader) checkCount(n int64, itemSize int) int {
	if n*int64(itemSize) > r.remaining {
		r.Fail("unexpected end")
		return 0
	}
	return int(n)
}

// Float64 reads a float64, which may be NaN or infinite.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// FiniteFloat64 reads a float64 that must be finite.
func (r *Reader) FiniteFloat64() float64 {
	x := r.Float64()
	if math.IsNaN(x) || math.IsInf(x, 0) {
		r.Fail("number is not finite")
		return 0
	}
	return x
}

// Float32s reads n float32 values, which may be NaN or infinite. It returns nil after an
// error.
func (r *Reader) Float32s(n int) []float32 {
	if n < 0 || int64(n) > r.remaining/4 {
		r.Fail("unexpected end")
		return nil
	}
	b := r.Next(4 * n)
	if r.err != nil {
		return nil
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return values
}

// FiniteFloat32s reads n float32 values that must be finite. It returns nil after an
// error.
func (r *Reader) FiniteFloat32s(n int) []float32 {
	values := r.Float32s(n)
	for _, v := range values {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			r.Fail("number is not finite")
			return nil
		}
	}
	return values
}
