package forest

import (
	"sync"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/tree"
	"foretell/internal/spill"
	"foretell/internal/table/frame"
)

// Model is a trained forest. It is immutable and safe for concurrent use. If a Fitter
// returned the model, the trees are read from Options.Disk on first use. If the disk
// fails, Predict panics, and AppendBinary returns an error.
type Model struct {
	prior       []float32 // class frequencies
	temperature metric.Temperature
	mappers     []tree.BinMapper // by feature
	// trees returns the trees. It decodes them from spilled on first use, because most
	// models of a race are never used.
	trees func() []*forestTree
	// spilled holds the trees in binary form. It is empty if the model was read
	// by UnmarshalBinary.
	spilled spilledTrees
}

// spilledTrees are the first n trees of a stream, which holds them in binary form. size is their
// number of bytes.
type spilledTrees struct {
	stream *spill.Stream
	size   int64
	n      int
}

// newModel returns a copy of m in which the field trees is set to a function that decodes m.spilled
// on its first call.
func newModel(m Model) *Model {
	m.trees = sync.OnceValue(func() []*forestTree {
		b, err := m.spilled.append(nil)
		if err != nil {
			panic(err)
		}
		trees := make([]*forestTree, m.spilled.n)
		r := codec.NewReader(b)
		for i := range trees {
			trees[i] = readForestTree(r, m.mappers, len(m.prior))
		}
		return trees
	})
	return &m
}

// append appends the binary form of the trees to b.
func (s spilledTrees) append(b []byte) ([]byte, error) {
	if s.stream == nil {
		return b, nil
	}
	return s.stream.AppendTo(b, s.size)
}

// Predict writes the class probabilities of f's rows lo…hi-1 to dst, row-major;
// each row sums to 1. f must have the columns of the frame that the forest was
// trained on, in the same order.
func (m *Model) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	classes, features := len(m.prior), len(m.mappers)
	block := min(blockRows, hi-lo)
	bins := make([]uint8, block*features)
	votes := make([]uint32, block*classes)
	count := len(m.trees())
	for ; lo < hi; lo += block {
		n := min(block, hi-lo)
		for j := range m.mappers {
			m.mappers[j].Fill(bins[j:], features, &f.Columns[j], lo, lo+n)
		}
		clear(votes)
		m.addVotes(votes, bins, n)
		for i := range n {
			votesToProbabilities(dst[i*classes:(i+1)*classes], votes[i*classes:(i+1)*classes], m.prior, count, count)
		}
		m.temperature.Apply(dst[:n*classes], classes)
		dst = dst[n*classes:]
	}
}

// addVotes adds the votes of all trees on some rows to votes. bins holds the bins of these
// rows. Both slices are row-major.
func (m *Model) addVotes(votes []uint32, bins []uint8, rows int) {
	classes, features := len(m.prior), len(m.mappers)
	for _, t := range m.trees() {
		for i := range rows {
			for _, s := range t.leafDistribution(bins[i*features : (i+1)*features]) {
				votes[i*classes+int(s.class)] += uint32(s.weight)
			}
		}
	}
}

// votesToProbabilities converts the votes on one row to probabilities in dst. votedTrees is the
// number of trees that voted on the row. The votes are scaled up to allTrees, the number of trees
// in the forest. prior, the class frequencies, counts as the vote of one more tree, so that no
// class has the probability 0.
func votesToProbabilities(dst []float32, votes []uint32, prior []float32, votedTrees, allTrees int) {
	scale := float64(allTrees) / (float64(max(votedTrees, 1)) * unitWeight)
	for c, v := range votes {
		dst[c] = float32((float64(v)*scale + float64(prior[c])) / float64(allTrees+1))
	}
}

// classFrequencies returns the frequency of each class among rows. One row is added to the count of
// each class, so that no frequency is 0.
func classFrequencies(labels, rows []int32, classes int) []float32 {
	counts := make([]int, classes)
	for _, row := range rows {
		counts[labels[row]]++
	}
	freqs := make([]float32, classes)
	for c, n := range counts {
		freqs[c] = float32(float64(n+1) / float64(len(rows)+classes))
	}
	return freqs
}
