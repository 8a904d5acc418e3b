package forest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/learn/tree"
)

// TestVotesOnColumns checks that trees vote in the same way on copied rows and on the columns
// of a wide table, and that no bins of a wide table are copied.
func TestVotesOnColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	bins := &tree.BinnedMatrix{Rows: 500}
	for range maxCopiedFeatures + 1 {
		f := tree.Feature{Data: make([]uint8, bins.Rows)}
		f.NumBins, f.MissingBin = 16, 15
		for i := range f.Data {
			f.Data[i] = uint8(rng.IntN(f.NumBins))
		}
		bins.Features = append(bins.Features, f)
	}
	var rows []int32
	var sample []sampleRow
	for i := range bins.Rows {
		sample = append(sample, newSampleRow(int32(i), int32(rng.IntN(3))))
		if i%3 == 0 {
			rows = append(rows, int32(i))
		}
	}
	params := growthParams{maxLeaves: 100, minLeaf: 1, maxFeatures: 20}
	grown, _ := newGrower(bins, 3, bins.Rows).grow(t.Context(), sample, params, rng)
	columns := newVotes(bins, rows, 3)
	if columns.rowMajorBins != nil {
		t.Errorf("%d bins are copied", len(columns.rowMajorBins))
	}
	copied := *columns
	copied.columns, copied.rows = nil, nil
	for _, row := range rows {
		for _, f := range bins.Features {
			copied.rowMajorBins = append(copied.rowMajorBins, f.Data[row])
		}
	}
	fromCopy := copied.newEmpty(len(rows))
	for _, v := range []*votes{columns, fromCopy} {
		if err := v.addTrees(t.Context(), 2, []*forestTree{grown}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(columns.weights, fromCopy.weights) || !slices.Equal(columns.trees, fromCopy.trees) {
		t.Error("the votes differ")
	}
}
