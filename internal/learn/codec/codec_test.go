package codec

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"testing/iotest"
)

// written returns the binary form of one value of each kind.
func written(t *testing.T) []byte {
	t.Helper()
	w := NewWriter([]byte("x"))
	w.Bytes(7)
	w.Bool(true)
	w.Uint16(1 << 15)
	w.Uint32(1 << 31)
	w.Uint64(1 << 63)
	w.Uvarint(300)
	w.Float64(math.Pi)
	w.Uvarint(2)
	w.Float32s([]float32{1, 2})
	w.Append(func(b []byte) ([]byte, error) { return append(b, 9), nil })
	b, err := w.Result()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimPrefix(b, []byte("x"))
}

// readAll reads the result of written and reports whether all values are those that were
// written.
func readAll(r *Reader) (equal bool) {
	equal = r.Byte() == 7 && r.Bool() && r.Uint16() == 1<<15 && r.Uint32() == 1<<31 && r.Uint64() == 1<<63
	equal = r.Uvarint(300, 300) == 300 && r.FiniteFloat64() == math.Pi && equal
	values := r.FiniteFloat32s(r.Count(4))
	return len(values) == 2 && values[0] == 1 && values[1] == 2 && r.Byte() == 9 && equal
}

func TestRoundTrip(t *testing.T) {
	b := written(t)
	for name, r := range map[string]*Reader{
		"slice":        NewReader(b),
		"stream":       NewStreamReader(bytes.NewReader(b), int64(len(b))),
		"short_stream": NewStreamReader(iotest.OneByteReader(bytes.NewReader(b)), int64(len(b))),
	} {
		if !readAll(r) {
			t.Errorf("%s: values differ", name)
		}
		if err := r.End(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTruncatedInputIsMalformed(t *testing.T) {
	b := written(t)
	for n := range b {
		for _, r := range []*Reader{
			NewReader(b[:n]),
			NewStreamReader(bytes.NewReader(b[:n]), int64(n)),
			NewStreamReader(bytes.NewReader(b[:n]), int64(len(b))),
		} {
			readAll(r)
			if err := r.End(); !errors.Is(err, ErrMalformed) {
				t.Fatalf("%d of %d bytes: %v", n, len(b), err)
			}
			if r.Byte() != 0 || r.Uvarint(3, 5) != 3 || r.Next(0) != nil && len(r.Next(0)) > 0 {
				t.Fatalf("%d of %d bytes: read a value after the error", n, len(b))
			}
		}
	}
}

func TestInvalidValuesAreMalformed(t *testing.T) {
	var huge, nan Writer
	huge.Uvarint(1 << 30)
	nan.Float64(math.NaN())
	for name, read := range map[string]func() *Reader{
		"flag":           func() *Reader { r := NewReader([]byte{2}); r.Bool(); return r },
		"below_range":    func() *Reader { r := NewReader([]byte{2}); r.Uvarint(3, 9); return r },
		"above_range":    func() *Reader { r := NewReader([]byte{2}); r.Uvarint(0, 1); return r },
		"huge_count":     func() *Reader { r := NewReader(huge.Data()); r.Count(1); return r },
		"huge_floats":    func() *Reader { r := NewReader(nil); r.Float32s(math.MaxInt); return r },
		"not_finite":     func() *Reader { r := NewReader(nan.Data()); r.FiniteFloat64(); return r },
		"bytes_left":     func() *Reader { r := NewReader([]byte{1, 2}); r.Byte(); return r },
		"negative_bytes": func() *Reader { r := NewReader([]byte{1, 2}); r.Next(-1); return r },
	} {
		if err := read().End(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFirstErrorIsKept(t *testing.T) {
	broken := errors.New("broken")
	r := NewStreamReader(io.MultiReader(bytes.NewReader([]byte{1}), iotest.ErrReader(broken)), 9)
	r.Byte()
	r.Uint32()
	r.Fail("later")
	if err := r.End(); !errors.Is(err, broken) || errors.Is(err, ErrMalformed) {
		t.Errorf("reader: %v", err)
	}
	var w Writer
	w.Append(func([]byte) ([]byte, error) { return nil, broken })
	w.Bytes(1)
	if b, err := w.Result(); !errors.Is(err, broken) || b != nil {
		t.Errorf("writer: %v, %v", b, err)
	}
}
