package forest

import (
	"encoding/binary"
	"errors"
	"math"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/tree"
)

// errMalformed reports that bytes are not a valid forest.
var errMalformed = errors.New("forest: malformed model")

// version is the first byte of the binary form, which is little endian; numbers
// without a size are uvarints:
//
//	version (1 byte)
//	temperature (float64)
//	classes, the frequency of each (float32)
//	features, the bin mapper of each (see tree)
//	trees, each:
//		the tree (see tree)
//		distributions, each: weights, each: class, weight
//		the distribution of each leaf
const version = 1

// AppendBinary appends the model's binary form to b.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, version)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(m.temperature)))
	b = binary.AppendUvarint(b, uint64(len(m.prior)))
	for _, p := range m.prior {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(p))
	}
	b = binary.AppendUvarint(b, uint64(len(m.mappers)))
	for i := range m.mappers {
		var err error
		if b, err = m.mappers[i].AppendBinary(b); err != nil {
			return nil, err
		}
	}
	if m.spilled.tape != nil {
		b = binary.AppendUvarint(b, uint64(m.spilled.n))
		return m.spilled.append(b)
	}
	b = binary.AppendUvarint(b, uint64(len(m.trees())))
	for _, t := range m.trees() {
		b = t.encode(b, m.mappers)
	}
	return b, nil
}

func (m *forestTree) encode(b []byte, mappers []tree.BinMapper) []byte {
	b = m.AppendBinary(b, mappers)
	b = binary.AppendUvarint(b, uint64(len(m.ends)))
	first := uint32(0)
	for _, end := range m.ends {
		b = binary.AppendUvarint(b, uint64(end-first))
		for _, s := range m.weights[first:end] {
			b = binary.AppendUvarint(b, uint64(s.class))
			b = binary.AppendUvarint(b, uint64(s.weight))
		}
		first = end
	}
	for _, number := range m.distributions {
		b = binary.AppendUvarint(b, uint64(number))
	}
	return b
}

// UnmarshalBinary sets m to the model with the binary form b. It changes m only
// if the error is nil.
func (m *Model) UnmarshalBinary(b []byte) error {
	if len(b) < 9 || b[0] != version {
		return errMalformed
	}
	read := Model{temperature: metric.Temperature(math.Float64frombits(binary.LittleEndian.Uint64(b[1:])))}
	if !(read.temperature > 0) || math.IsInf(float64(read.temperature), 0) {
		return errMalformed
	}
	r := &modelReader{rest: b[9:]}
	read.prior = r.prior()
	for range r.count() {
		read.mappers = append(read.mappers, r.mapper())
	}
	var trees []*forestTree
	for range r.count() {
		if t := r.tree(read.mappers, len(read.prior)); t != nil {
			trees = append(trees, t)
		}
	}
	if r.failed || len(r.rest) > 0 || len(trees) > maxTrees {
		return errMalformed
	}
	read.trees = func() []*forestTree { return trees }
	*m = read
	return nil
}

// modelReader reads the binary form of a model. After the first error all
// values read are zero, so that callers check failed once. It never allocates
// more than in proportion to the remaining bytes.
type modelReader struct {
	rest   []byte
	failed bool
}

func (r *modelReader) fail() {
	r.failed, r.rest = true, nil
}

// uvarint reads a number below limit.
func (r *modelReader) uvarint(limit int) uint32 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n >= uint64(limit) {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return uint32(n)
}

// count reads the number of elements that follow, each of at least one byte.
func (r *modelReader) count() int {
	if n := r.uvarint(math.MaxInt32); int(n) <= len(r.rest) {
		return int(n)
	}
	r.fail()
	return 0
}

func (r *modelReader) prior() []float32 {
	n := r.count()
	if n < 2 || n > math.MaxUint16 || len(r.rest) < 4*n {
		r.fail()
		return nil
	}
	prior := make([]float32, n)
	for c := range prior {
		prior[c] = math.Float32frombits(binary.LittleEndian.Uint32(r.rest[4*c:]))
		if !(prior[c] >= 0 && prior[c] <= 1) {
			r.fail()
			return nil
		}
	}
	r.rest = r.rest[4*n:]
	return prior
}

func (r *modelReader) mapper() tree.BinMapper {
	c, rest, err := tree.ReadBinMapper(r.rest)
	if err != nil {
		r.fail()
	}
	r.rest = rest
	return c
}

// tree reads one tree; nil if it is malformed.
func (r *modelReader) tree(mappers []tree.BinMapper, classes int) *forestTree {
	t, rest, err := tree.ReadTree(r.rest, mappers)
	if err != nil {
		r.fail()
		return nil
	}
	r.rest = rest
	m := &forestTree{Tree: *t, distributions: make([]uint32, t.Leaves)}
	for range r.count() {
		r.distribution(m, classes)
	}
	for i := range m.distributions {
		m.distributions[i] = r.uvarint(len(m.ends))
	}
	if r.failed {
		return nil
	}
	return m
}

// distribution reads weights, which must add up to one16.
func (r *modelReader) distribution(m *forestTree, classes int) {
	left := one16
	for range r.count() {
		s := classWeight{class: uint16(r.uvarint(classes)), weight: uint16(r.uvarint(left + 1))}
		left -= int(s.weight)
		m.weights = append(m.weights, s)
	}
	if left != 0 {
		r.fail()
	}
	m.ends = append(m.ends, uint32(len(m.weights)))
}
