package boost

import (
	"encoding/binary"
	"math"
	"sync"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
	"foretell/internal/scratch"
)

// recorded is an ensemble as it was grown: its rounds are on a tape, in their
// binary form. It is read when it is first asked to predict: most of those of a
// race never are.
type recorded struct {
	form byte
	tape *scratch.Tape
	size int64 // of its rounds: the tape may hold later ones
	// head appends what comes before the rounds in the binary form.
	head func(b []byte) ([]byte, error)
	read func() ensemble
}

// newRecorded returns the ensemble that read makes of the bytes of head and of
// the first size bytes of the tape.
func newRecorded(e recorded, read func(*reader) ensemble) *recorded {
	e.read = sync.OnceValue(func() ensemble {
		b, err := e.appendBinary(nil)
		if err != nil {
			panic(err)
		}
		return read(&reader{rest: b})
	})
	return &e
}

func (e *recorded) kind() byte { return e.form }

func (e *recorded) score(dst []float32, f *frame.Frame, lo, hi int) { e.read().score(dst, f, lo, hi) }

func (e *recorded) appendBinary(b []byte) ([]byte, error) {
	b, err := e.head(b)
	if err != nil {
		return nil, err
	}
	return e.tape.Append(b, e.size)
}

// sizeOf returns the number of bytes of the first n rounds, given where each
// ends.
func sizeOf(ends []int64, n int) int64 {
	if n == 0 {
		return 0
	}
	return ends[n-1]
}

// trees is the ensemble of leaf-wise boosting.
type trees struct {
	outputs int
	cuts    []tree.BinMapper
	// members are round-major, one an output; nil adds nothing.
	members []*member
	// used tells of each feature whether a tree looks at it.
	used []bool
}

// newTrees returns the ensemble of the members.
func newTrees(outputs int, cuts []tree.BinMapper, members []*member) *trees {
	e := &trees{outputs: outputs, cuts: cuts, members: members, used: make([]bool, len(cuts))}
	for _, m := range members {
		if m == nil {
			continue
		}
		for i := range m.tree.Nodes {
			if feature := m.tree.Nodes[i].Feature; feature >= 0 {
				e.used[feature] = true
			}
		}
	}
	return e
}

func (e *trees) kind() byte { return kindLeafwise }

// score adds the scores of f's rows lo…hi-1 to dst, outputs to a row.
func (e *trees) score(dst []float32, f *frame.Frame, lo, hi int) {
	flow := tree.NewBatchPredictor(len(e.cuts))
	for ; lo < hi; lo += tree.BatchRows {
		n := min(tree.BatchRows, hi-lo)
		flow.Begin(n)
		for i := range e.cuts {
			if !e.used[i] {
				continue
			}
			var column frame.Column // a missing one is missing cells
			if i < len(f.Columns) {
				column = f.Columns[i]
			}
			e.cuts[i].Fill(flow.Bins(i), 1, &column, lo, lo+n)
		}
		for i, m := range e.members {
			if m != nil {
				flow.Add(m.tree, m.values, dst[i%e.outputs:], e.outputs)
			}
		}
		dst = dst[n*e.outputs:]
	}
}

// appendBinary appends cuts (count, each), members (count, each a tree and
// float32 values, or a zero byte for none).
func (e *trees) appendBinary(b []byte) ([]byte, error) {
	b, err := appendCuts(b, e.cuts, len(e.members))
	for _, m := range e.members {
		b = m.appendBinary(b, e.cuts)
	}
	return b, err
}

// appendCuts appends what comes before so many members.
func appendCuts(b []byte, cuts []tree.BinMapper, members int) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(cuts)))
	for i := range cuts {
		var err error
		if b, err = cuts[i].AppendBinary(b); err != nil {
			return nil, err
		}
	}
	return binary.AppendUvarint(b, uint64(members)), nil
}

// readTrees reads what appendBinary wrote.
func readTrees(r *reader, outputs int) *trees {
	cuts := r.cuts()
	var members []*member
	for range r.count() {
		members = append(members, readMember(r, cuts))
		if r.err != nil {
			break
		}
	}
	return newTrees(outputs, cuts, members)
}

// appendBinary appends the member's binary form; m may be nil.
func (m *member) appendBinary(b []byte, cuts []tree.BinMapper) []byte {
	if m == nil {
		return append(b, 0)
	}
	b = m.tree.AppendBinary(append(b, 1), cuts)
	return appendFloats(b, m.values)
}

// readMember reads what appendBinary wrote.
func readMember(r *reader, cuts []tree.BinMapper) *member {
	if r.byte() == 0 {
		return nil
	}
	t := r.tree(cuts)
	if r.err != nil {
		return nil
	}
	return &member{tree: t, values: r.floats(t.Leaves)}
}

func appendFloats(b []byte, values []float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
