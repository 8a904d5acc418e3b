package learn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
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
//	    predictor          uint32 length, bytes of the method's own
//	SHA-256 of all before  32 bytes
const (
	magic   = "FORETELL"
	version = 1
)

// AppendBinary appends the model file to b. Equal models give equal bytes.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	schema, err := json.Marshal(m.schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = appendBlob(b, schema)
	b = appendBlob(b, []byte(m.algorithm))
	b = appendFloat(b, float64(m.temperature))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.weights)))
	for _, w := range m.weights {
		b = appendFloat(b, w)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.members)))
	for _, part := range m.members {
		inner, err := part.AppendBinary(nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.algorithm, err)
		}
		if len(inner) > math.MaxUint32 {
			return nil, fmt.Errorf("%s: %d bytes are too many for a model file", m.algorithm, len(inner))
		}
		b = appendFloat(append(b, part.kind), part.weight)
		b = appendBlob(b, inner)
	}
	sum := sha256.Sum256(b[start:])
	return append(b, sum[:]...), nil
}

func appendBlob(b, blob []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(blob))), blob...)
}

func appendFloat(b []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

// errDamaged is for bytes that are no whole model file.
var errDamaged = errors.New("the model file is damaged")

// ReadModel reads a model file. b may be reused afterwards.
func ReadModel(b []byte) (*Model, error) { return readModel(b, methods) }

func readModel(b []byte, methods []method) (*Model, error) {
	if len(b) < len(magic)+2+sha256.Size || string(b[:len(magic)]) != magic {
		return nil, errors.New("this is not a model file")
	}
	if v := binary.LittleEndian.Uint16(b[len(magic):]); v != version {
		return nil, fmt.Errorf("model file of version %d: this program reads version %d", v, version)
	}
	body, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if actual := sha256.Sum256(body); !bytes.Equal(actual[:], sum) {
		return nil, errDamaged
	}
	r := &fileReader{rest: body[len(magic)+2:]}
	m := &Model{schema: r.schema(), algorithm: string(r.blob())}
	m.temperature = metric.Temperature(r.float())
	m.weights = r.weights()
	for n := r.count(1 + 8 + 4); n > 0 && r.err == nil; n-- {
		m.members = append(m.members, r.member(methods))
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case len(r.rest) > 0, len(m.members) == 0:
		return nil, errDamaged
	case m.weights != nil && len(m.weights) != m.classes():
		return nil, errDamaged
	case !(m.temperature > 0) || math.IsInf(float64(m.temperature), 1):
		return nil, errDamaged
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
	rest []byte
	err  error
}

func (r *fileReader) take(n int) []byte {
	if r.err != nil || n > len(r.rest) {
		r.err = errDamaged
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// count reads the number of things that take at least size bytes each.
func (r *fileReader) count(size int) int {
	b := r.take(4)
	if b == nil {
		return 0
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n*int64(size) > int64(len(r.rest)) {
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

func (r *fileReader) member(methods []method) member {
	kind, weight := r.take(1), r.float()
	inner := r.blob()
	if !(weight > 0 && weight <= 1) {
		r.err = errDamaged
	}
	if r.err != nil {
		return member{}
	}
	for _, m := range methods {
		if m.kind == kind[0] {
			p, err := m.read(inner)
			if err != nil {
				r.err = fmt.Errorf("%w: %w", errDamaged, err)
			}
			return member{kind[0], weight, p}
		}
	}
	r.err = errDamaged
	return member{}
}
