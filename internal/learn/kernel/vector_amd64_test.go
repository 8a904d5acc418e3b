package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestVectorTwins compares what the assembly makes of elements, odd ones among
// them, with what the portable code does, bit by bit.
func TestVectorTwins(t *testing.T) {
	has := vector
	if !has {
		t.Skip("not on this processor")
	}
	t.Cleanup(func() { vector = has })
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 50 {
		x, y := random(rng, n), random(rng, n)
		for i := range x {
			switch rng.IntN(6) {
			case 0:
				x[i], y[i] = 0, 0
			case 1:
				x[i], y[i] = float32(math.Copysign(0, -1)), float32(math.NaN())
			}
		}
		for name, kernel := range map[string]func(x []float32){
			"Rectify":     Rectify,
			"RectifyBack": func(x []float32) { RectifyBack(x, y, 1.25) },
			"Drop":        func(x []float32) { Drop(x, 51, uint64(n)) },
			"Axpy":        func(x []float32) { Axpy(x, y, 0.3) },
			"Blend":       func(x []float32) { Blend(x, y, 0.3) },
			"AffineRows":  func(x []float32) { AffineRows(x, x, y, y) },
			"AffineBack":  func(x []float32) { AffineBack(x, x, y, y, y) },
		} {
			var bits [2][]uint32
			for i, v := range []bool{false, true} {
				vector = v
				got := slices.Clone(x)
				kernel(got)
				for _, v := range got {
					bits[i] = append(bits[i], math.Float32bits(v)&^nanSign(v))
				}
			}
			if !slices.Equal(bits[0], bits[1]) {
				t.Errorf("%s of %v: %x by Go, %x by assembly", name, x, bits[0], bits[1])
			}
		}
	}
}

// nanSign is the bits in which one NaN may differ from another.
func nanSign(v float32) uint32 {
	if v != v {
		return 1 << 31
	}
	return 0
}
