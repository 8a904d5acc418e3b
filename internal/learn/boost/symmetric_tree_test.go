package boost

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/learn/tree"
)

func TestSymmetricTreeKeepsLeafValues(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	for _, outputs := range []int{1, 3} {
		for depth := range tree.MaxSymmetricDepth + 1 {
			for _, share := range []float64{0, 0.5, 0.99, 1} {
				leaves := 1 << depth
				values := make([]float32, outputs*leaves)
				for leaf := range leaves {
					for k := range outputs {
						if draw.Float64() < share || share == 0.99 && leaf > 0 {
							values[leaf*outputs+k] = draw.Float32() - 0.5
						}
					}
				}
				grown := newSymmetricTree(make([]tree.LevelSplit, depth), values, outputs)
				checkLeaves(t, &grown, values, outputs)
				b := grown.appendBinary(nil, outputs)
				r := &modelReader{rest: b}
				read := readSymmetricTree(r, 1, outputs)
				if r.err != nil || len(r.rest) > 0 {
					t.Fatalf("%v, %d bytes left", r.err, len(r.rest))
				}
				checkLeaves(t, &read, values, outputs)
				if d := cmp.Diff(b, read.appendBinary(nil, outputs)); d != "" {
					t.Error(d)
				}
			}
		}
	}
}

// checkLeaves compares the values that a tree adds in each leaf with the leaf's
// values.
func checkLeaves(t *testing.T, grown *symmetricTree, values []float32, outputs int) {
	t.Helper()
	leaves := make([]uint8, len(values)/outputs)
	for leaf := range leaves {
		leaves[leaf] = uint8(leaf)
	}
	got := make([]float32, len(values))
	grown.add(got, outputs, leaves)
	if d := cmp.Diff(values, got); d != "" {
		t.Error(d)
	}
}
