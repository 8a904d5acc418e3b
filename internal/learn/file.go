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
//	    kind               uint8, of its algorithm
//	    weight             float64, positive
//	    columns            in version 2: uint32 count, 0 for all columns of the
//	                       schema; uint32 each, ascending
//	    predictor          uint32 length, the binary form of the predictor
//	SHA-256 of the above   32 bytes
//
// The version is 2 if a member does not use all columns, else 1.
const (
	magic           = "FORETELL"
	version         = 1
	versionScreened = 2
)

// version returns the version of the model's binary form.
func (m *Model) version() uint16 {
	for _, one := range m.members {
		if _, columns := unwrapScreened(one.predictor); columns != nil {
			return versionScreened
		}
	}
	return version
}

// WriteTo writes the model file, a member at a time, and returns its length.
// Equal models have equal bytes.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	version := m.version()
	head, err := m.header(version)
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
	for _, fold := range m.members {
		seen, columns := unwrapScreened(fold.predictor)
		if inner, err = seen.AppendBinary(inner[:0]); err != nil {
			return size, fmt.Errorf("%s: %w", m.algorithm, err)
		}
		if len(inner) > math.MaxUint32 {
			return size, fmt.Errorf("%s: %d bytes are too many for a model file", m.algorithm, len(inner))
		}
		b := appendFloat([]byte{fold.kind}, fold.weight)
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

// header returns the part of the file before the members.
func (m *Model) header(version uint16) ([]byte, error) {
	schema, err := json.Marshal(m.schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	b := binary.LittleEndian.AppendUint16([]byte(magic), version)
	b = appendBytes(b, schema)
	b = appendBytes(b, []byte(m.algorithm))
	b = appendFloat(b, float64(m.temperature))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.weights)))
	for _, w := range m.weights {
		b = appendFloat(b, w)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(len(m.members))), nil
}

func appendBytes(b, blob []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(blob))), blob...)
}

func appendFloat(b []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

// errDamaged is returned for a truncated or modified model file.
var errDamaged = errors.New("the model file is damaged")

// errNotModel is returned for a file without the magic of a model file.
var errNotModel = errors.New("this is not a model file")

// VerifyModel returns nil if r, of the given length, is a complete model file of
// any version: it begins with the magic and ends with the right checksum.
func VerifyModel(r io.Reader, size int64) error {
	begin, sum, end := make([]byte, len(magic)), sha256.New(), make([]byte, sha256.Size)
	if size < int64(len(begin)+len(end)) {
		return errDamaged
	}
	if _, err := io.ReadFull(r, begin); err != nil {
		return err
	}
	if string(begin) != magic {
		return errNotModel
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
func ReadModel(r io.Reader, size int64) (*Model, error) { return readModel(r, size, algorithms) }

func readModel(in io.Reader, size int64, algorithms []algorithm) (*Model, error) {
	sum := sha256.New()
	r := &fileReader{in: io.TeeReader(in, sum), remaining: size - sha256.Size}
	if begin := string(r.next(len(magic))); begin != magic && (r.err == nil || errors.Is(r.err, errDamaged)) {
		return nil, errNotModel
	}
	v := r.version()
	if v != version && v != versionScreened && r.err == nil {
		return nil, fmt.Errorf("model file of version %d: this program reads versions %d and %d", v, version, versionScreened)
	}
	m := &Model{schema: r.schema(), algorithm: string(r.bytes())}
	m.temperature = metric.Temperature(r.float())
	m.weights = r.weights()
	for n := r.count(1 + 8 + 4); n > 0 && r.err == nil; n-- {
		m.members = append(m.members, r.member(algorithms, v, len(m.schema.Columns)))
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case r.remaining > 0, len(m.members) == 0:
		return nil, errDamaged
	case m.weights != nil && len(m.weights) != m.classes():
		return nil, errDamaged
	case !(m.temperature > 0) || math.IsInf(float64(m.temperature), 1):
		return nil, errDamaged
	}
	whole := sum.Sum(nil)
	if r.remaining = sha256.Size; !bytes.Equal(r.next(sha256.Size), whole) {
		return nil, cmp.Or(r.err, errDamaged)
	}
	return m, m.probe()
}

// probe predicts a row of missing cells, to check that the members have the
// schema's numbers of columns and classes.
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
	err := recovering(func() error {
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

// fileReader reads a model file. After the first error all values are zero.
type fileReader struct {
	in        io.Reader
	remaining int64 // bytes not yet read
	buffer    []byte
	err       error
}

// next returns the next n bytes, which are valid until the next call.
func (r *fileReader) next(n int) []byte {
	if r.err == nil && int64(n) > r.remaining {
		r.err = errDamaged
	}
	if r.err != nil {
		return nil
	}
	if cap(r.buffer) < n {
		r.buffer = make([]byte, n)
	}
	taken := r.buffer[:n]
	switch _, err := io.ReadFull(r.in, taken); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		r.err = errDamaged
	case err != nil:
		r.err = fmt.Errorf("reading the model file: %w", err)
	}
	if r.err != nil {
		return nil
	}
	r.remaining -= int64(n)
	return taken
}

func (r *fileReader) version() uint16 {
	b := r.next(2)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint16(b)
}

// count reads the number of elements that follow, each of at least size bytes.
func (r *fileReader) count(size int) int {
	b := r.next(4)
	if b == nil {
		return 0
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n*int64(size) > r.remaining {
		r.err = errDamaged
		return 0
	}
	return int(n)
}

func (r *fileReader) bytes() []byte { return r.next(r.count(1)) }

func (r *fileReader) float() float64 {
	b := r.next(8)
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
	blob := r.bytes()
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

// member reads a member. features is the number of columns of the schema.
func (r *fileReader) member(algorithms []algorithm, version uint16, features int) member {
	one := member{kind: r.kind(), weight: r.float()}
	var columns []int32
	if version == versionScreened {
		columns = r.columns(features)
	}
	inner := r.bytes()
	if !(one.weight > 0 && one.weight <= 1) {
		r.err = cmp.Or(r.err, errDamaged)
	}
	if r.err != nil {
		return member{}
	}
	for _, m := range algorithms {
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

// columns reads ascending column indices; nil for none.
func (r *fileReader) columns(features int) []int32 {
	n := r.count(4)
	if n == 0 {
		return nil
	}
	columns := make([]int32, n)
	for i := range columns {
		b := r.next(4)
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
	b := r.next(1)
	if b == nil {
		return 0
	}
	return b[0]
}
