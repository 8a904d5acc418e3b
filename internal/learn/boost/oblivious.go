package boost

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
)

// oblivious is the ensemble of symmetric trees.
type oblivious struct {
	outputs int
	// inputs are the features that trees ask about.
	inputs []source
	trees  []symmetricTree
}

// source is a feature of symmetric trees: a binned column, or a statistic.
type source struct {
	column int32 // -1 for a statistic
	cuts   tree.BinMapper
	key    category
	codes  []uint8
}

// asked are the features that trees have asked about, in the order in which
// they came up.
type asked struct {
	features []int32
	since    []int           // the tree that each came up in
	places   map[int32]int32 // of a feature, its place in features
}

// place returns that of a feature which the given tree asks about.
func (a *asked) place(feature int32, tree int) int32 {
	at, known := a.places[feature]
	if !known {
		at = int32(len(a.features))
		a.places[feature] = at
		a.features = append(a.features, feature)
		a.since = append(a.since, tree)
	}
	return at
}

// before returns the features that the first n trees ask about.
func (a *asked) before(n int) []int32 {
	end, _ := slices.BinarySearch(a.since, n)
	return a.features[:end]
}

// source returns a feature as prediction needs it.
func (in *input) source(feature int32) source {
	if at := int(feature) - in.first; at >= 0 {
		s := &in.statistics[at]
		return source{column: -1, key: s.key, codes: s.codes}
	}
	return source{column: feature, cuts: in.bins[0].Features[feature].BinMapper}
}

// rowsAtATime is the number of rows that go through all trees together.
const rowsAtATime = 256

// score adds the scores of f's rows lo…hi-1 to dst, outputs to a row.
func (e *oblivious) score(dst []float32, f *frame.Frame, lo, hi int) {
	cells := make([]uint8, len(e.inputs)*rowsAtATime)
	room := make([]int32, rowsAtATime)
	var leaves [rowsAtATime]uint8
	for ; lo < hi; lo += rowsAtATime {
		n := min(rowsAtATime, hi-lo)
		for i := range e.inputs {
			e.inputs[i].fill(cells[i*rowsAtATime:][:n], room, f, lo)
		}
		for i := range e.trees {
			t := &e.trees[i]
			clear(leaves[:n])
			for d := range t.tests {
				t.ask(leaves[:n], d, cells[int(t.tests[d].Feature)*rowsAtATime:][:n])
			}
			t.add(dst, e.outputs, leaves[:n])
		}
		dst = dst[n*e.outputs:]
	}
}

// fill writes the bins of f's rows from lo on to dst.
func (s *source) fill(dst []uint8, room []int32, f *frame.Frame, lo int) {
	if s.column < 0 {
		s.key.fill(room, f, lo, lo+len(dst))
		for i, category := range room[:len(dst)] {
			dst[i] = s.codes[category]
		}
		return
	}
	var column frame.Column // a missing one is missing cells
	if int(s.column) < len(f.Columns) {
		column = f.Columns[s.column]
	}
	s.cuts.Fill(dst, 1, &column, lo, lo+len(dst))
}

func (e *oblivious) kind() byte { return kindSymmetric }

// appendBinary appends inputs (count, each a column+1 and its cuts, or 0, two
// columns+1, two numbers of levels and a byte a category), then trees (count,
// each as symmetricTree has it).
func (e *oblivious) appendBinary(b []byte) ([]byte, error) {
	b, err := appendSources(b, e.inputs, len(e.trees))
	for i := range e.trees {
		b = e.trees[i].appendBinary(b, e.outputs)
	}
	return b, err
}

// appendSources appends what comes before so many trees.
func appendSources(b []byte, inputs []source, trees int) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(inputs)))
	for i := range inputs {
		s := &inputs[i]
		b = binary.AppendUvarint(b, uint64(s.column+1))
		if s.column >= 0 {
			var err error
			if b, err = s.cuts.AppendBinary(b); err != nil {
				return nil, err
			}
			continue
		}
		for part, column := range s.key.columns {
			b = binary.AppendUvarint(b, uint64(column+1))
			b = binary.AppendUvarint(b, uint64(s.key.levels[part]))
		}
		b = append(b, s.codes...)
	}
	return binary.AppendUvarint(b, uint64(trees)), nil
}

// readOblivious reads what appendBinary wrote.
func readOblivious(r *reader, outputs int) *oblivious {
	e := &oblivious{outputs: outputs}
	for range r.count() {
		e.inputs = append(e.inputs, readSource(r))
		if r.err != nil {
			return e
		}
	}
	for range r.count() {
		t := readSymmetricTree(r, len(e.inputs), outputs)
		if r.err != nil {
			return e
		}
		e.trees = append(e.trees, t)
	}
	return e
}

func readSource(r *reader) source {
	s := source{column: int32(r.number(1<<31)) - 1}
	if s.column >= 0 {
		s.cuts = r.oneCuts()
		return s
	}
	for part := range s.key.columns {
		s.key.columns[part] = int32(r.number(1<<31)) - 1
		s.key.levels[part] = int32(r.number(1 << 31))
	}
	high, size := bits.Mul32(uint32(s.key.levels[0]), uint32(s.key.levels[1]))
	if high != 0 || s.key.levels[0] < 2 || s.key.columns[0] < 0 ||
		(s.key.columns[1] < 0) != (s.key.levels[1] == 1) {
		r.fail()
		return s
	}
	s.codes = bytes.Clone(r.take(int(size)))
	return s
}
