package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTileAgreesWithPortable compares the assembly and the portable code with
// naive products. Their multiply-adds are rounded once to compare with AVX2 and
// AVX-512, and twice to compare with portable code.
func TestTileAgreesWithPortable(t *testing.T) {
	hasAVX2, hasAVX512 := useAVX2, useAVX512
	t.Cleanup(func() { useAVX2, useAVX512, tileRows = hasAVX2, hasAVX512, chooseTileRows() })
	for _, by := range []struct {
		name         string
		vector, wide bool
		here         bool
		fma          func(x, y, z float32) float32
	}{
		{"avx512", true, true, hasAVX512, fused},
		{"avx2", true, false, hasAVX2, fused},
		{"go", false, false, true, unfused},
	} {
		t.Run(by.name, func(t *testing.T) {
			if !by.here {
				t.Skip("not on this processor")
			}
			useAVX2, useAVX512 = by.vector, by.wide
			tileRows = chooseTileRows()
			compareTiles(t, by.fma)
		})
	}
}

// compareTiles compares the products of all shapes with the results of naiveGemm.
func compareTiles(t *testing.T, fma func(x, y, z float32) float32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	for _, s := range shapes {
		a, b, dst := random(rng, s.Rows*s.Depth), random(rng, s.Depth*s.Cols), random(rng, s.Rows*s.Cols)
		want := slices.Clone(dst)
		naiveGemm(want, a, b, s, fma)
		for name, product := range gemmVariants(dst, a, b, s) {
			if !slices.Equal(product(), want) {
				t.Errorf("%s %v: bits differ", name, s)
			}
		}
	}
}
