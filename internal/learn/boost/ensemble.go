package boost

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
)

// trees is the ensemble of leaf-wise boosting.
type trees struct {
	outputs int
	cuts    []tree.Cuts
	// grove returns the trees as prediction wants them.
	grove func() *grove
	// packed are the trees of an ensemble that was grown in their binary form,
	// round by round. The grove is made of them when it is first asked for: most
	// ensembles of a race never predict.
	packed [][]byte
}

// grove are trees ready to predict.
type grove struct {
	// members are round-major, one an output; nil adds nothing.
	members []*member
	// used tells of each feature whether a tree looks at it.
	used []bool
}

func newGrove(members []*member, features int) *grove {
	g := &grove{members: members, used: make([]bool, features)}
	for _, m := range members {
		if m == nil {
			continue
		}
		for i := range m.tree.Nodes {
			if feature := m.tree.Nodes[i].Feature; feature >= 0 {
				g.used[feature] = true
			}
		}
	}
	return g
}

// newTrees returns the ensemble of the rounds that are packed.
func newTrees(outputs int, cuts []tree.Cuts, packed [][]byte) *trees {
	return &trees{outputs: outputs, cuts: cuts, packed: packed, grove: sync.OnceValue(func() *grove {
		members := make([]*member, 0, len(packed)*outputs)
		for _, b := range packed {
			r := &reader{rest: b}
			for range outputs {
				members = append(members, readMember(r, cuts))
			}
		}
		return newGrove(members, len(cuts))
	})}
}

// score adds the scores of f's rows lo…hi-1 to dst, outputs to a row.
func (e *trees) score(dst []float32, f *frame.Frame, lo, hi int) {
	grove := e.grove()
	flow := tree.NewFlow(len(e.cuts))
	for ; lo < hi; lo += tree.FlowRows {
		n := min(tree.FlowRows, hi-lo)
		flow.Begin(n)
		for i := range e.cuts {
			if !grove.used[i] {
				continue
			}
			var column frame.Column // a missing one is missing cells
			if i < len(f.Columns) {
				column = f.Columns[i]
			}
			e.cuts[i].Fill(flow.Bins(i), 1, &column, lo, lo+n)
		}
		for i, m := range grove.members {
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
	b = binary.AppendUvarint(b, uint64(len(e.cuts)))
	for i := range e.cuts {
		var err error
		if b, err = e.cuts[i].AppendBinary(b); err != nil {
			return nil, err
		}
	}
	if e.packed != nil {
		b = binary.AppendUvarint(b, uint64(len(e.packed)*e.outputs))
		size := 0
		for _, round := range e.packed {
			size += len(round)
		}
		b = slices.Grow(b, size)
		for _, round := range e.packed {
			b = append(b, round...)
		}
		return b, nil
	}
	members := e.grove().members
	b = binary.AppendUvarint(b, uint64(len(members)))
	for _, m := range members {
		b = m.appendBinary(b, e.cuts)
	}
	return b, nil
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
	g := newGrove(members, len(cuts))
	return &trees{outputs: outputs, cuts: cuts, grove: func() *grove { return g }}
}

// appendBinary appends the member's binary form; m may be nil.
func (m *member) appendBinary(b []byte, cuts []tree.Cuts) []byte {
	if m == nil {
		return append(b, 0)
	}
	b = m.tree.AppendBinary(append(b, 1), cuts)
	return appendFloats(b, m.values)
}

// readMember reads what appendBinary wrote.
func readMember(r *reader, cuts []tree.Cuts) *member {
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
