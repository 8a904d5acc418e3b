package tree

import (
	"context"
	"math"
)

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

// Raw returns derivatives as Quantise takes them: side by side in one word.
func Raw(gradient, hessian float32) int64 {
	return int64(uint64(math.Float32bits(gradient))<<32 | uint64(math.Float32bits(hessian)))
}

// Derivatives is the inverse of Raw.
func Derivatives(raw int64) (gradient, hessian float32) {
	return math.Float32frombits(uint32(raw >> 32)), math.Float32frombits(uint32(raw))
}

// quantised is the number of rows that one task quantises.
const quantised = 1 << 13

// Quantise packs the raw gradients of the given rows, in their place, and
// returns their scale. gradients is indexed by row; no hessian is negative. The
// result does not depend on workers.
func Quantise(ctx context.Context, workers int, gradients []int64, rows []int32) (Scale, error) {
	tasks := (len(rows) + quantised - 1) / quantised
	sums := make([]Scale, tasks)
	share := func(i int) []int32 { return rows[i*quantised : min((i+1)*quantised, len(rows))] }
	err := Parallel(ctx, workers, tasks, func(_, i int) {
		var sum Scale
		for _, row := range share(i) {
			g, h := Derivatives(gradients[row])
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
	// Rounding adds up to half a unit a row: keep room for it.
	room := float64(budget - min(len(rows), budget/2))
	scale := Scale{Gradient: unit(sum.Gradient, room), Hessian: unit(sum.Hessian, room)}
	perG, perH := 1/scale.Gradient, 1/scale.Hessian
	return scale, Parallel(ctx, workers, tasks, func(_, i int) {
		const shift = 1 << 31 // makes the conversion round instead of truncate
		for _, row := range share(i) {
			g, h := Derivatives(gradients[row])
			whole := int64(float64(float64(g)*perG)+(shift+0.5)) - shift
			gradients[row] = whole<<32 + int64(float64(float64(h)*perH)+0.5)
		}
	})
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
