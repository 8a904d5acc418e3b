package onnx

import "encoding/binary"

// Attribute is an attribute of an operator: an AttributeProto.
type Attribute struct{ body message }

// The types of attributes: AttributeProto.AttributeType.
const (
	attributeInt     = 2
	attributeTensor  = 4
	attributeInts    = 7
	attributeStrings = 8
)

// IntAttribute returns an attribute with an integer.
func IntAttribute(name string, value int) Attribute {
	a := newAttribute(name, attributeInt)
	a.body.appendVarint(3, uint64(value))
	return a
}

// axisAttribute returns the attribute "axes" with one axis. The axis -1 is the last one.
func axisAttribute(axis int) Attribute {
	return packedIntsAttribute("axes", binary.AppendUvarint(nil, uint64(axis)))
}

// packedIntsAttribute returns an attribute with several integers. packed holds the integers as
// varints.
func packedIntsAttribute(name string, packed []byte) Attribute {
	a := newAttribute(name, attributeInts)
	a.body.appendBytes(8, packed)
	return a
}

// encodedStringsAttribute returns an attribute with texts. encoded holds the texts, which
// appendString has appended one after another.
func encodedStringsAttribute(name string, encoded []byte) Attribute {
	a := newAttribute(name, attributeStrings)
	a.body.appendRaw(encoded)
	return a
}

// appendString appends a text, encoded as a field of an attribute, to b.
func appendString(b []byte, s string) []byte {
	b = appendTag(b, 9, wireBytes)
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// tensor64Attribute returns an attribute with a vector of n float64 numbers. raw holds
// their bytes.
func tensor64Attribute(name string, n int, raw []byte) Attribute {
	a := newAttribute(name, attributeTensor)
	a.body.appendMessage(5, rawTensor(Float64, []int{n}, "", raw))
	return a
}

func newAttribute(name string, kind uint64) (a Attribute) {
	a.body.appendText(1, name)
	a.body.appendVarint(20, kind)
	return a
}
