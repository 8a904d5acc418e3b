package boost

import (
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
	cuts   tree.Cuts
	key    category
	codes  []uint8
}

// model returns the ensemble of trees with the features they use.
func (in *input) model(trees []symmetricTree, outputs int) *oblivious {
	e := &oblivious{outputs: outputs}
	index := make(map[int32]int32)
	for _, t := range trees {
		tests := append([]tree.Test(nil), t.tests...)
		for i := range tests {
			at, ok := index[tests[i].Feature]
			if !ok {
				at = int32(len(e.inputs))
				index[tests[i].Feature] = at
				e.inputs = append(e.inputs, in.source(tests[i].Feature))
			}
			tests[i].Feature = at
		}
		e.trees = append(e.trees, symmetricTree{tests, t.values, t.places})
	}
	return e
}

func (in *input) source(feature int32) source {
	if at := int(feature) - in.first; at >= 0 {
		s := &in.statistics[at]
		return source{column: -1, key: s.key, codes: s.codes}
	}
	return source{column: feature, cuts: in.bins[0].Features[feature].Cuts}
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

// appendBinary appends inputs (count, each a column+1 and its cuts, or 0, two
// columns+1, two numbers of levels and a byte a category), then trees (count,
// each as symmetricTree has it).
func (e *oblivious) appendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(e.inputs)))
	for i := range e.inputs {
		s := &e.inputs[i]
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
	b = binary.AppendUvarint(b, uint64(len(e.trees)))
	size := 0
	for i := range e.trees {
		size += 4*len(e.trees[i].values) + 64
	}
	b = slices.Grow(b, size)
	for i := range e.trees {
		b = e.trees[i].appendBinary(b, e.outputs)
	}
	return b, nil
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
	s.codes = r.take(int(size))
	return s
}
