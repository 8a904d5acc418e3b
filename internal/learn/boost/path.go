package boost

import (
	"foretell/internal/learn/shapley"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// encodedEnsemble holds rows in a form from which an ensemble quickly computes the scores along a
// path of rows, to explain predictions. See shapley.Rows and shapley.Path.
type encodedEnsemble interface {
	MarkDifferent(different []bool, a, b int)
	// addPath adds to scores, which is row-major, the scores of the first row of p and, for each
	// later row, the differences between its scores and those of the previous row.
	addPath(scores []float64, p *shapley.Path)
}

// Encode encodes the rows of f for explanations. f must have the columns of the
// frame that the model was trained on, in the same order.
func (m *Model) Encode(f *frame.Frame) shapley.Rows {
	return &encodedRows{encodedEnsemble: m.ensemble.encode(f), model: m}
}

// encodedRows implements shapley.Rows. It converts the scores of an encodedEnsemble to
// probabilities.
type encodedRows struct {
	encodedEnsemble
	model  *Model
	scores []float64
	raw    []float32
}

// PredictPath implements shapley.Rows.
func (e *encodedRows) PredictPath(dst []float32, p *shapley.Path) {
	width, classes := len(e.model.base), e.model.classes
	if need := (p.Steps + 2) * width; cap(e.scores) < need {
		e.scores = make([]float64, need)
	}
	e.scores = e.scores[:(p.Steps+2)*width]
	clear(e.scores)
	for i, base := range e.model.base {
		e.scores[i] = float64(base)
	}
	e.addPath(e.scores, p)
	e.raw = append(e.raw[:0], e.model.base...)
	for row := range p.Steps + 1 {
		for i := range width {
			at := row*width + i
			if row > 0 {
				e.scores[at] += e.scores[at-width]
			}
			e.raw[i] = float32(e.scores[at])
		}
		scoresToProbabilities(dst[row*classes:(row+1)*classes], e.raw)
	}
}

// encodedLeafwise holds the bins of the encoded rows, row-major.
type encodedLeafwise struct {
	model  *leafwiseModel
	bins   []uint8
	walker tree.PathWalker
}

func (m *leafwiseModel) encode(f *frame.Frame) encodedEnsemble {
	width := len(m.mappers)
	e := &encodedLeafwise{model: m, bins: make([]uint8, f.Rows*width)}
	for i := range m.mappers {
		if m.used[i] {
			m.mappers[i].Fill(e.bins[i:], width, &f.Columns[i], 0, f.Rows)
		}
	}
	return e
}

func (e *encodedLeafwise) row(i int) []uint8 {
	width := len(e.model.mappers)
	return e.bins[i*width : (i+1)*width]
}

// MarkDifferent implements shapley.Rows.
func (e *encodedLeafwise) MarkDifferent(different []bool, a, b int) {
	other := e.row(b)
	for i, bin := range e.row(a) {
		if bin != other[i] {
			different[i] = true
		}
	}
}

func (e *encodedLeafwise) addPath(scores []float64, p *shapley.Path) {
	outputs := e.model.outputs
	from, to := e.row(p.From), e.row(p.To)
	for i, t := range e.model.trees {
		if t == nil {
			continue
		}
		at := scores[i%outputs:]
		e.walker.Walk(t.tree, from, to, p.Step, p.Steps, func(leaf, first, last int32) {
			value := float64(t.values[leaf])
			at[int(first)*outputs] += value
			if next := (int(last) + 1) * outputs; next < len(at) {
				at[next] -= value
			}
		})
	}
}

// encodedSymmetric holds encoded rows for an ensemble of symmetric trees. If source s is a column,
// cells[s][row][0] is the bin of the row. If source s is a target statistic, cells[s][row] holds
// the row's categories in its one or two columns.
type encodedSymmetric struct {
	model *symmetricModel
	cells [][][2]int32 // by source, then row
	// stages holds, by source, the bins of the source along the current path.
	stages []pathStages
}

// pathStages holds the bins of one source in the rows of a path: bins[0] before row steps[0],
// bins[1] in the rows steps[0]…steps[1]-1, and bins[2] from row steps[1] on. There are two steps,
// because a statistic of two columns may change once for each column.
type pathStages struct {
	bins  [3]uint8
	steps [2]int32
}

func (m *symmetricModel) encode(f *frame.Frame) encodedEnsemble {
	e := &encodedSymmetric{model: m, cells: make([][][2]int32, len(m.sources)), stages: make([]pathStages, len(m.sources))}
	bins, codes := make([]uint8, f.Rows), make([]int32, f.Rows)
	for i := range m.sources {
		s := &m.sources[i]
		e.cells[i] = make([][2]int32, f.Rows)
		if s.column >= 0 {
			s.fillBins(bins, codes, f, 0)
			for row, bin := range bins {
				e.cells[i][row][0] = int32(bin)
			}
			continue
		}
		for part, column := range s.key.columns {
			if column < 0 { // there is no second column, and all its cells are 0
				continue
			}
			key := s.key.singleColumn(part)
			key.fillCategories(codes, f, 0, f.Rows)
			for row, code := range codes {
				e.cells[i][row][part] = code
			}
		}
	}
	return e
}

// singleColumn returns the categoryColumns of only the i-th column of c.
func (c *categoryColumns) singleColumn(i int) categoryColumns {
	return categoryColumns{columns: [2]int32{c.columns[i], -1}, levels: [2]int32{c.levels[i], 1}}
}

// bin returns the bin of a row in the source s. first and second are the two numbers of the row in
// encodedSymmetric.cells for this source.
func (s *featureSource) bin(first, second int32) uint8 {
	if s.column >= 0 {
		return uint8(first)
	}
	return s.categoryBins[s.key.category(first, second)]
}

// columns returns the columns of the frame from which a source is computed. If there is only one
// column, the second element is -1.
func (s *featureSource) columns() [2]int32 {
	if s.column >= 0 {
		return [2]int32{s.column, -1}
	}
	return s.key.columns
}

// MarkDifferent implements shapley.Rows.
func (e *encodedSymmetric) MarkDifferent(different []bool, a, b int) {
	for i := range e.cells {
		for part, column := range e.model.sources[i].columns() {
			if column >= 0 && e.cells[i][a][part] != e.cells[i][b][part] {
				different[column] = true
			}
		}
	}
}

// setStages sets e.stages: for each source, the sequence of its bins along the path p and the steps
// at which the bin changes.
func (e *encodedSymmetric) setStages(p *shapley.Path) {
	for i := range e.stages {
		s := &e.model.sources[i]
		from, to, columns := e.cells[i][p.From], e.cells[i][p.To], s.columns()
		steps := [2]int32{p.Step[columns[0]], 0}
		if columns[1] >= 0 {
			steps[1] = p.Step[columns[1]]
		}
		middle := [2]int32{to[0], from[1]}
		if steps[1] < steps[0] {
			middle = [2]int32{from[0], to[1]}
			steps[0], steps[1] = steps[1], steps[0]
		}
		e.stages[i] = pathStages{
			bins:  [3]uint8{s.bin(from[0], from[1]), s.bin(middle[0], middle[1]), s.bin(to[0], to[1])},
			steps: steps,
		}
	}
}

// leafChange is a step of a path at which the row moves to another leaf of a tree: the
// given bits of the leaf's number change.
type leafChange struct {
	step int32
	bits uint8
}

func (e *encodedSymmetric) addPath(scores []float64, p *shapley.Path) {
	e.setStages(p)
	var changes [2 * tree.MaxSymmetricDepth]leafChange
	for i := range e.model.trees {
		t := &e.model.trees[i]
		leaf, n := uint8(0), 0
		for level := range t.splits {
			split := &t.splits[level]
			s := &e.stages[split.Feature]
			bit, passes := uint8(1)<<(level&7), split.Passes(s.bins[0])
			if passes {
				leaf |= bit
			}
			for k, step := range s.steps {
				if next := split.Passes(s.bins[k+1]); next != passes {
					passes = next
					n = insertChange(&changes, n, leafChange{step, bit})
				}
			}
		}
		e.addLeaf(scores, t, leaf, 0, 1)
		for _, c := range changes[:n] {
			e.addLeaf(scores, t, leaf, int(c.step), -1)
			leaf ^= c.bits
			e.addLeaf(scores, t, leaf, int(c.step), 1)
		}
	}
}

// insertChange inserts c into changes[:n], which is in ascending order of steps, and
// returns n+1.
func insertChange(changes *[2 * tree.MaxSymmetricDepth]leafChange, n int, c leafChange) (newLen int) {
	at := n
	for ; at > 0 && changes[at-1].step > c.step; at-- {
		changes[at] = changes[at-1]
	}
	changes[at] = c
	return n + 1
}

// addLeaf adds the values of a leaf, times sign, to the given row of scores.
func (e *encodedSymmetric) addLeaf(scores []float64, t *symmetricTree, leaf uint8, row int, sign float64) {
	outputs := e.model.outputs
	if outputs == 1 {
		scores[row] += sign * float64(t.values[leaf])
		return
	}
	values := t.values[int(t.valueIndex[leaf])*outputs:][:outputs]
	for k, v := range values {
		scores[row*outputs+k] += sign * float64(v)
	}
}
