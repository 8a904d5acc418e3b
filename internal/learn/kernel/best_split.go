package kernel

// GainParams are the parameters of BestSplit. The score of a split is computed
// from the sums of gradients and hessians on its left and right side:
//
//	GL²/(HL+λ) + GR²/(HR+λ)
type GainParams struct {
	// Gradient and Hessian are the sums over both sides.
	Gradient, Hessian float64
	// L2 is λ.
	L2 float64
	// MinHessian and MaxHessian are the smallest and largest allowed hessian of the left
	// side.
	MinHessian, MaxHessian float64
	// Best is the score that a split must exceed.
	Best float64
}

// BestSplit finds the split with the highest score, and sets params.Best to this score.
// cells[:at+1] are on the left side of the split. The sums of the right side are the sums in params
// minus the sums of the left side. If several splits have the highest score, BestSplit finds the
// first one. If no score exceeds params.Best, at is -1 and params.Best does not change.
//
// A cell has a gradient in its high 32 bits and a hessian in its low 32 bits. The parameter sum has
// the same form and is added to the left side of every split. The result left is the sum of the
// left side, including sum. Sums of hessians must be below 2³¹.
func BestSplit(cells []int64, sum int64, params *GainParams) (at int, left int64) {
	done, sum, at, left := bestSplitVector(cells, sum, params)
	hessian := params.Hessian
	for i, cell := range cells[done:] {
		sum += cell
		hl := float64(uint32(sum))
		if hl < params.MinHessian || hl > params.MaxHessian {
			continue
		}
		gl := float64(sum >> 32)
		gr, hr := params.Gradient-gl, hessian-hl+params.L2
		hl += params.L2
		score := (float64(float64(gl*gl)*hr) + float64(float64(gr*gr)*hl)) / float64(hl*hr)
		if score > params.Best {
			params.Best, at, left = score, done+i, sum
		}
	}
	return at, left
}
