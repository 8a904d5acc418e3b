package boost

import (
	"encoding/binary"
	"errors"
	"math"

	"foretell/internal/learn/tree"
)

// errMalformed tells that bytes are not a model.
var errMalformed = errors.New("boost: malformed model")

// reader takes a model apart. After the first error everything reads as zero,
// so that only the end needs a check. Nothing is allocated that the remaining
// bytes could not fill.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail() {
	r.err = errMalformed
	r.rest = nil
}

// take returns the next n bytes, or nil.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.fail()
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) byte() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// count reads the number of things to follow, each of at least one byte.
func (r *reader) count() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(len(r.rest)-size) {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// number reads a number below limit.
func (r *reader) number(limit int) int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n >= uint64(limit) {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// floats reads n finite numbers.
func (r *reader) floats(n int) []float32 {
	b := r.take(4 * n)
	if b == nil {
		return nil
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if v := float64(values[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			r.fail()
			return nil
		}
	}
	return values
}

func (r *reader) oneCuts() tree.BinMapper {
	c, rest, err := tree.ReadBinMapper(r.rest)
	if err != nil {
		r.fail()
		return tree.BinMapper{}
	}
	r.rest = rest
	return c
}

func (r *reader) cuts() []tree.BinMapper {
	cuts := make([]tree.BinMapper, 0)
	for range r.count() {
		cuts = append(cuts, r.oneCuts())
		if r.err != nil {
			return nil
		}
	}
	return cuts
}

func (r *reader) tree(cuts []tree.BinMapper) *tree.Tree {
	t, rest, err := tree.ReadTree(r.rest, cuts)
	if err != nil {
		r.fail()
		return nil
	}
	r.rest = rest
	return t
}
