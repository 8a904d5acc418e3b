package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func random(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func BenchmarkMultiply(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []Shape{{64, 256, 256}, {512, 256, 256}, {256, 256, 64}, {256, 256, 512}, {96, 192, 192}} {
		b.Run("", func(b *testing.B) {
			a, m := random(rng, s.Rows*s.Depth), random(rng, s.Depth*s.Cols)
			dst := make([]float32, s.Rows*s.Cols)
			p := make([]float32, PackedLen(s.Depth, s.Cols))
			flops := 2 * float64(s.Rows*s.Cols*s.Depth)
			b.Run("plain", func(b *testing.B) {
				Pack(p, m, s.Depth, s.Cols)
				for b.Loop() {
					Multiply(dst, a, p, s)
				}
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
			b.Run("pack+transposed", func(b *testing.B) {
				for b.Loop() {
					Pack(p, m, s.Depth, s.Cols)
					MultiplyTransposed(dst, a, p, s)
				}
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
			b.Run("packT", func(b *testing.B) {
				for b.Loop() {
					PackTransposed(p, m, s.Depth, s.Cols)
				}
				b.ReportMetric(float64(s.Depth*s.Cols)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gelem/s")
			})
		})
	}
	_ = math.Pi
}

func BenchmarkAdam(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	w, m, v, g := random(rng, 200000), random(rng, 200000), make([]float32, 200000), random(rng, 200000)
	for b.Loop() {
		Adam{1e-3, .9, .95, 1e-8, 0, 1}.Update(w, m, v, g)
	}
	b.ReportMetric(200000*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gparam/s")
}
