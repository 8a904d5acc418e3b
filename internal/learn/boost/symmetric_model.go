package boost

import (
	"bytes"
	"math"
	"math/bits"
	"slices"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// symmetricModel is an ensemble of symmetric trees.
type symmetricModel struct {
	outputs int
	// sources are the features that trees use.
	sources []featureSource
	trees   []symmetricTree
}

// featureSource is a feature of symmetric trees: a binned column or a
// statistic.
type featureSource struct {
	column       int32 // -1 for a statistic
	mapper       tree.BinMapper
	key          categoryKey
	categoryBins []uint8
}

// usedFeatures are the features that trees use, in the order of first use.
type usedFeatures struct {
	features  []int32
	firstTree []int           // the first tree to use each feature
	index     map[int32]int32 // by feature: its index in features
}

// indexOf returns the index of a feature in features. If it is new, it is added
// with tree as its first tree.
func (a *usedFeatures) indexOf(feature int32, tree int) int32 {
	at, known := a.index[feature]
	if !known {
		at = int32(len(a.features))
		a.index[feature] = at
		a.features = append(a.features, feature)
		a.firstTree = append(a.firstTree, tree)
	}
	return at
}

// before returns the features that the first n trees use.
func (a *usedFeatures) before(n int) []int32 {
	end, _ := slices.BinarySearch(a.firstTree, n)
	return a.features[:end]
}

// sourceOf returns the source of a feature.
func (in *featureSet) sourceOf(feature int32) featureSource {
	if at := int(feature) - in.firstStatistic; at >= 0 {
		s := &in.statistics[at]
		return featureSource{column: -1, key: s.key, categoryBins: s.categoryBins}
	}
	return featureSource{column: feature, mapper: in.bins[0].Features[feature].BinMapper}
}

// batchRows is the number of rows that are predicted at once.
const batchRows = 256

// score adds the scores of f's rows lo…hi-1 to dst, row-major.
func (e *symmetricModel) score(dst []float32, f *frame.Frame, lo, hi int) {
	cells := make([]uint8, len(e.sources)*batchRows)
	categories := make([]int32, batchRows)
	var leaves [batchRows]uint8
	for ; lo < hi; lo += batchRows {
		n := min(batchRows, hi-lo)
		for i := range e.sources {
			e.sources[i].fill(cells[i*batchRows:][:n], categories, f, lo)
		}
		for i := range e.trees {
			t := &e.trees[i]
			clear(leaves[:n])
			for d := range t.splits {
				t.applySplit(leaves[:n], d, cells[int(t.splits[d].Feature)*batchRows:][:n])
			}
			t.add(dst, e.outputs, leaves[:n])
		}
		dst = dst[n*e.outputs:]
	}
}

// fill writes the bins of f's rows from lo on to dst. categories is scratch
// space.
func (s *featureSource) fill(dst []uint8, categories []int32, f *frame.Frame, lo int) {
	if s.column < 0 {
		s.key.fill(categories, f, lo, lo+len(dst))
		for i, category := range categories[:len(dst)] {
			dst[i] = s.categoryBins[category]
		}
		return
	}
	var column frame.Column // cells of a column that f lacks are missing
	if int(s.column) < len(f.Columns) {
		column = f.Columns[s.column]
	}
	s.mapper.Fill(dst, 1, &column, lo, lo+len(dst))
}

func (e *symmetricModel) kind() byte { return kindSymmetric }

// write writes sources (count, each a column+1 and its bin mapper, or 0, two
// columns+1, two numbers of levels and a byte for each category), then trees
// (count, each in the form of symmetricTree).
func (e *symmetricModel) write(w *codec.Writer) {
	writeFeatureSources(w, e.sources, len(e.trees))
	for i := range e.trees {
		e.trees[i].write(w, e.outputs)
	}
}

// writeFeatureSources writes the part that precedes the trees. trees is their
// number.
func writeFeatureSources(w *codec.Writer, sources []featureSource, trees int) {
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

// readSymmetricModel reads a model written by write.
func readSymmetricModel(r *codec.Reader, outputs int) *symmetricModel {
	e := &symmetricModel{outputs: outputs}
	for range r.Count(1) {
		e.sources = append(e.sources, readFeatureSource(r))
		if r.Err() != nil {
			return e
		}
	}
	for range r.Count(1) {
		t := readSymmetricTree(r, len(e.sources), outputs)
		if r.Err() != nil {
			return e
		}
		e.trees = append(e.trees, t)
	}
	return e
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
	high, size := bits.Mul32(uint32(s.key.levels[0]), uint32(s.key.levels[1]))
	if high != 0 || s.key.levels[0] < 2 || s.key.columns[0] < 0 ||
		(s.key.columns[1] < 0) != (s.key.levels[1] == 1) {
		r.Fail("invalid pair of columns")
		return s
	}
	s.categoryBins = bytes.Clone(r.Next(int(size)))
	return s
}
