package tree

import (
	"context"

	"foretell/internal/learn/parallel"
)

// assignHistograms assigns slots to the leaves of a new level. A slot is the memory of a histogram.
// A leaf gets a slot only if it has at least sparseRows rows: the larger of two siblings takes over
// the slot of the parent, and the smaller gets a new slot. The root always has a slot.
func (g *SymmetricGrower) assignHistograms() {
	half := len(g.slots)
	for leaf := range half {
		g.slots = append(g.slots, -1)
		smaller, larger := g.orderSiblings(leaf, half)
		slot := g.slots[leaf]
		g.slots[leaf] = -1
		if g.rowRanges[larger].len() >= g.sparseRows {
			g.slots[larger] = slot
		}
		if g.rowRanges[smaller].len() >= g.sparseRows {
			g.slots[smaller] = g.assigned
			g.assigned++
		}
	}
}

// orderSiblings returns the siblings leaf and leaf+half, the sibling with fewer rows
// first. half is half the number of leaves of the level.
func (g *SymmetricGrower) orderSiblings(leaf, half int) (smaller, larger int) {
	smaller, larger = leaf, leaf+half
	if g.rowRanges[larger].len() < g.rowRanges[smaller].len() {
		return larger, smaller
	}
	return smaller, larger
}

// needsScan reports whether the rows of a leaf must be read. They need not be read if the leaf's
// histogram can be computed as the parent's histogram minus the sibling's.
func (g *SymmetricGrower) needsScan(leaf int) bool {
	half := len(g.rowRanges) / 2
	if half == 0 || g.slots[leaf] < 0 {
		return true
	}
	smaller, _ := g.orderSiblings(leaf%half, half)
	return leaf == smaller
}

// addCost adds to g.cost the cost of building the histograms and scoring the splits of the
// current level. It returns the number of additions to cells plus the number of bins
// scanned.
func (g *SymmetricGrower) addCost() (work int) {
	outputs := len(g.sample.Gradients)
	var features, bins int
	for _, group := range g.groups {
		features += len(group.active)
		for _, i := range group.active {
			bins += g.sample.Bins.Features[i].NumBins
		}
	}
	counted, scanned := 0, 0
	for leaf := range g.rowRanges {
		if g.needsScan(leaf) {
			counted += g.rowRanges[leaf].len()
		}
		if g.slots[leaf] >= 0 {
			scanned++
		} else {
			// Scoring the splits of a leaf without a histogram costs as much as five
			// additions to cells for each row and feature.
			counted += 5 * g.rowRanges[leaf].len()
		}
	}
	g.cost.Counted += int64(counted * features * outputs)
	g.cost.Scanned += int64(scanned * bins * outputs)
	return (counted*features + scanned*bins) * outputs
}

// histogram returns the cells of an output's histogram in a slot.
func (g *SymmetricGrower) histogram(slot int32, output int) []int64 {
	at := (int(slot)*len(g.sample.Gradients) + output) * g.stride
	return g.cells[at : at+g.stride]
}

// orderedGradients holds gradients in the order of the grower's rows, so that
// building the histogram of every feature reads them in sequence.
type orderedGradients struct {
	// current holds the gradients of the output whose histograms are being
	// built.
	current []int64
	// sparse[o] holds, for output o, the gradients of the rows in leaves without a histogram. They
	// are kept because scoring a split reads them again. sparseOffsets[leaf] is the index of the
	// leaf's first gradient in sparse[o].
	sparse        [][]int64
	sparseOffsets []int32
}

// resize sets the length of current to rows, and the length of each sparse[o] to the
// number of rows in leaves without a histogram. The slots of these leaves are negative.
func (o *orderedGradients) resize(rows, outputs int, rowRanges []rowRange, slots []int32) {
	if cap(o.current) < rows {
		o.current = make([]int64, rows)
	}
	o.current = o.current[:rows]
	o.sparseOffsets = o.sparseOffsets[:0]
	n := 0
	for leaf, r := range rowRanges {
		o.sparseOffsets = append(o.sparseOffsets, int32(n))
		if slots[leaf] < 0 {
			n += r.len()
		}
	}
	for len(o.sparse) < outputs {
		o.sparse = append(o.sparse, nil)
	}
	for output := range o.sparse[:outputs] {
		if cap(o.sparse[output]) < n {
			o.sparse[output] = make([]int64, n)
		}
		o.sparse[output] = o.sparse[output][:n]
	}
}

// sparseGradients returns the gradients of an output in a leaf without a histogram. rows
// is the number of rows of the leaf.
func (o *orderedGradients) sparseGradients(output, leaf, rows int) []int64 {
	return o.sparse[output][o.sparseOffsets[leaf]:][:rows]
}

// buildHistograms builds the histograms of all leaves of the level, output by output. Each
// group of features is one task, so that every cell has one writer.
func (g *SymmetricGrower) buildHistograms(ctx context.Context, workers int) error {
	g.ordered.resize(len(g.rows), len(g.sample.Gradients), g.rowRanges, g.slots)
	for o, gradients := range g.sample.Gradients {
		err := parallel.ForContext(ctx, workers, len(g.rowRanges), func(_, leaf int) {
			if !g.needsScan(leaf) {
				return
			}
			r := g.rowRanges[leaf]
			ordered := gatherGradients(g.ordered.current[r.lo:r.hi], gradients, g.rows[r.lo:r.hi])
			if g.slots[leaf] < 0 {
				copy(g.ordered.sparseGradients(o, leaf, len(ordered)), ordered)
			}
		})
		if err != nil {
			return err
		}
		err = parallel.ForContext(ctx, workers, len(g.groups), func(worker, i int) {
			g.buildLevelGroup(&g.groups[i], o, &g.buffers[worker])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// buildLevelGroup sets the cells of a group's features in the histograms of all leaves for one
// output. For the larger of two siblings, it subtracts the histogram of the smaller sibling from
// the parent's histogram.
func (g *SymmetricGrower) buildLevelGroup(group *activeGroup, output int, buffer *histBuffer) {
	lo, hi := group.cellRange(g.offsets)
	half := len(g.rowRanges) / 2
	for leaf := range max(half, 1) {
		smaller, larger := g.orderSiblings(leaf, half)
		from, to := g.slots[larger], g.slots[smaller]
		if from < 0 { // then the smaller leaf has no histogram either
			continue
		}
		r := g.rowRanges[smaller]
		rows, ordered := g.rows[r.lo:r.hi], g.ordered.current[r.lo:r.hi]
		if to < 0 {
			for _, i := range group.active {
				subtractRows(featureCells(g.histogram(from, output), g.offsets[i]), g.sample.Bins.Features[i].Data, rows, ordered)
			}
			continue
		}
		buildGroup(g.sample.Bins, g.offsets, group, g.packGroups, buffer, g.histogram(to, output), rows, ordered)
		if from != to {
			subtractCells(g.histogram(from, output)[lo:hi], g.histogram(to, output)[lo:hi])
		}
	}
}

// loadHistogram sets w.histogram to the cells of a feature in the histogram of a leaf and
// an output. If the leaf has no histogram, the cells are summed from its rows.
func (g *SymmetricGrower) loadHistogram(w *splitWorkspace, feature, leaf, output int) {
	if slot := g.slots[leaf]; slot >= 0 {
		w.histogram.setFromDense(g.histogram(slot, output)[g.offsets[feature]:g.offsets[feature+1]])
		return
	}
	r := g.rowRanges[leaf]
	w.builder.build(&w.histogram, g.sample.Bins.Features[feature].Data, g.rows[r.lo:r.hi], g.ordered.sparseGradients(output, leaf, r.len()))
}

// loadNumericHistogram does the same as loadHistogram for a numeric feature, but returns
// the cell of missing values instead of storing it in w.
func (g *SymmetricGrower) loadNumericHistogram(w *splitWorkspace, feature, leaf, output int) (missing int64) {
	g.loadHistogram(w, feature, leaf, output)
	h := &w.histogram
	last := g.sample.Bins.Features[feature].NumBins - 1
	if h.n > 0 && int(h.bins[h.n-1]) == last {
		h.n--
		return h.cells[h.n]
	}
	return 0
}
