package kernel

import "math"

// Adam holds the parameters of one AdamW step (Loshchilov and Hutter 2019,
// "Decoupled weight decay regularization").
type Adam struct {
	// Rate is the learning rate of this step.
	Rate float32
	// Beta1 and Beta2 are the decay rates of the first and the second moments.
	Beta1, Beta2 float32
	// Epsilon keeps the division finite.
	Epsilon float32
	// Decay is the fraction of each weight that this step subtracts from the weight: the
	// learning rate times the weight decay.
	Decay float32
	// Step is the number of this step, counted from 1. It determines the bias correction
	// of the moments.
	Step int
}

// Update updates the weights w, and the first and second moments m and v of their
// gradient g:
//
//	m ← β₁m + (1−β₁)g    v ← β₂v + (1−β₂)g²
//	w ← (1−decay)·w − rate · m̂ / (√v̂ + ε)
//
// with m̂ = m/(1−β₁ᵗ) and v̂ = v/(1−β₂ᵗ), where t is a.Step.
func (a Adam) Update(w, m, v, g []float32) {
	checkLen("Adam.Update", len(m), len(w))
	checkLen("Adam.Update", len(v), len(w))
	checkLen("Adam.Update", len(g), len(w))
	t := float64(a.Step)
	c := [8]float32{
		a.Beta1, 1 - a.Beta1, a.Beta2, 1 - a.Beta2,
		float32(float64(a.Rate) / (1 - math.Pow(float64(a.Beta1), t))),
		float32(1 / math.Sqrt(1-math.Pow(float64(a.Beta2), t))),
		a.Epsilon, 1 - a.Decay,
	}
	done := adamVector(w, m, v, g, &c)
	updateAdamGo(w[done:], m[done:], v[done:], g[done:], &c)
}

// updateAdamGo is the portable version of the assembly function adamBlocks. Both compute the same
// bits, because the conversions to float32 prevent the compiler from fusing a multiplication and an
// addition. c holds β₁, 1−β₁, β₂, 1−β₂, rate/(1−β₁ᵗ), 1/√(1−β₂ᵗ), ε and 1−decay.
func updateAdamGo(w, m, v, g []float32, c *[8]float32) {
	m, v, g = m[:len(w)], v[:len(w)], g[:len(w)]
	for i, x := range w {
		first := float32(c[0]*m[i]) + float32(c[1]*g[i])
		second := float32(c[2]*v[i]) + float32(c[3]*float32(g[i]*g[i]))
		m[i], v[i] = first, second
		root := float32(math.Sqrt(float64(second)))
		w[i] = float32(x*c[7]) - float32(c[4]*first)/(float32(root*c[5])+c[6])
	}
}
