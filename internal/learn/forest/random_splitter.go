package forest

import (
	"math"
	"math/rand/v2"
	"slices"
)

// randomSplit returns a random split of the leaf by the feature (Geurts, Ernst, Wehenkel, Extremely
// randomized trees, 2006). varies reports whether the leaf's rows differ in the feature.
//
// The threshold of a numeric feature is drawn between the leaf's smallest and largest value; see
// drawThreshold. Rows with missing values go to a random side or, if all other rows are in one bin,
// to the right. Each bin of a categorical feature goes to a random side, but neither side is empty.
func (s *splitter) randomSplit(feature int, rng *rand.Rand) (found nodeSplit, varies bool) {
	f := &s.bins.Features[feature]
	present := s.histogram.gatherBins(s.leafRows, f.Data)
	s.nanos += 180 + 4*len(s.leafRows)
	s.histogram.setBins(present)
	values := s.histogram.bins
	if len(values) < 2 {
		return noSplit, false
	}
	missing := values[len(values)-1] == f.MissingBin
	found = nodeSplit{feature: feature, numeric: !f.Categorical}
	if f.Categorical {
		for word := range found.leftBins {
			found.leftBins[word] = rng.Uint64()
		}
		// Two random bins go to different sides, so that neither side is
		// empty.
		i, j := rng.IntN(len(values)), rng.IntN(len(values)-1)
		if j >= i {
			j++
		}
		found.leftBins.add(values[i])
		found.leftBins.remove(values[j])
	} else {
		if missing {
			values = values[:len(values)-1]
		}
		cut, high := values[0], values[len(values)-1]
		if cut < high {
			cut = drawThreshold(f.Thresholds, cut, high, rng)
		}
		found.setThreshold(cut, f.MissingBin, cut < high && rng.Uint64()&1 == 0)
	}
	if !s.scoreSplit(&found) {
		return noSplit, true
	}
	return found, true
}

// scoreSplit computes the score of candidate from the bins that gatherBins has stored in the
// histogram. allowed is false if a side has fewer than minLeaf rows, or if the split is against the
// direction of a monotone feature.
func (s *splitter) scoreSplit(candidate *nodeSplit) (allowed bool) {
	var rows, squares int64
	rest, ordered := s.squares, true
	for i, bin := range s.histogram.rowBins[:len(s.leafRows)] {
		if !candidate.leftBins.contains(bin) {
			continue
		}
		class := s.leafRows[i].class()
		l := s.leftCounts[class]
		squares += 2*l + 1
		rest -= 2*(s.classTotals[class]-l) - 1
		s.leftCounts[class] = l + 1
		rows++
	}
	enough := rows >= s.minLeaf && s.rows-rows >= s.minLeaf
	if enough && s.monotone != nil {
		ordered = s.satisfiesMonotone(s.direction(candidate.feature), rows, s.dividesValues(candidate))
	}
	clear(s.leftCounts)
	if !enough || !ordered {
		return false
	}
	candidate.score = float64(squares)/float64(rows) + float64(rest)/float64(s.rows-rows)
	return true
}

// drawThreshold draws the threshold of a random split by a numeric feature. It returns the last bin
// on the left. All rows of the leaf are in the bins low to high.
//
// As in extremely randomised trees, the threshold is distributed nearly uniformly between the
// smallest and the largest value in the leaf. drawThreshold draws a number uniformly between the
// lowest and the highest threshold that divide the rows, and chooses the nearest threshold. If each
// threshold were equally likely, most drawn thresholds would be where the rows are dense.
func drawThreshold(thresholds []float64, low, high uint8, rng *rand.Rand) uint8 {
	inside := thresholds[low:high]
	lowest, highest, u := inside[0], inside[len(inside)-1], rng.Float64()
	x := lowest + u*(highest-lowest)
	if math.IsInf(highest-lowest, 1) {
		x = lowest*(1-u) + highest*u
	}
	i, _ := slices.BinarySearch(inside, x)
	if i > 0 && (i == len(inside) || x-inside[i-1] < inside[i]-x) {
		i--
	}
	return low + uint8(i)
}
