package boost

import (
	"encoding/binary"
	"math"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
)

// trees is the ensemble of leaf-wise boosting.
type trees struct {
	outputs int
	cuts    []tree.Cuts
	// members are round-major, one an output; nil adds nothing.
	members []*member
	// used tells of each feature whether a tree looks at it.
	used []bool
}

// newTrees returns the ensemble of the given members.
func newTrees(outputs int, cuts []tree.Cuts, members []*member) *trees {
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

// score adds the scores of f's rows lo…hi-1 to dst, outputs to a row.
func (e *trees) score(dst []float32, f *frame.Frame, lo, hi int) {
	flow := tree.NewFlow(len(e.cuts))
	for ; lo < hi; lo += tree.FlowRows {
		n := min(tree.FlowRows, hi-lo)
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
	b = binary.AppendUvarint(b, uint64(len(e.cuts)))
	for i := range e.cuts {
		var err error
		if b, err = e.cuts[i].AppendBinary(b); err != nil {
			return nil, err
		}
	}
	b = binary.AppendUvarint(b, uint64(len(e.members)))
	for _, m := range e.members {
		if m == nil {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		b = m.tree.AppendBinary(b, e.cuts)
		b = appendFloats(b, m.values)
	}
	return b, nil
}

// readTrees reads what appendBinary wrote.
func readTrees(r *reader, outputs int) *trees {
	cuts := r.cuts()
	var members []*member
	for range r.count() {
		if r.byte() == 0 {
			members = append(members, nil)
			continue
		}
		t := r.tree(cuts)
		if r.err != nil {
			break
		}
		members = append(members, &member{tree: t, values: r.floats(t.Leaves)})
	}
	return newTrees(outputs, cuts, members)
}

func appendFloats(b []byte, values []float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
