package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestVectorAgreesWithPortable compares the results of the assembly with those of
// the portable code, bit by bit, for elements that include special values.
func TestVectorAgreesWithPortable(t *testing.T) {
	has := useAVX2
	if !has {
		t.Skip("not on this processor")
	}
	t.Cleanup(func() { useAVX2 = has })
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
			"ReLU":               ReLU,
			"ReLUBackward":       func(x []float32) { ReLUBackward(x, y, 1.25) },
			"Dropout":            func(x []float32) { Dropout(x, 51, uint64(n)) },
			"Axpy":               func(x []float32) { Axpy(x, y, 0.3) },
			"Lerp":               func(x []float32) { Lerp(x, y, 0.3) },
			"ScaleShift":         func(x []float32) { ScaleShift(x, x, y, y) },
			"ScaleShiftBackward": func(x []float32) { ScaleShiftBackward(x, x, y, y, y) },
		} {
			var bits [2][]uint32
			for i, v := range []bool{false, true} {
				useAVX2 = v
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

// nanSign returns a mask of the bits in which two equal results may differ: the sign bit
// if v is NaN, and otherwise none.
func nanSign(v float32) uint32 {
	if v != v {
		return 1 << 31
	}
	return 0
}
