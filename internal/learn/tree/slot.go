package tree

import "context"

// allot gives the leaves of a new level their histograms: the larger of two
// siblings takes over that of the leaf they come from, the other gets a new one.
// No more are given out than there are times few rows, for those that end the
// series of takers hold different rows.
func (g *SymmetricGrower) allot() {
	half := len(g.slots)
	for leaf := range half {
		g.slots = append(g.slots, -1)
		less, more := g.siblings(leaf, half)
		of := g.slots[leaf]
		g.slots[leaf] = -1
		if g.spans[more].len() >= g.few {
			g.slots[more] = of
		}
		if g.spans[less].len() >= g.few {
			g.slots[less] = g.taken
			g.taken++
		}
	}
}

// siblings returns leaf and leaf+half, the one with fewer rows first.
func (g *SymmetricGrower) siblings(leaf, half int) (less, more int) {
	less, more = leaf, leaf+half
	if g.spans[more].len() < g.spans[less].len() {
		return more, less
	}
	return less, more
}

// looksAt tells whether the rows of a leaf are read: where it is the smaller of
// two siblings or has no histogram.
func (g *SymmetricGrower) looksAt(leaf int) bool {
	half := len(g.spans) / 2
	if half == 0 || g.slots[leaf] < 0 {
		return true
	}
	less, _ := g.siblings(leaf%half, half)
	return leaf == less
}

// tally adds a level to the work done and returns its size.
func (g *SymmetricGrower) tally() int {
	outputs := len(g.sample.Gradients)
	var features, bins int
	for _, of := range g.groups {
		features += len(of.active)
		for _, i := range of.active {
			bins += g.sample.Bins.Features[i].Bins
		}
	}
	counted, scanned := 0, 0
	for leaf := range g.spans {
		if g.looksAt(leaf) {
			counted += g.spans[leaf].len()
		}
		if g.slots[leaf] >= 0 {
			scanned++
		} else {
			// A handful is summed up and scanned row by row.
			counted += 5 * g.spans[leaf].len()
		}
	}
	g.work.Counted += int64(counted * features * outputs)
	g.work.Scanned += int64(scanned * bins * outputs)
	return (counted*features + scanned*bins) * outputs
}

// histogram returns the cells of a slot and an output.
func (g *SymmetricGrower) histogram(slot int32, output int) []int64 {
	at := (int(slot)*len(g.sample.Gradients) + output) * g.stride
	return g.counts[at : at+g.stride]
}

// ordered holds gradients in the order of the grower's rows, so that the counting
// of every feature reads them in sequence.
type ordered struct {
	// one holds those of the output that is being counted.
	one []int64
	// few hold those of the leaves without a histogram, which are read once more,
	// by output; firsts tell where those of each leaf begin.
	few    [][]int64
	firsts []int32
}

// fit makes room for rows and for the leaves without a histogram.
func (d *ordered) fit(rows, outputs int, spans []span, slots []int32) {
	if cap(d.one) < rows {
		d.one = make([]int64, rows)
	}
	d.one = d.one[:rows]
	d.firsts = d.firsts[:0]
	n := 0
	for leaf, s := range spans {
		d.firsts = append(d.firsts, int32(n))
		if slots[leaf] < 0 {
			n += s.len()
		}
	}
	for len(d.few) < outputs {
		d.few = append(d.few, nil)
	}
	for o := range d.few[:outputs] {
		if cap(d.few[o]) < n {
			d.few[o] = make([]int64, n)
		}
		d.few[o] = d.few[o][:n]
	}
}

// fewOf returns those of a leaf without a histogram.
func (d *ordered) fewOf(output, leaf, rows int) []int64 {
	return d.few[output][d.firsts[leaf]:][:rows]
}

// count fills all histograms, output by output. Each group of features is one
// task: every cell has one writer.
func (g *SymmetricGrower) count(ctx context.Context, workers int) error {
	g.ordered.fit(len(g.rows), len(g.sample.Gradients), g.spans, g.slots)
	for o, gradients := range g.sample.Gradients {
		err := Parallel(ctx, workers, len(g.spans), func(_, leaf int) {
			if !g.looksAt(leaf) {
				return
			}
			s := g.spans[leaf]
			of := gather(g.ordered.one[s.lo:s.hi], gradients, g.rows[s.lo:s.hi])
			if g.slots[leaf] < 0 {
				copy(g.ordered.fewOf(o, leaf, len(of)), of)
			}
		})
		if err != nil {
			return err
		}
		err = Parallel(ctx, workers, len(g.groups), func(worker, i int) {
			g.fill(&g.groups[i], o, &g.rooms[worker])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fill fills a group's cells of all histograms of an output. Those that were
// taken over hold the sums of both siblings.
func (g *SymmetricGrower) fill(of *group, output int, r *room) {
	lo, hi := of.reach(g.offsets)
	half := len(g.spans) / 2
	for leaf := range max(half, 1) {
		less, more := g.siblings(leaf, half)
		from, to := g.slots[more], g.slots[less]
		if from < 0 { // and so has the other
			continue
		}
		s := g.spans[less]
		rows, ordered := g.rows[s.lo:s.hi], g.ordered.one[s.lo:s.hi]
		if to < 0 {
			for _, i := range of.active {
				discountOne(cells(g.histogram(from, output), g.offsets[i]), g.sample.Bins.Features[i].Data, rows, ordered)
			}
			continue
		}
		countGroup(g.sample.Bins, g.offsets, of, g.octs, r, g.histogram(to, output), rows, ordered)
		if from != to {
			subtract(g.histogram(from, output)[lo:hi], g.histogram(to, output)[lo:hi])
		}
	}
}
