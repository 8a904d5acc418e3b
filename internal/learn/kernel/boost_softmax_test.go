package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTableExp(t *testing.T) {
	for x := float32(87); x > -90; x -= 0.0137 {
		got, want := float64(Exp(x)), math.Exp(float64(x))
		if math.Abs(got-want) > 2e-7*want && x >= -87 {
			t.Fatalf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	if Exp(0) != 1 || Exp(-1000) != 0 || math.IsInf(float64(Exp(1000)), 0) {
		t.Errorf("Exp(0) = %v, Exp(-1000) = %v, Exp(1000) = %v", Exp(0), Exp(-1000), Exp(1000))
	}
}

// TestSoftmaxKernels compares the kernels with their definitions, element by element.
func TestSoftmaxKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	const least, most = -20, 40
	for n := range 60 {
		scores, maxScores, normalizers, labels := random(rng, n), random(rng, n), random(rng, n), make([]int32, n)
		for i := range scores {
			scores[i] *= float32(rng.IntN(60))
			maxScores[i] = max(scores[i], 9*maxScores[i])
			normalizers[i] = rng.Float32()
			labels[i] = int32(rng.IntN(3))
			if rng.IntN(10) == 0 {
				scores[i] = float32(math.NaN())
			}
		}
		clipped, top, sums := make([]float32, n), random(rng, n), random(rng, n)
		raw, g, h := make([]uint64, n), random(rng, n), random(rng, n)
		want := make([]string, n)
		for i, s := range scores {
			e, d := float32(0), s-maxScores[i]
			if d >= least {
				e = Exp(d)
			}
			c := float32(0)
			if s-0.5 >= least {
				c = Exp(min(s-0.5, most))
			}
			m := top[i]
			if s > m {
				m = s
			}
			p := float32(e * normalizers[i])
			rawG, rawH := p, float32(p*(1-p))
			if labels[i] == 2 {
				rawG--
			}
			q := float32(normalizers[i] * 0.3)
			want[i] = fmt.Sprint(c, m, sums[i]+e, rawG, rawH, g[i]+q, h[i]+(q-float32(q*q)))
		}
		ExpClipped(clipped, scores, 0.5, least, most)
		Max(top, scores)
		AddExp(sums, scores, maxScores, least)
		SoftmaxGradients(raw, scores, maxScores, normalizers, labels, 2, least)
		AddDerivatives(g, h, normalizers, 0.3)
		got := make([]string, n)
		for i := range got {
			got[i] = fmt.Sprint(clipped[i], top[i], sums[i], math.Float32frombits(uint32(raw[i]>>32)), math.Float32frombits(uint32(raw[i])), g[i], h[i])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d elements: %s", n, diff)
		}
	}
}

func BenchmarkExpClipped(b *testing.B) {
	x, dst := random(rand.New(rand.NewPCG(1, 2)), 26), make([]float32, 26)
	for b.Loop() {
		ExpClipped(dst, x, 0.5, -20, 40)
	}
	b.ReportMetric(float64(b.N)*26/float64(b.Elapsed().Nanoseconds()), "elements/ns")
}
