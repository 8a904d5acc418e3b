package learn

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"foretell/internal/frame"
	"foretell/internal/learn/metric"
)

// The model file, all numbers little endian:
//
//	"FORETELL"             8 bytes
//	version                uint16
//	schema                 uint32 length, JSON
//	algorithm              uint32 length, text
//	temperature            float64
//	weights                uint32 count, 0 or one a class; float64 each
//	members                uint32 count, at least 1; for each
//	    kind               uint8, of its method
//	    weight             float64, positive
//	    columns            in version 2: uint32 count, 0 if it sees all columns of
//	                       the schema, else uint32 each, ascending
//	    predictor          uint32 length, bytes of the method's own
//	SHA-256 of all before  32 bytes
//
// It is of version 2 if a member does not see all columns, else of version 1.
const (
	magic           = "FORETELL"
	version         = 1
	versionScreened = 2
)

// version returns the version of the model's file.
func (m *Model) version() uint16 {
	for _, one := range m.members {
		if _, columns := unscreened(one.predictor); columns != nil {
			return versionScreened
		}
	}
	return version
}

// WriteTo writes the model file, a member at a time, and returns its length.
// Equal models give equal bytes.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	version := m.version()
	head, err := m.head(version)
	if err != nil {
		return 0, err
	}
	sum := sha256.New()
	size := int64(0)
	put := func(parts ...[]byte) (err error) {
		for _, b := range parts {
			if err == nil {
				sum.Write(b)
				var n int
				n, err = w.Write(b)
				size += int64(n)
			}
		}
		return err
	}
	if err := put(head); err != nil {
		return size, err
	}
	var inner []byte
	for _, part := range m.members {
		seen, columns := unscreened(part.predictor)
		if inner, err = seen.AppendBinary(inner[:0]); err != nil {
			return size, fmt.Errorf("%s: %w", m.algorithm, err)
		}
		if len(inner) > math.MaxUint32 {
			return size, fmt.Errorf("%s: %d bytes are too many for a model file", m.algorithm, len(inner))
		}
		b := appendFloat([]byte{part.kind}, part.weight)
		if version == versionScreened {
			b = binary.LittleEndian.AppendUint32(b, uint32(len(columns)))
			for _, i := range columns {
				b = binary.LittleEndian.AppendUint32(b, uint32(i))
			}
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(len(inner)))
		if err := put(b, inner); err != nil {
			return size, err
		}
	}
	err = put(sum.Sum(nil))
	return size, err
}

// head returns what comes before the members in a file of the given version.
func (m *Model) head(version uint16) ([]byte, error) {
	schema, err := json.Marshal(m.schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	b := binary.LittleEndian.AppendUint16([]byte(magic), version)
	b = appendBlob(b, schema)
	b = appendBlob(b, []byte(m.algorithm))
	b = appendFloat(b, float64(m.temperature))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.weights)))
	for _, w := range m.weights {
		b = appendFloat(b, w)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(len(m.members))), nil
}

func appendBlob(b, blob []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(blob))), blob...)
}

func appendFloat(b []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

// errDamaged is the error of bytes that are not a whole model file.
var errDamaged = errors.New("the model file is damaged")

// errForeign is the error of bytes that do not begin as a model file does.
var errForeign = errors.New("this is not a model file")

// VerifyModel returns nil if r, of the given length, holds a whole model file of
// any version: one that begins with its magic and ends with the sum of all before.
func VerifyModel(r io.Reader, size int64) error {
	begin, sum, end := make([]byte, len(magic)), sha256.New(), make([]byte, sha256.Size)
	if size < int64(len(begin)+len(end)) {
		return errDamaged
	}
	if _, err := io.ReadFull(r, begin); err != nil {
		return err
	}
	if string(begin) != magic {
		return errForeign
	}
	sum.Write(begin)
	if _, err := io.CopyN(sum, r, size-int64(len(begin)+len(end))); err != nil {
		return err
	}
	if _, err := io.ReadFull(r, end); err != nil {
		return err
	}
	if !bytes.Equal(end, sum.Sum(nil)) {
		return errDamaged
	}
	return nil
}

// ReadModel reads a model file of the given length, a member at a time.
func ReadModel(r io.Reader, size int64) (*Model, error) { return readModel(r, size, methods) }

func readModel(in io.Reader, size int64, methods []method) (*Model, error) {
	sum := sha256.New()
	r := &fileReader{in: io.TeeReader(in, sum), left: size - sha256.Size}
	if begin := string(r.take(len(magic))); begin != magic && (r.err == nil || errors.Is(r.err, errDamaged)) {
		return nil, errForeign
	}
	v := r.version()
	if v != version && v != versionScreened && r.err == nil {
		return nil, fmt.Errorf("model file of version %d: this program reads versions %d and %d", v, version, versionScreened)
	}
	m := &Model{schema: r.schema(), algorithm: string(r.blob())}
	m.temperature = metric.Temperature(r.float())
	m.weights = r.weights()
	for n := r.count(1 + 8 + 4); n > 0 && r.err == nil; n-- {
		m.members = append(m.members, r.member(methods, v, len(m.schema.Columns)))
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case r.left > 0, len(m.members) == 0:
		return nil, errDamaged
	case m.weights != nil && len(m.weights) != m.classes():
		return nil, errDamaged
	case !(m.temperature > 0) || math.IsInf(float64(m.temperature), 1):
		return nil, errDamaged
	}
	whole := sum.Sum(nil)
	if r.left = sha256.Size; !bytes.Equal(r.take(sha256.Size), whole) {
		return nil, cmp.Or(r.err, errDamaged)
	}
	return m, m.probe()
}

// probe predicts a row of empty cells, to find out whether the members agree
// with the schema on the numbers of columns and classes.
func (m *Model) probe() error {
	f := &frame.Frame{Schema: m.schema, Rows: 1, Columns: make([]frame.Column, len(m.schema.Columns))}
	for i := range f.Columns {
		if m.schema.Columns[i].Kind == frame.Numeric {
			f.Columns[i].Floats = []float64{frame.NaN}
		} else {
			f.Columns[i].Codes = []int32{frame.Missing}
		}
	}
	dst := make([]float32, m.classes())
	err := guarded(func() error {
		m.predict(dst, f, 0, 1)
		return nil
	})
	sum := 0.0
	for _, q := range dst {
		sum += float64(q)
	}
	if err != nil || !(math.Abs(sum-1) < 1e-3) {
		return errDamaged
	}
	return nil
}

// fileReader takes a model file apart from the front. After the first fault
// everything it returns is zero.
type fileReader struct {
	in   io.Reader
	left int64 // bytes that are still to come
	room []byte
	err  error
}

// take returns the next n bytes, which stand until the next call.
func (r *fileReader) take(n int) []byte {
	if r.err == nil && int64(n) > r.left {
		r.err = errDamaged
	}
	if r.err != nil {
		return nil
	}
	if cap(r.room) < n {
		r.room = make([]byte, n)
	}
	taken := r.room[:n]
	switch _, err := io.ReadFull(r.in, taken); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		r.err = errDamaged
	case err != nil:
		r.err = fmt.Errorf("reading the model file: %w", err)
	}
	if r.err != nil {
		return nil
	}
	r.left -= int64(n)
	return taken
}

func (r *fileReader) version() uint16 {
	b := r.take(2)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint16(b)
}

// count reads the number of things that take at least size bytes each.
func (r *fileReader) count(size int) int {
	b := r.take(4)
	if b == nil {
		return 0
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n*int64(size) > r.left {
		r.err = errDamaged
		return 0
	}
	return int(n)
}

func (r *fileReader) blob() []byte { return r.take(r.count(1)) }

func (r *fileReader) float() float64 {
	b := r.take(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

func (r *fileReader) weights() []float64 {
	n := r.count(8)
	if n == 0 {
		return nil
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = r.float()
		if !(weights[i] >= 0) || math.IsInf(weights[i], 1) {
			r.err = errDamaged
		}
	}
	return weights
}

func (r *fileReader) schema() *frame.Schema {
	s := new(frame.Schema)
	blob := r.blob()
	if r.err != nil {
		return s
	}
	if err := json.Unmarshal(blob, s); err != nil {
		r.err = fmt.Errorf("%w: schema: %w", errDamaged, err)
		return s
	}
	if len(s.Classes) < 2 || !s.Valid() {
		r.err = errDamaged
	}
	return s
}

// member reads a member of a file of the given version, whose schema has features
// columns.
func (r *fileReader) member(methods []method, version uint16, features int) member {
	one := member{kind: r.kind(), weight: r.float()}
	var columns []int32
	if version == versionScreened {
		columns = r.columns(features)
	}
	inner := r.blob()
	if !(one.weight > 0 && one.weight <= 1) {
		r.err = cmp.Or(r.err, errDamaged)
	}
	if r.err != nil {
		return member{}
	}
	for _, m := range methods {
		if m.kind == one.kind {
			if one.predictor, r.err = m.read(inner); r.err != nil {
				r.err = fmt.Errorf("%w: %w", errDamaged, r.err)
			}
			if columns != nil {
				one.predictor = screenedModel{one.predictor, columns}
			}
			return one
		}
	}
	r.err = errDamaged
	return member{}
}

// columns reads ascending places of columns, nil for none.
func (r *fileReader) columns(features int) []int32 {
	n := r.count(4)
	if n == 0 {
		return nil
	}
	columns := make([]int32, n)
	for i := range columns {
		b := r.take(4)
		if b == nil {
			return nil
		}
		at := binary.LittleEndian.Uint32(b)
		if at >= uint32(features) || i > 0 && int32(at) <= columns[i-1] {
			r.err = errDamaged
			return nil
		}
		columns[i] = int32(at)
	}
	return columns
}

func (r *fileReader) kind() uint8 {
	b := r.take(1)
	if b == nil {
		return 0
	}
	return b[0]
}
