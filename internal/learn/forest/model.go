package forest

import (
	"sync"

	"foretell/internal/frame"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/tree"
	"foretell/internal/scratch"
)

// Model is a grown forest. It is immutable and safe for concurrent use. That of
// a Fitter waits on the disk of its Options until it is used: Predict panics if
// the disk fails, AppendBinary returns the error.
type Model struct {
	prior  []float32 // class frequencies, one a class
	warmth metric.Temperature
	cuts   []tree.BinMapper // of each feature
	// members returns the trees.
	members func() []*member
	// recorded are the trees as they were grown, of which members are made when
	// they are first asked for: most models of a race never predict. It is empty
	// if the model was read.
	recorded recording
}

// recording is the beginning of a tape with so many trees in their binary form.
type recording struct {
	tape  *scratch.Tape
	size  int64
	trees int
}

// newModel returns the model whose trees are recorded.
func newModel(m Model) *Model {
	m.members = sync.OnceValue(func() []*member {
		b, err := m.recorded.append(nil)
		if err != nil {
			panic(err)
		}
		members := make([]*member, m.recorded.trees)
		r := &reader{rest: b}
		for i := range members {
			members[i] = r.member(m.cuts, len(m.prior))
		}
		return members
	})
	return &m
}

// append appends the trees to b; there may be none.
func (r recording) append(b []byte) ([]byte, error) {
	if r.tape == nil {
		return b, nil
	}
	return r.tape.Append(b, r.size)
}

// Predict writes the class probabilities of f's rows lo…hi-1 to dst, row
// major; each row sums to 1. f's columns are those of the frame the forest was
// grown on, in the same order.
func (m *Model) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	classes, features := len(m.prior), len(m.cuts)
	block := min(juryBlock, hi-lo)
	bins := make([]uint8, block*features)
	votes := make([]uint32, block*classes)
	trees := len(m.members())
	for ; lo < hi; lo += block {
		n := min(block, hi-lo)
		for j := range m.cuts {
			m.cuts[j].Fill(bins[j:], features, &f.Columns[j], lo, lo+n)
		}
		clear(votes)
		m.poll(votes, bins, n)
		for i := range n {
			probabilities(dst[i*classes:(i+1)*classes], votes[i*classes:(i+1)*classes], m.prior, trees, trees)
		}
		m.warmth.Apply(dst[:n*classes], classes)
		dst = dst[n*classes:]
	}
}

// poll adds the votes of all trees on n rows of bins.
func (m *Model) poll(votes []uint32, bins []uint8, n int) {
	classes, features := len(m.prior), len(m.cuts)
	for _, t := range m.members() {
		for i := range n {
			for _, s := range t.vote(bins[i*features : (i+1)*features]) {
				votes[i*classes+int(s.class)] += uint32(s.part)
			}
		}
	}
}

// probabilities turns the votes of size trees into what as many trees as there
// are in all would say. The class frequencies vote like one tree more, so that
// no class is impossible.
func probabilities(dst []float32, votes []uint32, prior []float32, size, all int) {
	trees := float64(all) / (float64(max(size, 1)) * whole)
	for c, v := range votes {
		dst[c] = float32((float64(v)*trees + float64(prior[c])) / float64(all+1))
	}
}

// frequencies returns the share of each class among rows, as if there were one
// row more of each.
func frequencies(labels, rows []int32, classes int) []float32 {
	counts := make([]int, classes)
	for _, row := range rows {
		counts[labels[row]]++
	}
	shares := make([]float32, classes)
	for c, n := range counts {
		shares[c] = float32(float64(n+1) / float64(len(rows)+classes))
	}
	return shares
}
