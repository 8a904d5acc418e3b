package neural

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// version is the first byte of a model's bytes.
const version = 1

// The largest sizes a model may claim. They keep products of sizes within an
// int; what a model may allocate is bounded by its own length.
const (
	maxCount = 1 << 20 // columns, levels, knots, classes
	maxWidth = 1 << 14 // units, outputs of an embedding
	maxStack = 1 << 6  // members, layers
)

// AppendBinary appends the model's bytes to b, little endian:
//
//	version, classes, members, layers, width, embedding size, inputs
//	input:   numeric, column; numeric: flag, centre, scale, knots; else: levels
//	float32  every parameter, in the order of layout
//
// Counts are unsigned varints, centre, scale and knots float64.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	if m.l == nil {
		return b, errors.New("neural: empty model")
	}
	b = append(b, version)
	for _, n := range []int{m.l.classes, m.l.members, len(m.l.dense), m.l.width, m.e.size, len(m.e.inputs)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for i := range m.e.inputs {
		b = m.e.inputs[i].append(b)
	}
	b = slices.Grow(b, 4*len(m.params))
	for _, v := range m.params {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b, nil
}

// append appends the bytes of one input.
func (in *input) append(b []byte) []byte {
	b = append(b, bit(in.numeric))
	b = binary.AppendUvarint(b, uint64(in.column))
	if !in.numeric {
		b = binary.AppendUvarint(b, uint64(len(in.level)))
		for _, l := range in.level {
			b = binary.AppendUvarint(b, uint64(l))
		}
		return b
	}
	b = append(b, bit(in.flag))
	b = appendFloat(b, in.center)
	b = appendFloat(b, in.scale)
	b = binary.AppendUvarint(b, uint64(len(in.knots)))
	for _, k := range in.knots {
		b = appendFloat(b, k)
	}
	return b
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// UnmarshalBinary makes m the model that AppendBinary wrote. Any other bytes
// are an error, and leave m as it was.
func (m *Model) UnmarshalBinary(b []byte) error {
	r := &reader{rest: b}
	if v := r.byte(); r.err == nil && v != version {
		return fmt.Errorf("neural: model version %d, want %d", v, version)
	}
	classes, members, layers := r.count(2, maxCount), r.count(1, maxStack), r.count(1, maxStack)
	width, size := r.count(1, maxWidth), r.count(1, maxWidth)
	inputs := r.count(0, min(maxCount, len(r.rest)))
	e := &encoder{size: size, inputs: make([]input, 0, inputs)}
	for range inputs {
		e.inputs = append(e.inputs, r.input())
	}
	if r.err != nil {
		return r.err
	}
	e.arrange()
	// What the model claims to hold must be what is there, before anything of
	// that size is made.
	l := newLayout(e, Options{Classes: classes, Members: members, Layers: layers, Width: width})
	if l.params != len(r.rest)/4 || len(r.rest)%4 != 0 {
		return fmt.Errorf("neural: %d bytes of parameters, want %d of them", len(r.rest), l.params)
	}
	params := make([]float32, l.params)
	for i := range params {
		params[i] = math.Float32frombits(binary.LittleEndian.Uint32(r.rest[4*i:]))
	}
	*m = *newModel(e, l, params)
	return nil
}

// reader takes a model's bytes apart. After the first error it reads zeros.
type reader struct {
	rest []byte
	err  error
}

// fail remembers the first error and drops the rest.
func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = errors.New("neural: malformed model: " + what)
	}
	r.rest = nil
}

func (r *reader) byte() byte {
	if len(r.rest) < 1 {
		r.fail("cut short")
		return 0
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v
}

func (r *reader) bit() bool {
	v := r.byte()
	if v > 1 {
		r.fail("flag out of range")
	}
	return v == 1
}

func (r *reader) float() float64 {
	if len(r.rest) < 8 {
		r.fail("cut short")
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(r.rest))
	r.rest = r.rest[8:]
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.fail("number out of range")
	}
	return v
}

// count reads a varint of at least low and at most high.
func (r *reader) count(low, high int) int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v < uint64(low) || v > uint64(max(high, 0)) {
		r.fail("count out of range")
		return low
	}
	r.rest = r.rest[n:]
	return int(v)
}

// input reads one column's input.
func (r *reader) input() input {
	in := input{numeric: r.bit()}
	in.column = r.count(0, maxCount)
	if !in.numeric {
		n := r.count(2, min(maxCount, len(r.rest)))
		in.level = make([]int32, n)
		for i := range in.level {
			in.level[i] = int32(r.count(unknown, n))
			in.rows = max(in.rows, int(in.level[i])+1)
		}
		return in
	}
	in.flag = r.bit()
	in.center, in.scale = r.float(), r.float()
	in.knots = make([]float64, r.count(0, len(r.rest)/8))
	for i := range in.knots {
		in.knots[i] = r.float()
		if i > 0 && in.knots[i] <= in.knots[i-1] {
			r.fail("knots out of order")
		}
	}
	if len(in.knots) == 1 {
		r.fail("a single knot")
	}
	in.rows = len(in.knots)
	return in
}
