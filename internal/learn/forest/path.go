package forest

import (
	"foretell/internal/learn/shapley"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// encodedRows holds the bins of rows, row-major. It implements shapley.Rows.
type encodedRows struct {
	model  *Model
	bins   []uint8
	walker tree.PathWalker
	// votes holds the differences of the votes along a path: for each row and class, the votes on
	// the row minus the votes on the previous row, modulo 2³².
	votes []uint32
}

// Encode encodes the rows of f for explanations. f must have the columns of the
// frame that the forest was trained on, in the same order.
func (m *Model) Encode(f *frame.Frame) shapley.Rows {
	width := len(m.mappers)
	e := &encodedRows{model: m, bins: make([]uint8, f.Rows*width)}
	used := m.usedFeatures()
	for j := range m.mappers {
		if used[j] {
			m.mappers[j].Fill(e.bins[j:], width, &f.Columns[j], 0, f.Rows)
		}
	}
	return e
}

// usedFeatures reports for each feature whether a tree uses it.
func (m *Model) usedFeatures() []bool {
	used := make([]bool, len(m.mappers))
	for _, t := range m.trees() {
		for i := range t.Nodes {
			if feature := t.Nodes[i].Feature; feature >= 0 {
				used[feature] = true
			}
		}
	}
	return used
}

func (e *encodedRows) row(i int) []uint8 {
	width := len(e.model.mappers)
	return e.bins[i*width : (i+1)*width]
}

// MarkDifferent implements shapley.Rows.
func (e *encodedRows) MarkDifferent(different []bool, a, b int) {
	other := e.row(b)
	for i, bin := range e.row(a) {
		if bin != other[i] {
			different[i] = true
		}
	}
}

// PredictPath implements shapley.Rows.
func (e *encodedRows) PredictPath(dst []float32, p *shapley.Path) {
	classes, count := len(e.model.prior), len(e.model.trees())
	if need := (p.Steps + 2) * classes; cap(e.votes) < need {
		e.votes = make([]uint32, need)
	}
	votes := e.votes[:(p.Steps+2)*classes]
	clear(votes)
	from, to := e.row(p.From), e.row(p.To)
	for _, t := range e.model.trees() {
		e.walker.Walk(&t.Tree, from, to, p.Step, p.Steps, func(leaf, first, last int32) {
			begin, end := votes[int(first)*classes:], votes[(int(last)+1)*classes:]
			for _, s := range t.distribution(int(leaf)) {
				begin[s.class] += uint32(s.weight)
				end[s.class] -= uint32(s.weight)
			}
		})
	}
	for row := range p.Steps + 1 {
		now := votes[row*classes : (row+1)*classes]
		if row > 0 {
			for c, before := range votes[(row-1)*classes : row*classes] {
				now[c] += before
			}
		}
		votesToProbabilities(dst[row*classes:(row+1)*classes], now, e.model.prior, count, count)
	}
	e.model.temperature.Apply(dst[:(p.Steps+1)*classes], classes)
}
