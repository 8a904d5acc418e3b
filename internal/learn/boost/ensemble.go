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
}

// blockBytes is about how many binned cells are walked through all trees at a
// time, so that they stay in the nearest cache.
const blockBytes = 1 << 14

// score adds the scores of f's rows lo…hi-1 to dst, outputs to a row.
func (e *trees) score(dst []float32, f *frame.Frame, lo, hi int) {
	width := max(len(e.cuts), 1)
	rows := min(max(blockBytes/width, 16), 512)
	cells := make([]uint8, rows*width)
	for ; lo < hi; lo += rows {
		n := min(rows, hi-lo)
		for i := range e.cuts {
			var column frame.Column // a missing one is missing cells
			if i < len(f.Columns) {
				column = f.Columns[i]
			}
			e.cuts[i].Fill(cells[i:], width, &column, lo, lo+n)
		}
		for i, m := range e.members {
			if m != nil {
				m.add(dst[i%e.outputs:], e.outputs, cells, width, n)
			}
		}
		dst = dst[n*e.outputs:]
	}
}

// add adds the values of n rows' leaves to every stride-th number of dst.
func (m *member) add(dst []float32, stride int, cells []uint8, width, n int) {
	for i := range n {
		dst[i*stride] += m.values[m.tree.Leaf(cells[i*width:(i+1)*width])]
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
	e := &trees{outputs: outputs}
	e.cuts = r.cuts()
	for range r.count() {
		if r.byte() == 0 {
			e.members = append(e.members, nil)
			continue
		}
		t := r.tree(e.cuts)
		if r.err != nil {
			break
		}
		e.members = append(e.members, &member{tree: t, values: r.floats(t.Leaves)})
	}
	return e
}

func appendFloats(b []byte, values []float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
