package forest

import "math/rand/v2"

// growthParams are the parameters of growing a tree.
type growthParams struct {
	maxLeaves          int  // largest number of leaves
	minLeaf            int  // smallest number of rows of a leaf
	maxFeatures        int  // number of features tried at each leaf
	randomSplits       bool // whether splits are drawn at random, not optimised
	sortsLevelsByClass bool // whether levels are ordered by the classes of their rows, not at random
	allRows            bool // whether a tree is trained on all training rows, not only on a sample
}

// sampleFraction is the fraction of the rows in the sample of a tree. The rows are drawn without
// replacement (subsampling; Bühlmann and Yu, Analyzing bagging, 2002). A bootstrap sample would
// contain slightly fewer distinct rows: 1 − 1/e = 63 % of the rows.
const sampleFraction = 0.7

// sampleSize returns the number of rows of a sample of the given number of rows.
func sampleSize(rows int) int { return max(int(sampleFraction*float64(rows)), 1) }

// drawSample draws sampleSize(len(rows)) elements of rows without replacement. It appends
// them to dst, in the order of rows, and sets inBag[i] to true if it draws rows[i].
func drawSample(dst []sampleRow, inBag []bool, rows, labels []int32, rng *rand.Rand) []sampleRow {
	left := sampleSize(len(rows))
	for i, row := range rows {
		if left == 0 {
			break
		}
		if int(rng.Uint32N(uint32(len(rows)-i))) < left {
			left--
			inBag[i] = true
			dst = append(dst, newSampleRow(row, labels[row]))
		}
	}
	return dst
}

// drawGroups does the same as drawSample for rows with groups. Each group, and each row without a
// group, is drawn with the probability sampleFraction. If no row is drawn in this way, drawGroups
// calls drawSample.
func drawGroups(dst []sampleRow, inBag []bool, rows, labels, groups []int32, rng *rand.Rand) []sampleRow {
	drawn := make(map[int32]bool)
	draw := func(group int32) bool {
		if group < 0 {
			return rng.Float64() < sampleFraction
		}
		in, known := drawn[group]
		if !known {
			in = rng.Float64() < sampleFraction
			drawn[group] = in
		}
		return in
	}
	for i, row := range rows {
		if draw(groups[row]) {
			inBag[i] = true
			dst = append(dst, newSampleRow(row, labels[row]))
		}
	}
	if len(dst) > 0 {
		return dst
	}
	return drawSample(dst, inBag, rows, labels, rng)
}

// searchSpace holds the properties of the data that limit the growth
// parameters.
type searchSpace struct {
	rows, features  int
	rarestClassRows int  // see Fitter.countRarestClassRows
	manyLevels      bool // whether a categorical feature has more than two levels
}

// paramMove changes one or more parameters in p. It returns false if space does not allow the
// change; in that case, p must not be used.
type paramMove func(p *growthParams, space searchSpace) bool

// increaseMinLeaf increases the smallest number of rows in a leaf, which improves accuracy if
// labels are noisy. It returns false if the number would exceed a quarter of the rows of the rarest
// class. In larger leaves, the rarest class would hardly ever have a majority, and the average
// error, which decides about changes, would hardly show this.
func increaseMinLeaf(p *growthParams, space searchSpace) bool {
	p.minLeaf = 5*p.minLeaf/2 + 1
	return 4*p.minLeaf <= space.rows && 4*p.minLeaf <= space.rarestClassRows
}

// maxFeaturesLimit is the largest number of features tried at a leaf. With a higher limit, most of
// the time would be spent on irrelevant features.
const maxFeaturesLimit = 160

// increaseMaxFeatures increases the number of features tried at a leaf, which improves accuracy if
// few features are relevant. It returns false if the number cannot be increased further.
func increaseMaxFeatures(p *growthParams, space searchSpace) bool {
	before := p.maxFeatures
	p.maxFeatures = min(2*p.maxFeatures, space.features, max(maxFeaturesLimit, before))
	return p.maxFeatures > before
}

// enableClassOrder makes trees order levels by class. This improves accuracy if there are many
// levels with many rows each, and overfits otherwise. It returns false if no categorical feature
// has more than two levels, or if p already has this setting.
func enableClassOrder(p *growthParams, space searchSpace) bool {
	before := p.sortsLevelsByClass
	p.sortsLevelsByClass = true
	return space.manyLevels && !before
}

// enableExtraTrees makes trees extremely randomised: a leaf may contain a single row, and one
// random split is tried for each of a third of the features, but for at least 5 and at most
// maxFeaturesLimit features. This improves accuracy if rows that are near each other mostly have
// the same class. enableExtraTrees returns false if splits are random already.
func enableExtraTrees(p *growthParams, space searchSpace) bool {
	if p.randomSplits {
		return false
	}
	p.randomSplits, p.minLeaf = true, 1
	p.maxFeatures = min(max(5, space.features/3), space.features, max(maxFeaturesLimit, p.maxFeatures))
	return true
}

// increaseMinLeafOfExtraTrees does the same as increaseMinLeaf if splits are random. If splits are
// not random, it returns false, because larger leaves have already been tried.
func increaseMinLeafOfExtraTrees(p *growthParams, space searchSpace) bool {
	return p.randomSplits && increaseMinLeaf(p, space)
}

// enableRandomSplits makes trees draw random splits, which improves accuracy if class boundaries
// are smooth. It returns false if p already has this setting.
func enableRandomSplits(p *growthParams, _ searchSpace) bool {
	before := p.randomSplits
	p.randomSplits = true
	return !before
}
