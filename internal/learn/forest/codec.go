package forest

import (
	"fmt"
	"math"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/tree"
)

// version is the first byte of the binary form, which is described below. A list begins with its
// length. Numbers without a stated size are uvarints:
//
//	version (1 byte)
//	temperature (float64)
//	list of classes, each: the frequency (float32)
//	list of features, each: the bin mapper (see tree)
//	list of trees, each:
//		the tree (see tree)
//		list of distributions, each: list of class, weight
//		for each leaf, the index of its distribution
const version = 1

// AppendBinary appends the model's binary form to b.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	w := codec.NewWriter(b)
	w.Bytes(version)
	w.Float64(float64(m.temperature))
	w.Uvarint(len(m.prior))
	w.Float32s(m.prior)
	w.Uvarint(len(m.mappers))
	for i := range m.mappers {
		m.mappers[i].Write(w)
	}
	if m.spilled.stream != nil {
		w.Uvarint(m.spilled.n)
		w.Append(m.spilled.append)
		return w.Result()
	}
	w.Uvarint(len(m.trees()))
	for _, t := range m.trees() {
		t.write(w, m.mappers)
	}
	return w.Result()
}

func (t *forestTree) write(w *codec.Writer, mappers []tree.BinMapper) {
	t.Write(w, mappers)
	w.Uvarint(len(t.ends))
	first := uint32(0)
	for _, end := range t.ends {
		w.Uvarint(int(end - first))
		for _, s := range t.weights[first:end] {
			w.Uvarint(int(s.class))
			w.Uvarint(int(s.weight))
		}
		first = end
	}
	for _, number := range t.distributions {
		w.Uvarint(int(number))
	}
}

// UnmarshalBinary sets m to the model with the binary form b. It changes m only
// if the error is nil.
func (m *Model) UnmarshalBinary(b []byte) error {
	r := codec.NewReader(b)
	if r.Byte() != version {
		r.Fail("unsupported version")
	}
	read := Model{temperature: metric.Temperature(r.Float64())}
	if !(read.temperature > 0) || math.IsInf(float64(read.temperature), 0) {
		r.Fail("invalid temperature")
	}
	read.prior = readPrior(r)
	for range r.Count(1) {
		read.mappers = append(read.mappers, tree.ReadBinMapper(r))
	}
	var trees []*forestTree
	for range r.Count(1) {
		if t := readForestTree(r, read.mappers, len(read.prior)); t != nil {
			trees = append(trees, t)
		}
	}
	if len(trees) > maxTrees {
		r.Fail("too many trees")
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("forest: %w", err)
	}
	read.trees = func() []*forestTree { return trees }
	*m = read
	return nil
}

func readPrior(r *codec.Reader) []float32 {
	n := r.Count(4)
	if n < 2 || n > math.MaxUint16 {
		r.Fail("number of classes out of range")
	}
	prior := r.Float32s(n)
	for _, p := range prior {
		if !(p >= 0 && p <= 1) {
			r.Fail("frequency out of range")
		}
	}
	return prior
}

// readForestTree reads one tree. On failure it returns nil and sets r.Err.
func readForestTree(r *codec.Reader, mappers []tree.BinMapper, classes int) *forestTree {
	t := tree.ReadTree(r, mappers)
	if t == nil {
		return nil
	}
	grown := &forestTree{Tree: *t, distributions: make([]uint32, t.Leaves)}
	for range r.Count(1) {
		grown.readDistribution(r, classes)
	}
	for i := range grown.distributions {
		grown.distributions[i] = uint32(r.Uvarint(0, len(grown.ends)-1))
	}
	if len(grown.ends) == 0 {
		r.Fail("tree without distributions")
	}
	if r.Err() != nil {
		return nil
	}
	return grown
}

// readDistribution reads one class distribution and appends it to t. The weights must add
// up to unitWeight.
func (t *forestTree) readDistribution(r *codec.Reader, classes int) {
	left := unitWeight
	for range r.Count(1) {
		s := classProbability{class: uint16(r.Uvarint(0, classes-1)), weight: uint16(r.Uvarint(0, left))}
		left -= int(s.weight)
		t.weights = append(t.weights, s)
	}
	if left != 0 {
		r.Fail("weights do not add up to 1")
	}
	t.ends = append(t.ends, uint32(len(t.weights)))
}
