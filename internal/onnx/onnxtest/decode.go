package onnxtest

import (
	"encoding/binary"
	"fmt"
	"math"
)

// field is a field of a message: an integer or bytes.
type field struct {
	number int    // identifies the field
	value  uint64 // the integer or, for bytes, their length
	bytes  []byte // nil for an integer
}

// message holds the fields of a message, in their order.
type message []field

func decode(b []byte) (m message, err error) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, fmt.Errorf("invalid tag")
		}
		b = b[n:]
		value, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, fmt.Errorf("invalid number in field %d", tag>>3)
		}
		b = b[n:]
		f := field{number: int(tag >> 3), value: value}
		switch tag & 7 {
		case 0:
		case 2:
			if value > uint64(len(b)) {
				return nil, fmt.Errorf("field %d has %d bytes, but %d are left", tag>>3, value, len(b))
			}
			f.bytes, b = b[:value], b[value:]
		default:
			return nil, fmt.Errorf("field %d has wire type %d", tag>>3, tag&7)
		}
		m = append(m, f)
	}
	return m, nil
}

// visitAll calls visit with each field that has the given number.
func (m message) visitAll(number int, visit func(f field)) {
	for _, f := range m {
		if f.number == number {
			visit(f)
		}
	}
}

func (m message) text(number int) (s string) {
	m.visitAll(number, func(f field) { s = string(f.bytes) })
	return s
}

func (m message) texts(number int) (list []string) {
	m.visitAll(number, func(f field) { list = append(list, string(f.bytes)) })
	return list
}

func (m message) number(number int) (n int) {
	m.visitAll(number, func(f field) { n = int(f.value) })
	return n
}

// numbers returns the integers of a repeated field, which may be packed.
func (m message) numbers(number int) (list []int) {
	m.visitAll(number, func(f field) {
		if f.bytes == nil {
			list = append(list, int(f.value))
			return
		}
		for b := f.bytes; len(b) > 0; {
			v, n := binary.Uvarint(b)
			list, b = append(list, int(v)), b[max(n, 1):]
		}
	})
	return list
}

// message returns the message in the last field of m with the given number. It is empty if
// there is no such field.
func (m message) message(number int) (sub message) {
	m.visitAll(number, func(f field) {
		var err error
		if sub, err = decode(f.bytes); err != nil {
			panic(err)
		}
	})
	return sub
}

// messages returns the messages of a repeated field.
func (m message) messages(number int) (list []message) {
	m.visitAll(number, func(f field) { list = append(list, message{f}.message(number)) })
	return list
}

// The types of TensorProto.
const (
	typeFloat32 = 1
	typeUint8   = 2
	typeInt64   = 7
	typeString  = 8
	typeBool    = 9
	typeFloat64 = 11
)

// tensor decodes a TensorProto.
func (m message) tensor() *Tensor {
	t := &Tensor{kind: m.number(2), Dims: m.numbers(1), Texts: m.texts(6)}
	var raw []byte
	m.visitAll(9, func(f field) { raw = f.bytes })
	switch t.kind {
	case typeFloat32:
		for ; len(raw) > 0; raw = raw[4:] {
			t.Numbers = append(t.Numbers, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		}
	case typeFloat64:
		for ; len(raw) > 0; raw = raw[8:] {
			t.Numbers = append(t.Numbers, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		}
	case typeInt64:
		for ; len(raw) > 0; raw = raw[8:] {
			t.Numbers = append(t.Numbers, float64(int64(binary.LittleEndian.Uint64(raw))))
		}
	case typeUint8:
		for _, v := range raw {
			t.Numbers = append(t.Numbers, float64(v))
		}
	case typeString:
	default:
		panic(fmt.Sprintf("tensor of type %d", t.kind))
	}
	if size := product(t.Dims); size != len(t.Numbers)+len(t.Texts) {
		panic(fmt.Sprintf("dimensions %v for %d elements", t.Dims, len(t.Numbers)+len(t.Texts)))
	}
	return t
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
