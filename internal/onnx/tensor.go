package onnx

import (
	"encoding/binary"
	"math"
)

// Type is the type of the elements of a tensor: TensorProto.DataType.
type Type int

// The types of elements that this package uses.
const (
	Float32 Type = 1
	Uint8   Type = 2
	Int64   Type = 7
	String  Type = 8
	Float64 Type = 11
)

// newTensor returns a TensorProto without data.
func newTensor(t Type, dims []int) *message {
	m := new(message)
	for _, n := range dims {
		m.appendVarint(1, uint64(n))
	}
	m.appendVarint(2, uint64(t))
	return m
}

// rawTensor returns a TensorProto whose elements have the given bytes.
func rawTensor(t Type, dims []int, name string, raw []byte) *message {
	m := newTensor(t, dims)
	if name != "" {
		m.appendText(8, name)
	}
	m.appendBytes(9, raw)
	return m
}

func float64Bytes(values []float64) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func float32Bytes(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func int64Bytes(values []int) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}
