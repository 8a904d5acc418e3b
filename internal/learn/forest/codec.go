package forest

import (
	"encoding/binary"
	"errors"
	"math"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/tree"
)

// errMalformed tells that bytes are not a forest.
var errMalformed = errors.New("forest: malformed model")

// version is the first byte of the binary form, which is little endian;
// numbers without a size are uvarints:
//
//	version (1 byte)
//	temperature (float64)
//	classes, the frequency of each (float32)
//	features, the cuts of each (see tree)
//	trees, of each:
//		the tree (see tree)
//		distributions, of each: shares, of each: class, part
//		the distribution of each leaf
const version = 1

// AppendBinary appends the model's binary form to b.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, version)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(m.warmth)))
	b = binary.AppendUvarint(b, uint64(len(m.prior)))
	for _, p := range m.prior {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(p))
	}
	b = binary.AppendUvarint(b, uint64(len(m.cuts)))
	for i := range m.cuts {
		var err error
		if b, err = m.cuts[i].AppendBinary(b); err != nil {
			return nil, err
		}
	}
	if m.recorded.tape != nil {
		b = binary.AppendUvarint(b, uint64(m.recorded.trees))
		return m.recorded.append(b)
	}
	b = binary.AppendUvarint(b, uint64(len(m.members())))
	for _, t := range m.members() {
		b = t.encode(b, m.cuts)
	}
	return b, nil
}

func (m *member) encode(b []byte, cuts []tree.BinMapper) []byte {
	b = m.AppendBinary(b, cuts)
	b = binary.AppendUvarint(b, uint64(len(m.ends)))
	first := uint32(0)
	for _, end := range m.ends {
		b = binary.AppendUvarint(b, uint64(end-first))
		for _, s := range m.shares[first:end] {
			b = binary.AppendUvarint(b, uint64(s.class))
			b = binary.AppendUvarint(b, uint64(s.part))
		}
		first = end
	}
	for _, number := range m.verdicts {
		b = binary.AppendUvarint(b, uint64(number))
	}
	return b
}

// UnmarshalBinary makes m the model whose binary form b is. m is changed only
// if the error is nil.
func (m *Model) UnmarshalBinary(b []byte) error {
	if len(b) < 9 || b[0] != version {
		return errMalformed
	}
	read := Model{warmth: metric.Temperature(math.Float64frombits(binary.LittleEndian.Uint64(b[1:])))}
	if !(read.warmth > 0) || math.IsInf(float64(read.warmth), 0) {
		return errMalformed
	}
	r := &reader{rest: b[9:]}
	read.prior = r.prior()
	for range r.count() {
		read.cuts = append(read.cuts, r.cuts())
	}
	var members []*member
	for range r.count() {
		if t := r.member(read.cuts, len(read.prior)); t != nil {
			members = append(members, t)
		}
	}
	if r.failed || len(r.rest) > 0 || len(members) > mostTrees {
		return errMalformed
	}
	read.members = func() []*member { return members }
	*m = read
	return nil
}

// reader takes a model apart. After the first fault everything reads as
// nothing, so only the end needs a check. Nothing is allocated that is not in
// proportion to the bytes there are.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) fail() {
	r.failed, r.rest = true, nil
}

// number reads a number below limit.
func (r *reader) number(limit int) uint32 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n >= uint64(limit) {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return uint32(n)
}

// count reads how many things follow, each of at least one byte.
func (r *reader) count() int {
	if n := r.number(math.MaxInt32); int(n) <= len(r.rest) {
		return int(n)
	}
	r.fail()
	return 0
}

func (r *reader) prior() []float32 {
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

func (r *reader) cuts() tree.BinMapper {
	c, rest, err := tree.ReadBinMapper(r.rest)
	if err != nil {
		r.fail()
	}
	r.rest = rest
	return c
}

// member reads one tree; nil if it is malformed.
func (r *reader) member(cuts []tree.BinMapper, classes int) *member {
	t, rest, err := tree.ReadTree(r.rest, cuts)
	if err != nil {
		r.fail()
		return nil
	}
	r.rest = rest
	m := &member{Tree: *t, verdicts: make([]uint32, t.Leaves)}
	for range r.count() {
		r.distribution(m, classes)
	}
	for i := range m.verdicts {
		m.verdicts[i] = r.number(len(m.ends))
	}
	if r.failed {
		return nil
	}
	return m
}

// distribution reads shares, which make one whole.
func (r *reader) distribution(m *member, classes int) {
	left := whole
	for range r.count() {
		s := share{class: uint16(r.number(classes)), part: uint16(r.number(left + 1))}
		left -= int(s.part)
		m.shares = append(m.shares, s)
	}
	if left != 0 {
		r.fail()
	}
	m.ends = append(m.ends, uint32(len(m.shares)))
}
