package onnx

import (
	"encoding/binary"
	"io"
)

// message is a message in the binary form of Protocol Buffers. Long fields are not copied
// into it, so that a large model is in memory only once. The zero value is an empty
// message.
type message struct {
	// parts are the bytes so far, except the bytes in tail.
	parts [][]byte
	tail  []byte
	// size is the number of bytes in parts and tail together.
	size int
}

// The wire types of Protocol Buffers.
const (
	wireVarint = 0
	wireBytes  = 2
)

// appendVarint appends a field with an integer. A negative integer must be converted to uint64.
func (m *message) appendVarint(field int, value uint64) {
	before := len(m.tail)
	m.tail = appendTag(m.tail, field, wireVarint)
	m.tail = binary.AppendUvarint(m.tail, value)
	m.size += len(m.tail) - before
}

// appendBytes appends a field with the bytes b, which must not change afterwards.
func (m *message) appendBytes(field int, b []byte) {
	m.appendFieldHeader(field, len(b))
	m.appendRaw(b)
}

// appendText appends a field with a text.
func (m *message) appendText(field int, s string) { m.appendBytes(field, []byte(s)) }

// appendMessage appends a field with the message sub, which must not change afterwards.
func (m *message) appendMessage(field int, sub *message) {
	m.appendFieldHeader(field, sub.size)
	m.appendFieldsOf(sub)
}

// appendFieldsOf appends the fields of other, which must not change afterwards.
func (m *message) appendFieldsOf(other *message) {
	for _, part := range other.parts {
		m.appendRaw(part)
	}
	m.appendRaw(other.tail)
}

// appendFieldHeader appends the tag and the length of a field.
func (m *message) appendFieldHeader(field, length int) {
	before := len(m.tail)
	m.tail = appendTag(m.tail, field, wireBytes)
	m.tail = binary.AppendUvarint(m.tail, uint64(length))
	m.size += len(m.tail) - before
}

// maxCopiedBytes is the largest length, in bytes, of a part that is copied. Longer parts are
// only referred to.
const maxCopiedBytes = 256

// appendRaw appends the bytes b, which must not change afterwards.
func (m *message) appendRaw(b []byte) {
	m.size += len(b)
	if len(b) <= maxCopiedBytes {
		m.tail = append(m.tail, b...)
		return
	}
	m.parts = append(m.parts, m.tail, b)
	m.tail = nil
}

func (m *message) writeTo(w io.Writer) error {
	for _, part := range m.parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	_, err := w.Write(m.tail)
	return err
}

func appendTag(b []byte, field, wire int) []byte {
	return binary.AppendUvarint(b, uint64(field)<<3|uint64(wire))
}
