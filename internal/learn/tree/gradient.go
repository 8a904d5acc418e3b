package tree

import (
	"context"
	"math"

	"foretell/internal/learn/parallel"
)

// A packed gradient holds the first and the second derivative of the loss of
// one row, or sums of them, as integers in one word:
//
//	63            32 31             0
//	| gradient (±) |  hessian (≥ 0) |
//
// Adding or subtracting words adds or subtracts both derivatives as long as neither
// overflows. Quantise prevents overflows: it chooses the units so that the absolute values of each
// derivative, summed over all rows, are about 2^30. With a million rows, a derivative of one row
// therefore has ten bits on average. The rounding error is well below the noise of the labels (Shi
// et al. 2022 use at most five bits).

// Scale is the scale of packed gradients. It converts packed sums to derivatives.
type Scale struct {
	// Gradient and Hessian are the values of one unit of the packed integers.
	Gradient, Hessian float64
}

// maxPackedSum is the largest sum of the absolute values of a packed derivative over all rows.
const maxPackedSum = 1 << 30

// PackGradHess packs the gradient and the hessian of a row into one word: the float32 bits
// of the gradient in the high half, and of the hessian in the low half. Quantise reads this
// form.
func PackGradHess(gradient, hessian float32) int64 {
	return int64(uint64(math.Float32bits(gradient))<<32 | uint64(math.Float32bits(hessian)))
}

// UnpackGradHess is the inverse of PackGradHess.
func UnpackGradHess(raw int64) (gradient, hessian float32) {
	return math.Float32frombits(uint32(raw >> 32)), math.Float32frombits(uint32(raw))
}

// quantiseTaskRows is the number of rows that one task quantises.
const quantiseTaskRows = 1 << 13

// Quantise converts the gradients of the given rows, in place, from the form of
// PackGradHess to packed integers, and returns their scale. gradients is indexed by row.
// Hessians must not be negative. The result does not depend on workers.
func Quantise(ctx context.Context, workers int, gradients []int64, rows []int32) (Scale, error) {
	tasks := (len(rows) + quantiseTaskRows - 1) / quantiseTaskRows
	sums := make([]Scale, tasks)
	chunk := func(i int) []int32 { return rows[i*quantiseTaskRows : min((i+1)*quantiseTaskRows, len(rows))] }
	err := parallel.ForContext(ctx, workers, tasks, func(_, i int) {
		var sum Scale
		for _, row := range chunk(i) {
			g, h := UnpackGradHess(gradients[row])
			sum.Gradient += math.Abs(float64(g))
			sum.Hessian += float64(h)
		}
		sums[i] = sum
	})
	if err != nil {
		return Scale{}, err
	}
	var sum Scale
	for _, s := range sums {
		sum.Gradient += s.Gradient
		sum.Hessian += s.Hessian
	}
	// Rounding changes the sum by up to half a unit for each row. One unit for each row
	// is reserved for this error.
	available := float64(maxPackedSum - min(len(rows), maxPackedSum/2))
	scale := Scale{Gradient: unitSize(sum.Gradient, available), Hessian: unitSize(sum.Hessian, available)}
	perG, perH := 1/scale.Gradient, 1/scale.Hessian
	return scale, parallel.ForContext(ctx, workers, tasks, func(_, i int) {
		const shift = 1 << 31 // makes the conversion round, not truncate
		for _, row := range chunk(i) {
			g, h := UnpackGradHess(gradients[row])
			whole := int64(float64(float64(g)*perG)+(shift+0.5)) - shift
			gradients[row] = whole<<32 + int64(float64(float64(h)*perH)+0.5)
		}
	})
}

// unitSize returns the value of one unit, chosen so that sum equals the given number of
// available units. It returns 1 if sum is zero or almost zero.
func unitSize(sum, available float64) float64 {
	if u := sum / available; u > 1e-300 {
		return u
	}
	return 1
}

// unpack returns the gradient and the hessian of a packed sum.
func unpack(cell int64) (g, h float64) {
	return float64(cell >> 32), float64(uint32(cell))
}
