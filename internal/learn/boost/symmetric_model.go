package boost

import (
	"bytes"
	"math"
	"slices"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// symmetricModel is an ensemble of symmetric trees.
type symmetricModel struct {
	outputs int
	// sources are the features that the trees use. LevelSplit.Feature is an index in
	// sources.
	sources []featureSource
	trees   []symmetricTree
}

// featureSource is a feature of symmetric trees: a binned column, or a target statistic.
// It holds what is needed to compute the feature from a frame.
type featureSource struct {
	column       int32           // -1 for a target statistic
	mapper       tree.BinMapper  // of a column
	key          categoryColumns // of a target statistic
	categoryBins []uint8         // of a target statistic: the bin of each category
}

// usedFeatures are the features that the trees use, in the order of first use.
type usedFeatures struct {
	features  []int32
	firstTree []int           // firstTree[i] is the index of the first tree that uses features[i]
	index     map[int32]int32 // index in features, by feature
}

// indexOrAdd returns the index of a feature in u.features. It adds the feature if it is
// new. tree is the index of the tree that uses it.
func (u *usedFeatures) indexOrAdd(feature int32, tree int) int32 {
	at, known := u.index[feature]
	if !known {
		at = int32(len(u.features))
		u.index[feature] = at
		u.features = append(u.features, feature)
		u.firstTree = append(u.firstTree, tree)
	}
	return at
}

// usedByFirstTrees returns the features that the first n trees use.
func (u *usedFeatures) usedByFirstTrees(n int) []int32 {
	end, _ := slices.BinarySearch(u.firstTree, n)
	return u.features[:end]
}

// sourceOf returns the featureSource of a feature of the set.
func (set *featureSet) sourceOf(feature int32) featureSource {
	if at := int(feature) - set.firstStatistic; at >= 0 {
		statistic := &set.statistics[at]
		return featureSource{column: -1, key: statistic.key, categoryBins: statistic.categoryBins}
	}
	return featureSource{column: feature, mapper: set.bins[0].Features[feature].BinMapper}
}

// batchRows is the number of rows that are predicted at once.
const batchRows = 256

// score adds the scores of f's rows lo…hi-1 to dst, which is row-major.
func (m *symmetricModel) score(dst []float32, f *frame.Frame, lo, hi int) {
	cells := make([]uint8, len(m.sources)*batchRows)
	categories := make([]int32, batchRows)
	var leaves [batchRows]uint8
	for ; lo < hi; lo += batchRows {
		n := min(batchRows, hi-lo)
		for i := range m.sources {
			m.sources[i].fillBins(cells[i*batchRows:][:n], categories, f, lo)
		}
		for i := range m.trees {
			t := &m.trees[i]
			clear(leaves[:n])
			for d := range t.splits {
				t.applySplit(leaves[:n], d, cells[int(t.splits[d].Feature)*batchRows:][:n])
			}
			t.add(dst, m.outputs, leaves[:n])
		}
		dst = dst[n*m.outputs:]
	}
}

// fillBins writes the bins of rows lo … lo+len(dst)-1 of f to dst. scratch is scratch
// space of the same length as dst.
func (s *featureSource) fillBins(dst []uint8, scratch []int32, f *frame.Frame, lo int) {
	if s.column < 0 {
		s.key.fillCategories(scratch, f, lo, lo+len(dst))
		for i, category := range scratch[:len(dst)] {
			dst[i] = s.categoryBins[category]
		}
		return
	}
	s.mapper.Fill(dst, 1, &f.Columns[s.column], lo, lo+len(dst))
}

func (m *symmetricModel) kind() byte { return symmetricKind(m.sources) }

// symmetricKind returns kindSymmetricHashed if a source is a target statistic of a hashed pair of
// columns, and otherwise kindSymmetric.
func symmetricKind(sources []featureSource) byte {
	for i := range sources {
		if sources[i].column < 0 && sources[i].key.isHashed() {
			return kindSymmetricHashed
		}
	}
	return kindSymmetric
}

// write writes the number of sources and each source, then the number of trees and each tree. A
// column is written as column+1 and its bin mapper. A target statistic is written as 0, then
// column+1 and the number of levels of each of its two columns, and then the bin of each category,
// one byte each.
func (m *symmetricModel) write(w *codec.Writer) {
	writeSourcesAndTreeCount(w, m.sources, len(m.trees))
	for i := range m.trees {
		m.trees[i].write(w, m.outputs)
	}
}

// writeSourcesAndTreeCount writes the beginning of the binary form: the sources and the number
// of trees.
func writeSourcesAndTreeCount(w *codec.Writer, sources []featureSource, trees int) {
	w.Uvarint(len(sources))
	for i := range sources {
		s := &sources[i]
		w.Uvarint(int(s.column + 1))
		if s.column >= 0 {
			s.mapper.Write(w)
			continue
		}
		for k, column := range s.key.columns {
			w.Uvarint(int(column + 1))
			w.Uvarint(int(s.key.levels[k]))
		}
		w.Bytes(s.categoryBins...)
	}
	w.Uvarint(trees)
}

func readSymmetricModel(r *codec.Reader, outputs int) *symmetricModel {
	m := &symmetricModel{outputs: outputs}
	for range r.Count(1) {
		m.sources = append(m.sources, readFeatureSource(r))
		if r.Err() != nil {
			return m
		}
	}
	for range r.Count(1) {
		t := readSymmetricTree(r, len(m.sources), outputs)
		if r.Err() != nil {
			return m
		}
		m.trees = append(m.trees, t)
	}
	return m
}

func readFeatureSource(r *codec.Reader) featureSource {
	s := featureSource{column: int32(r.Uvarint(0, math.MaxInt32)) - 1}
	if s.column >= 0 {
		s.mapper = tree.ReadBinMapper(r)
		return s
	}
	for k := range s.key.columns {
		s.key.columns[k] = int32(r.Uvarint(0, math.MaxInt32)) - 1
		s.key.levels[k] = int32(r.Uvarint(0, math.MaxInt32))
	}
	if s.key.levels[0] < 2 || s.key.columns[0] < 0 || s.key.levels[1] < 1 || (s.key.columns[1] < 0) != (s.key.levels[1] == 1) {
		r.Fail("invalid pair of columns")
		return s
	}
	s.categoryBins = bytes.Clone(r.Next(s.key.numCategories()))
	return s
}
