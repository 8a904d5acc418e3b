package boost

import (
	"encoding/binary"
	"errors"
	"math"

	"foretell/internal/learn/tree"
)

// errMalformed reports that bytes are not a valid model.
var errMalformed = errors.New("boost: malformed model")

// modelReader reads the binary form of a model. After the first error all
// values read are zero, so that callers check err once. It never allocates more
// than the remaining bytes could fill.
type modelReader struct {
	rest []byte
	err  error
}

func (r *modelReader) fail() {
	r.err = errMalformed
	r.rest = nil
}

// next returns the next n bytes, or nil.
func (r *modelReader) next(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.fail()
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *modelReader) byte() uint8 {
	if b := r.next(1); b != nil {
		return b[0]
	}
	return 0
}

// count reads the number of elements that follow, each of at least one byte.
func (r *modelReader) count() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(len(r.rest)-size) {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// uvarint reads a number below limit.
func (r *modelReader) uvarint(limit int) int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n >= uint64(limit) {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// floats reads n finite numbers.
func (r *modelReader) floats(n int) []float32 {
	b := r.next(4 * n)
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

func (r *modelReader) mapper() tree.BinMapper {
	c, rest, err := tree.ReadBinMapper(r.rest)
	if err != nil {
		r.fail()
		return tree.BinMapper{}
	}
	r.rest = rest
	return c
}

func (r *modelReader) mappers() []tree.BinMapper {
	mappers := make([]tree.BinMapper, 0)
	for range r.count() {
		mappers = append(mappers, r.mapper())
		if r.err != nil {
			return nil
		}
	}
	return mappers
}

func (r *modelReader) tree(mappers []tree.BinMapper) *tree.Tree {
	t, rest, err := tree.ReadTree(r.rest, mappers)
	if err != nil {
		r.fail()
		return nil
	}
	r.rest = rest
	return t
}
