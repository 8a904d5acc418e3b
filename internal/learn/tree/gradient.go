package tree

// A packed gradient holds the first and the second derivative of the loss of
// one row, or sums of them, as integers in one word:
//
//	63            32 31             0
//	| gradient (±) |  hessian (≥ 0) |
//
// Addition and subtraction of words are those of both halves at once as long
// as no half overflows, which Quantise sees to. Precision: the halves of a
// whole tree's sum reach 2^30, so a row of average weight among a million has
// ten bits, well below the noise of the labels (Shi et al. 2022 do with five).

// Scale turns packed sums back into derivatives.
type Scale struct {
	// Gradient and Hessian are the sizes of one unit.
	Gradient, Hessian float64
}

// budget is the largest sum of the absolute values of a half.
const budget = 1 << 30

// Quantise writes the packed gradients of the given rows to dst[row] and
// returns their scale. gradient and hessian are indexed by row as well; no
// hessian is negative.
func Quantise(dst []int64, rows []int32, gradient, hessian []float32) Scale {
	var sumG, sumH float64
	for _, row := range rows {
		sumG += max(float64(gradient[row]), -float64(gradient[row]))
		sumH += float64(hessian[row])
	}
	// Rounding adds up to half a unit a row: keep room for it.
	room := float64(budget - min(len(rows), budget/2))
	scale := Scale{Gradient: unit(sumG, room), Hessian: unit(sumH, room)}
	perG, perH := 1/scale.Gradient, 1/scale.Hessian
	const shift = 1 << 31 // makes the conversion round instead of truncate
	for _, row := range rows {
		g := int64(float64(float64(gradient[row])*perG)+(shift+0.5)) - shift
		h := int64(float64(float64(hessian[row])*perH) + 0.5)
		dst[row] = g<<32 + h
	}
	return scale
}

// unit returns the size of one unit if sum is to be at most room of them.
func unit(sum, room float64) float64 {
	if u := sum / room; u > 1e-300 {
		return u
	}
	return 1
}

// halves returns the two halves of a packed sum.
func halves(cell int64) (g, h float64) {
	return float64(cell >> 32), float64(uint32(cell))
}
