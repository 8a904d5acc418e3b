package boost

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/learn/codec"
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
				var b, again codec.Writer
				grown.write(&b, outputs)
				r := codec.NewReader(b.Data())
				read := readSymmetricTree(r, 1, outputs)
				if err := r.End(); err != nil {
					t.Fatal(err)
				}
				checkLeaves(t, &read, values, outputs)
				read.write(&again, outputs)
				if d := cmp.Diff(b.Data(), again.Data()); d != "" {
					t.Error(d)
				}
			}
		}
	}
}

// checkLeaves checks that grown.add adds the expected values for each leaf. values holds
// the values of all leaves.
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
