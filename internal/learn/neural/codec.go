package neural

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// version is the first byte of the binary form.
const version = 1

// The largest sizes of a valid model, such that products of sizes fit an int.
// The memory of a model is limited by the length of its binary form.
const (
	maxCount = 1 << 20 // columns, levels, knots, classes
	maxWidth = 1 << 14 // units, outputs of an embedding
	maxStack = 1 << 6  // members, layers
)

// AppendBinary appends the model's binary form to b, little endian:
//
//	version, classes, members, layers, width, embedding size, inputs
//	input:   numeric, column; numeric: flag, centre, scale, knots; else: levels
//	float32  every parameter, in the order of layout
//
// Counts are uvarints; centre, scale and knots are float64.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	if m.l == nil {
		return b, errors.New("neural: empty model")
	}
	b = append(b, version)
	for _, n := range []int{m.l.classes, m.l.members, len(m.l.dense), m.l.width, m.e.embeddingSize, len(m.e.inputs)} {
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

// append appends the binary form of one column.
func (in *inputColumn) append(b []byte) []byte {
	b = append(b, bit(in.numeric))
	b = binary.AppendUvarint(b, uint64(in.column))
	if !in.numeric {
		b = binary.AppendUvarint(b, uint64(len(in.rowOfLevel)))
		for _, l := range in.rowOfLevel {
			b = binary.AppendUvarint(b, uint64(l))
		}
		return b
	}
	b = append(b, bit(in.missingFlag))
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

// UnmarshalBinary sets m to the model with the binary form b. It changes m only
// if the error is nil.
func (m *Model) UnmarshalBinary(b []byte) error {
	r := &modelReader{rest: b}
	if v := r.byte(); r.err == nil && v != version {
		return fmt.Errorf("neural: model version %d, want %d", v, version)
	}
	classes, members, layers := r.uvarint(2, maxCount), r.uvarint(1, maxStack), r.uvarint(1, maxStack)
	width, size := r.uvarint(1, maxWidth), r.uvarint(1, maxWidth)
	inputs := r.uvarint(0, min(maxCount, len(r.rest)))
	e := &encoder{embeddingSize: size, inputs: make([]inputColumn, 0, inputs)}
	for range inputs {
		e.inputs = append(e.inputs, r.inputColumn())
	}
	if r.err != nil {
		return r.err
	}
	e.assignIndices()
	// Check the sizes against the bytes that are left before allocating.
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

// modelReader reads the binary form of a model. After the first error all
// values read are zero.
type modelReader struct {
	rest []byte
	err  error
}

// fail sets the first error and drops the rest.
func (r *modelReader) fail(what string) {
	if r.err == nil {
		r.err = errors.New("neural: malformed model: " + what)
	}
	r.rest = nil
}

func (r *modelReader) byte() byte {
	if len(r.rest) < 1 {
		r.fail("cut short")
		return 0
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v
}

func (r *modelReader) bit() bool {
	v := r.byte()
	if v > 1 {
		r.fail("flag out of range")
	}
	return v == 1
}

func (r *modelReader) float() float64 {
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

// uvarint reads a number from low to high.
func (r *modelReader) uvarint(low, high int) int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v < uint64(low) || v > uint64(max(high, 0)) {
		r.fail("count out of range")
		return low
	}
	r.rest = r.rest[n:]
	return int(v)
}

// inputColumn reads one column.
func (r *modelReader) inputColumn() inputColumn {
	in := inputColumn{numeric: r.bit()}
	in.column = r.uvarint(0, maxCount)
	if !in.numeric {
		n := r.uvarint(2, min(maxCount, len(r.rest)))
		in.rowOfLevel = make([]int32, n)
		for i := range in.rowOfLevel {
			in.rowOfLevel[i] = int32(r.uvarint(unknownRow, n))
			in.tableRows = max(in.tableRows, int(in.rowOfLevel[i])+1)
		}
		return in
	}
	in.missingFlag = r.bit()
	in.center, in.scale = r.float(), r.float()
	in.knots = make([]float64, r.uvarint(0, len(r.rest)/8))
	for i := range in.knots {
		in.knots[i] = r.float()
		if i > 0 && in.knots[i] <= in.knots[i-1] {
			r.fail("knots out of order")
		}
	}
	if len(in.knots) == 1 {
		r.fail("a single knot")
	}
	in.tableRows = len(in.knots)
	return in
}
