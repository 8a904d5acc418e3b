package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTileTwins holds the assembly and the portable code to their promises:
// chains rounded once a step, and chains rounded twice.
func TestTileTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	defer func(v bool) { vector = v }(vector)
	for _, assembly := range []bool{true, false} {
		if assembly && !vector {
			t.Log("no AVX2 here: only the portable code is tested")
			continue
		}
		vector = assembly
		fma := apart
		if assembly {
			fma = fused
		}
		for _, s := range shapes {
			a, b, dst := random(rng, s.Rows*s.Depth), random(rng, s.Depth*s.Cols), random(rng, s.Rows*s.Cols)
			want := slices.Clone(dst)
			naive(want, a, b, s, fma)
			for name, product := range products(dst, a, b, s) {
				if !slices.Equal(product(), want) {
					t.Errorf("%s %v, assembly %v: bits differ", name, s, assembly)
				}
			}
		}
	}
}
