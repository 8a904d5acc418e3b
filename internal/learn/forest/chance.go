package forest

import "math/rand/v2"

// random returns a split on the feature that is drawn rather than searched
// for (Geurts, Ernst, Wehenkel, Extremely randomized trees, 2006): a cut
// anywhere between the least and the greatest bin of a numeric feature, a
// random half of the bins of a categorical one. Missing cells go to a random
// side. varies tells whether the leaf's rows differ in the feature at all.
func (s *splitter) random(feature int, rng *rand.Rand) (found division, varies bool) {
	f := &s.bins.Features[feature]
	present := s.table.gather(s.entries, f.Data)
	s.spent += 180 + 4*len(s.entries)
	s.table.list(present)
	values := s.table.bins
	if len(values) < 2 {
		return noDivision, false
	}
	missing := values[len(values)-1] == f.MissingBin
	found = division{feature: feature, ordered: !f.Categorical}
	if f.Categorical {
		for word := range found.left {
			found.left[word] = rng.Uint64()
		}
		// Two levels drawn by lot part company, so that neither side is empty.
		i, j := rng.IntN(len(values)), rng.IntN(len(values)-1)
		if j >= i {
			j++
		}
		found.left.add(values[i])
		found.left.remove(values[j])
	} else {
		if missing {
			values = values[:len(values)-1]
		}
		cut, high := values[0], values[len(values)-1]
		if cut < high {
			cut += uint8(rng.IntN(int(high - cut)))
		}
		found.cutAt(cut, f.MissingBin, cut < high && rng.Uint64()&1 == 0)
	}
	if !s.weigh(&found) {
		return noDivision, true
	}
	return found, true
}

// weigh sets what the split is worth, given the bins gathered in the table,
// and tells whether its leaves are large enough.
func (s *splitter) weigh(found *division) bool {
	var rows, squares int64
	rest := s.squares
	for i, bin := range s.table.gathered[:len(s.entries)] {
		if !found.left.has(bin) {
			continue
		}
		class := s.entries[i].class()
		l := s.left[class]
		squares += 2*l + 1
		rest -= 2*(s.total[class]-l) - 1
		s.left[class] = l + 1
		rows++
	}
	clear(s.left)
	if rows < s.minLeaf || s.rows-rows < s.minLeaf {
		return false
	}
	found.worth = float64(squares)/float64(rows) + float64(rest)/float64(s.rows-rows)
	return true
}
